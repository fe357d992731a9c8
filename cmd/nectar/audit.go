package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/spf13/cobra"
)

const auditHelp = `Audit reads notifications, chats and messages back from the platform, and compares
them with what the bot has stored: what it saw, handled, and does not know
although it should. It works while the bot runs, with the bot's own session, and
sends nothing. Reading messages may mark them as seen on the owner's phone; a
running bot may then answer up to half a minute later.

What was there before the bot's first start is its backlog, and not missing. The
bot has to have polled for a quarter of an hour after something came, before it
counts as missing.

Exit status: 0 nothing is missing, 1 something is, 2 wrong settings.`

type auditFlags struct {
	account string
	since   time.Duration
	json    bool
}

func newAudit(sh shell) *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "Read the platform back and count what the bot missed",
		Long:    auditHelp,
		Example: "  nectar audit\n  nectar audit --account shop --since 168h --json",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.settings(cmd)
			if err != nil {
				return err
			}
			return runAudit(cmd, cfg, flags)
		},
	}
	cmd.Flags().StringVar(&flags.account, "account", "", "audit this `account` only")
	cmd.Flags().DurationVar(&flags.since, "since", 24*time.Hour, "how far to look back; 0 for the beginning")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object")
	return cmd
}

// audited is what an audit of all accounts found.
type audited struct {
	OK       bool           `json:"ok"`
	Accounts []audit.Report `json:"accounts"`
}

func runAudit(cmd *cobra.Command, cfg config.Config, flags auditFlags) error {
	ctx := cmd.Context()
	accounts, err := auditedAccounts(cfg, event.Account(flags.account))
	if err != nil {
		return err
	}
	books, err := openBooks(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = books.close() }() // nothing was written
	since := time.Time{}
	if flags.since > 0 {
		since = time.Now().Add(-flags.since)
	}
	show := newProgress(cmd.ErrOrStderr())
	found := audited{OK: true}
	for _, a := range accounts {
		report, err := books.audit(ctx, a, since, show.say)
		if err != nil {
			show.end()
			return fmt.Errorf("audit account %s: %w", a.Name, err)
		}
		found.Accounts = append(found.Accounts, report)
		found.OK = found.OK && report.OK()
	}
	show.end()
	if flags.json {
		err = printJSON(cmd.OutOrStdout(), found)
	} else {
		found.print(cmd.OutOrStdout())
	}
	if err == nil && !found.OK {
		err = &exitError{Code: exitFailed}
	}
	return err
}

// auditedAccounts returns the account of that name, or all for "".
func auditedAccounts(cfg config.Config, name event.Account) ([]config.Account, error) {
	if name == "" {
		return cfg.Accounts, nil
	}
	var names []string
	for _, a := range cfg.Accounts {
		if a.Name == name {
			return []config.Account{a}, nil
		}
		names = append(names, string(a.Name))
	}
	return nil, &exitError{exitUsage, fmt.Errorf("there is no account %q: the settings have %s", name, strings.Join(names, ", "))}
}

// books are what the bot has stored.
type books struct {
	cfg    config.Config
	reader *store.Reader
	own    *store.SQLite // nil while a bot runs on it
}

// openBooks opens the store, next to the running bot if there is one.
func openBooks(ctx context.Context, cfg config.Config) (*books, error) {
	if _, err := os.Stat(string(cfg.Store)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database %s yet: run the bot first", cfg.Store)
	}
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if err == nil {
		return &books{cfg: cfg, reader: st.Reader, own: st}, nil
	}
	if !errors.Is(err, store.ErrInUse) {
		return nil, err
	}
	reader, err := store.OpenReader(ctx, string(cfg.Store))
	if err != nil {
		return nil, err
	}
	return &books{cfg: cfg, reader: reader}, nil
}

func (b *books) close() error {
	if b.own != nil {
		return b.own.Close()
	}
	return b.reader.Close()
}

