// Package readback reads the platform back and compares it with what the bot has stored: what it missed, and what is
// not shown any more.
package readback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// AuditFlags says of what, and how far back.
type AuditFlags struct {
	Account string
	Since   time.Duration
	JSON    bool
	Repair  bool
}

// Audited is what an audit of all accounts found.
type Audited struct {
	OK       bool           `json:"ok"`
	Accounts []audit.Report `json:"accounts"`
	Reposts  []*RepostAudit `json:"reposts,omitempty"` // of accounts with campaigns
	Repair   *Repair        `json:"repair,omitempty"`  // with --repair
}

// AuditAll audits accounts, with what the bot has stored.
func AuditAll(ctx context.Context, cfg config.Config, accounts []config.Account, flags AuditFlags, show *print.Progress) (Audited, error) {
	found := Audited{OK: true}
	books, err := openBooks(ctx, cfg)
	if err != nil {
		return found, err
	}
	defer func() { _ = books.close() }() // what the broker stored is committed
	since := time.Time{}
	if flags.Since > 0 {
		since = time.Now().Add(-flags.Since)
	}
	for _, a := range accounts {
		report, reposts, err := books.audit(ctx, a, since, show.ShowStep)
		if err != nil {
			return found, fmt.Errorf("audit account %s: %w", a.Name, err)
		}
		found.Accounts = append(found.Accounts, report)
		found.OK = found.OK && report.OK()
		if reposts != nil {
			found.Reposts = append(found.Reposts, reposts)
			found.OK = found.OK && reposts.IsComplete()
		}
	}
	return found, nil
}

// AuditedAccounts returns the account of that name, or all for "".
func AuditedAccounts(cfg config.Config, name event.Account) ([]config.Account, error) {
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
	return nil, &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("there is no account %q: the settings have %s", name, strings.Join(names, ", "))}
}

// Books are what the bot has stored.
type Books struct {
	cfg    config.Config
	Reader inspect.Reader
	own    bot.Store // nil while a bot runs on it
}

// openBooks opens the store, next to the running bot if there is one.
func openBooks(ctx context.Context, cfg config.Config) (*Books, error) {
	if !cli.HasDatabase(ctx, cfg) {
		return nil, fmt.Errorf("there is no database %s yet: run the bot first", cfg.Store)
	}
	cfg.NoBot = true
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if err == nil {
		return &Books{cfg: cfg, Reader: inspect.Of(st), own: st}, nil
	}
	if !errors.Is(err, record.ErrInUse) {
		return nil, err
	}
	reader, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil, err
	}
	return &Books{cfg: cfg, Reader: reader}, nil
}

func (b *Books) close() error {
	if b.own != nil {
		return b.own.Close()
	}
	return b.Reader.Close()
}

// audit audits one account.
func (b *Books) audit(ctx context.Context, a config.Account, since time.Time, say func(string)) (audit.Report, *RepostAudit, error) {
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	client, err := platform.New(platform.Config{
		BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP, Transport: transport, MaxList: b.cfg.ListLimit,
	})
	if err != nil {
		return audit.Report{}, nil, err
	}
	cfg := audit.Config{Account: a.Name, Store: b.Reader, Since: since, Progress: say}
	if b.own == nil {
		stored := func(ctx context.Context) (session.Kept, error) {
			return b.Reader.Session(ctx, a.Name)
		}
		// A bot runs, and its session is borrowed: to renew it here would end the bot's own.
		kept, err := stored(ctx)
		if err != nil {
			return audit.Report{}, nil, err
		}
		cfg.Client = client.WithSession(&Borrowed{stored, client})
		cfg.Me = func(context.Context) (platform.UserID, error) { return kept.User, nil }
		return b.run(ctx, a.Name, cfg)
	}
	broker := session.New(session.Config{
		Account: string(a.Name), Client: client, Credentials: a.Bot().Credentials, Keeper: b.own.Keeper(a.Name),
	})
	cfg.Client, cfg.Me = client.WithSession(broker), broker.Me
	report, reposts, err := b.run(ctx, a.Name, cfg)
	return report, reposts, errors.Join(err, broker.Wait(ctx))
}

// run compares all that there is of an account.
func (b *Books) run(ctx context.Context, account event.Account, cfg audit.Config) (audit.Report, *RepostAudit, error) {
	report, err := audit.Run(ctx, cfg)
	if err != nil {
		return report, nil, err
	}
	reposts, err := b.CompareReposts(ctx, account, &cfg)
	return report, reposts, err
}

const idsShown = 10 // of the missing events of a conversation

// Print says what was found, in words for a person.
func (a *Audited) Print(w io.Writer) {
	for i := range a.Accounts {
		printReport(w, &a.Accounts[i])
	}
	for _, r := range a.Reposts {
		r.Print(w)
	}
	var total audit.Count
	unread, compared, whole := 0, 0, true
	for _, r := range a.Accounts {
		total.Missing += r.Total.Missing
		total.Unshown += r.Total.Unshown
		unread += r.Unread
		compared += r.Compared
		whole = whole && len(r.Notes) == 0
	}
	say := print.SayTo(w)
	if total.Missing > 0 {
		say("%d missing: the platform shows them, and the bot does not know them. Answer these people by hand, or let the bot do it:", total.Missing)
		say("nectar audit --repair. If it runs, look in its log for sources that are unhealthy.")
	}
	if total.Unshown > 0 {
		say("%d messages of the bot arrived and are not shown any more: somebody deleted them, or cleared the chat.", total.Unshown)
	}
	if unread > 0 {
		say("%d not read: the platform refused to show these chats. The notes say which; look at them by hand.", unread)
	}
	switch nothing := total.Missing+total.Unshown == 0; {
	case compared == 0:
		say("nothing could be compared: run the bot first, until its log says that it is at work")
	case nothing && whole:
		say("nothing is missing")
	case nothing:
		say("nothing is missing in what was read; the notes say what was not")
	}
}

func printReport(w io.Writer, r *audit.Report) {
	say := print.SayTo(w)
	say("account %s, %s", r.Account, sinceText(r.Since))
	c := &r.Total
	say("  events: %d seen, %d handled, %d pending, %d quarantined, %d not read yet, %d missing",
		c.Seen, c.Handled, c.Pending, c.Quarantined, c.Ahead, c.Missing)
	say("  own messages: %d of the bot, %d of a person, %d not reconciled, %d not shown any more", c.Sent, c.Person, c.InDoubt, c.Unshown)
	for _, c := range r.Conversations {
		if c.Missing+c.Unshown+c.Pending+c.Quarantined == 0 {
			break // the worst come first
		}
		say("  with %d %s: %d missing of %d, %d pending, %d quarantined, %d replies not shown",
			c.Peer, c.Name, c.Missing, c.Seen, c.Pending, c.Quarantined, c.Unshown)
		if c.Missing > 0 {
			say("    missing: %s", shortenIDs(c.MissingEvents))
		}
		if c.Unshown > 0 {
			say("    not shown any more: %s", shortenIDs(c.UnshownActions))
		}
	}
	for _, n := range r.Notes {
		say("  note: %s", n)
	}
	say("")
}

func sinceText(at time.Time) string {
	if at.IsZero() {
		return "from its beginning"
	}
	return "since " + at.Format(time.DateTime)
}

func shortenIDs(ids []string) string {
	if n := len(ids) - idsShown; n > 0 {
		return fmt.Sprintf("%s and %d more (--json has all)", strings.Join(ids[:idsShown], " "), n)
	}
	return strings.Join(ids, " ")
}
