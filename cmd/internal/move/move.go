// Package move carries what a bot keeps from one database into another.
package move

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Moving moves memories.
type Moving struct {
	Accounts []string
	Dry      bool
	JSON     bool
	Cancel   bool
	from     []config.StoreFile
	to       config.StoreFile
	cfg      config.Config
	Out      io.Writer
	Progress *print.Progress
	began    time.Time
	By       string

	carried, unstored []string // accounts that stand in a database: that went along, and that cannot
}

// NamedPlaces makes sure that there are enough databases.
func NamedPlaces(m *Moving, args []string) error {
	switch {
	case m.Cancel && len(args) > 1:
		return errors.New("--cancel is about one database")
	case m.Cancel && (m.Dry || len(m.Accounts) > 0):
		return errors.New("--cancel is about all that was interrupted: it goes with neither --account nor --dry-run")
	case !m.Cancel && len(args) == 0:
		return errors.New("nothing is named that is to be moved, such as sqlite:nectar.db")
	}
	return nil
}

// Read reads which databases are named. No error repeats them: they may hold passwords.
func (m *Moving) Read(cfg config.Config, args []string) error {
	m.cfg, m.to = cfg, cfg.Store
	named := make([]config.StoreFile, len(args))
	for i, arg := range args {
		if err := named[i].UnmarshalText([]byte(arg)); err != nil {
			return fmt.Errorf("database %d of the command line: it %w; write it as in NECTAR_STORE: sqlite:nectar.db or postgres://nectar@db.example/nectar", i+1, err)
		}
	}
	switch last := len(named) - 1; {
	case m.Cancel && last == 0, last > 0:
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

// Run carries everything, or looks what it would be, and says what came of it.
func (m *Moving) Run(ctx context.Context) error {
	o := record.MoveOptions{To: string(m.to), Key: m.cfg.SecretKey, Dry: m.Dry, Say: m.say}
	for _, f := range m.from {
		o.From = append(o.From, string(f))
	}
	for _, a := range m.Accounts {
		o.Accounts = append(o.Accounts, event.Account(a))
	}
	m.began = time.Now()
	moved, err := admin.Move(ctx, o)
	m.Progress.End()
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("it was interrupted, and goes on where it stopped when you run it again: %w", context.Cause(ctx))
	case err != nil:
		return err
	}
	if err := m.carryStored(ctx, &moved); err != nil {
		return err
	}
	if m.JSON {
		return m.printJSON(&moved)
	}
	return m.print(&moved)
}

// say shows how far it is.
func (m *Moving) say(at record.MoveProgress) {
	percent := 100 * (at.Done + at.Checked) / max(2*at.All, 1)
	m.Progress.ShowStep(fmt.Sprintf("%s: %d of %d rows are there, %d are compared (%d%%)", at.Account, min(at.Done, at.All), at.All, min(at.Checked, at.All), min(percent, 100)))
}

// CallOff takes away what was interrupted.
func (m *Moving) CallOff(ctx context.Context) error {
	accounts, err := admin.CancelMove(ctx, string(m.to), m.cfg.SecretKey)
	if err != nil {
		return err
	}
	if m.JSON {
		return print.WriteJSON(m.Out, struct {
			Database string          `json:"database"`
			Canceled []event.Account `json:"canceled"`
		}{m.to.String(), append([]event.Account{}, accounts...)})
	}
	if len(accounts) == 0 {
		return print.SayLine(m.Out, "nothing is on its way into %s", m.to)
	}
	var names []string
	for _, a := range accounts {
		names = append(names, string(a))
	}
	return print.SayLine(m.Out, "what had come into %s of %s is deleted; it is where it was", m.to, strings.Join(names, ", "))
}
