package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/spf13/cobra"
)

const moveHelp = `Move takes the memory of a bot to another database: from a file to PostgreSQL, or
back, or from one server to another. Databases are named as in NECTAR_STORE; the
last one is where all goes, and with only one that is NECTAR_STORE itself. Several
files may go into one database. With --account only some accounts go.

No bot may run on any of them meanwhile. All that is kept of an account goes along,
and is compared with what it was before the account changes over. Whatever
interrupts it: run it again, and it goes on. Until it is done, the bot may run where
it ran before; from then on nothing runs there any more, and where that is said, it
is said where all went. The same command takes it back.

Accounts that stand in the database (nectar accounts) go along from server to server,
with what they sign in with. A file has none: they go into an accounts file then.

What is encrypted is encrypted anew on its way, so NECTAR_SECRET_KEY must be set, or
unset, as it is for the bot. On a server everything is encrypted.

A password in the command line can be seen by whoever lists the processes of this
machine: put it into NECTAR_STORE, PGPASSWORD or ~/.pgpass.

--cancel takes away what an interrupted move has brought into a database so far.`

func newMove(sh shell) *cobra.Command {
	m := &moving{}
	cmd := &cobra.Command{
		Use:   "move FROM… [TO]",
		Short: "Take the memory to another database: from a file to PostgreSQL, or back",
		Long:  moveHelp,
		Example: "  nectar move sqlite:nectar.db postgres://nectar@db.example/nectar\n" +
			"  nectar move sqlite:shop.db sqlite:cafe.db postgres://nectar@db.example/nectar --dry-run\n" +
			"  nectar move postgres://nectar@db.example/nectar sqlite:shop.db --account shop",
		GroupID: groupCare,
		Args:    usage(m.named),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sh.settingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			m.by = decider(sh, "")
			m.out, m.progress = cmd.OutOrStdout(), newProgress(cmd.ErrOrStderr())
			defer m.progress.end()
			if err := m.read(cfg, args); err != nil {
				return badUsage(cmd, err)
			}
			if m.cancel {
				return m.callOff(cmd.Context())
			}
			return m.run(cmd.Context())
		},
	}
	cmd.Flags().StringArrayVar(&m.accounts, "account", nil, "only this `account`; may be given several times (default all)")
	cmd.Flags().BoolVar(&m.dry, "dry-run", false, "say what would be moved, and change nothing; a bot may run meanwhile")
	cmd.Flags().BoolVar(&m.json, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&m.cancel, "cancel", false, "take away what an interrupted move has brought into the database")
	return cmd
}

// moving moves memories.
type moving struct {
	accounts []string
	dry      bool
	json     bool
	cancel   bool
	from     []config.StoreFile
	to       config.StoreFile
	cfg      config.Config
	out      io.Writer
	progress *progress
	began    time.Time
	by       string

	carried, unstored []string // accounts that stand in a database: that went along, and that cannot
}

// named makes sure that there are enough databases.
func (m *moving) named(_ *cobra.Command, args []string) error {
	switch {
	case m.cancel && len(args) > 1:
		return errors.New("--cancel is about one database")
	case m.cancel && (m.dry || len(m.accounts) > 0):
		return errors.New("--cancel is about all that was interrupted: it goes with neither --account nor --dry-run")
	case !m.cancel && len(args) == 0:
		return errors.New("nothing is named that is to be moved, such as sqlite:nectar.db")
	}
	return nil
}

// read reads which databases are named. No error repeats them: they may hold passwords.
func (m *moving) read(cfg config.Config, args []string) error {
	m.cfg, m.to = cfg, cfg.Store
	named := make([]config.StoreFile, len(args))
	for i, arg := range args {
		if err := named[i].UnmarshalText([]byte(arg)); err != nil {
			return fmt.Errorf("database %d of the command line: it %w; write it as in NECTAR_STORE: sqlite:nectar.db or postgres://nectar@db.example/nectar", i+1, err)
		}
	}
	switch last := len(named) - 1; {
	case m.cancel && last == 0, last > 0:
		m.to, m.from = named[last], named[:last]
	case last == 0 && named[0] == cfg.Store:
		return fmt.Errorf("name where it goes, too: NECTAR_STORE is %s itself", cfg.Store)
	default:
		m.from = named
	}
	if cfg.SecretKey == "" && m.to.OnServer() {
		return errors.New("NECTAR_SECRET_KEY is not set, and what is kept on a server is always encrypted: set it to the output of: openssl rand -base64 32")
	}
	return nil
}

func (m *moving) run(ctx context.Context) error {
	o := record.MoveOptions{To: string(m.to), Key: m.cfg.SecretKey, Dry: m.dry, Say: m.say}
	for _, f := range m.from {
		o.From = append(o.From, string(f))
	}
	for _, a := range m.accounts {
		o.Accounts = append(o.Accounts, event.Account(a))
	}
	m.began = time.Now()
	moved, err := store.Move(ctx, o)
	m.progress.end()
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("it was interrupted, and goes on where it stopped when you run it again: %w", context.Cause(ctx))
	case err != nil:
		return err
	}
	if err := m.carryStored(ctx, &moved); err != nil {
		return err
	}
	if m.json {
		return m.printJSON(&moved)
	}
	return m.print(&moved)
}

// say shows how far it is.
func (m *moving) say(at record.MoveProgress) {
	percent := 100 * (at.Done + at.Checked) / max(2*at.All, 1)
	m.progress.say(fmt.Sprintf("%s: %d of %d rows are there, %d are compared (%d%%)", at.Account, min(at.Done, at.All), at.All, min(at.Checked, at.All), min(percent, 100)))
}

// callOff takes away what was interrupted.
func (m *moving) callOff(ctx context.Context) error {
	accounts, err := store.CancelMove(ctx, string(m.to), m.cfg.SecretKey)
	if err != nil {
		return err
	}
	if m.json {
		return printJSON(m.out, struct {
			Database string          `json:"database"`
			Canceled []event.Account `json:"canceled"`
		}{m.to.String(), append([]event.Account{}, accounts...)})
	}
	if len(accounts) == 0 {
		_, err = fmt.Fprintf(m.out, "nothing is on its way into %s\n", m.to)
		return err
	}
	var names []string
	for _, a := range accounts {
		names = append(names, string(a))
	}
	_, err = fmt.Fprintf(m.out, "what had come into %s of %s is deleted; it is where it was\n", m.to, strings.Join(names, ", "))
	return err
}