// audit audits one account.
func (b *books) audit(ctx context.Context, a config.Account, since time.Time, say func(string)) (audit.Report, error) {
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	client, err := platform.New(platform.Config{BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP, Transport: transport})
	if err != nil {
		return audit.Report{}, err
	}
	cfg := audit.Config{Account: a.Name, Store: b.reader, Since: since, Progress: say}
	if b.own == nil {
		kept, err := b.reader.Session(ctx, a.Name, b.cfg.SecretKey)
		if err != nil {
			return audit.Report{}, err
		}
		cfg.Client = client.WithSession(borrowed{kept})
		cfg.Me = func(context.Context) (platform.UserID, error) { return kept.User, nil }
		return audit.Run(ctx, cfg)
	}
	broker := session.New(session.Config{
		Account: string(a.Name), Client: client, Credentials: a.Bot().Credentials, Keeper: b.own.Keeper(a.Name),
	})
	cfg.Client, cfg.Me = client.WithSession(broker), broker.Me
	report, err := audit.Run(ctx, cfg)
	return report, errors.Join(err, broker.Wait(ctx))
}

// borrowed is the session of the running bot. It is the bot that renews it: to do so here would end the
// bot's own.
type borrowed struct{ session.Kept }

var errBorrowed = errors.New("the running bot's session is not valid now: it renews it by itself, so try again in a minute; " +
	"if that does not help, see its log, or stop it and run the audit again")

// SessionID implements platform.Authorizer.
func (b borrowed) SessionID(context.Context) (platform.Secret, error) {
	if b.Kept.SessionID == "" {
		return "", errBorrowed
	}
	return b.Kept.SessionID, nil
}

// Rejected implements platform.Authorizer.
func (borrowed) Rejected(_ context.Context, _ platform.Secret, why *platform.Refused) (bool, error) {
	if errors.Is(why, platform.ErrUnauthorized) {
		return false, errBorrowed
	}
	return false, nil // it may be about something else
}

const idsShown = 10 // of the missing events of a conversation

// print says what was found, in words for a person.
func (f *audited) print(w io.Writer) {
	for i := range f.Accounts {
		printReport(w, &f.Accounts[i])
	}
	var total audit.Count
	for _, r := range f.Accounts {
		total.Missing += r.Total.Missing
		total.Unshown += r.Total.Unshown
	}
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	if total.Missing > 0 {
		say("%d missing: the platform shows them, and the bot does not know them. Answer these people by hand. If the bot runs,", total.Missing)
		say("look in its log for sources that have gone deaf; a restart makes it read its chats anew.")
	}
	if total.Unshown > 0 {
		say("%d messages of the bot arrived and are not shown any more: somebody deleted them, or cleared the chat.", total.Unshown)
	}
	if f.OK {
		say("nothing is missing")
	}
}

func printReport(w io.Writer, r *audit.Report) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	say("account %s, %s", r.Account, since(r.Since))
	c := &r.Total
	say("  events: %d seen, %d handled, %d pending, %d quarantined, %d not read yet, %d missing",
		c.Seen, c.Handled, c.Pending, c.Quarantined, c.Ahead, c.Missing)
	say("  own messages: %d of the bot, %d of a person, %d not settled, %d not shown any more", c.Sent, c.Person, c.Unsure, c.Unshown)
	for _, c := range r.Conversations {
		if c.Missing+c.Unshown+c.Pending+c.Quarantined == 0 {
			break // the worst come first
		}
		say("  with %d %s: %d missing of %d, %d pending, %d quarantined, %d replies not shown",
			c.Peer, c.Name, c.Missing, c.Seen, c.Pending, c.Quarantined, c.Unshown)
		if c.Missing > 0 {
			say("    missing: %s", shortened(c.MissingEvents))
		}
		if c.Unshown > 0 {
			say("    not shown any more: %s", shortened(c.UnshownActions))
		}
	}
	for _, n := range r.Notes {
		say("  note: %s", n)
	}
	say("")
}

func since(at time.Time) string {
	if at.IsZero() {
		return "from its beginning"
	}
	return "since " + at.Format(time.DateTime)
}

func shortened(ids []string) string {
	if n := len(ids) - idsShown; n > 0 {
		return fmt.Sprintf("%s and %d more (--json has all)", strings.Join(ids[:idsShown], " "), n)
	}
	return strings.Join(ids, " ")
}
