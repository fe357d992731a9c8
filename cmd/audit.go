package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
although it should. It sends nothing to anybody. Reading messages may mark them as
seen on the owner's phone; a running bot may then answer up to half a minute later.

While the bot runs, the audit borrows the bot's session and stores nothing. When no
bot runs it has the database for itself: it brings it up to date, stores sessions
that it renews, and no bot can start on it before the audit has ended.

It reads five pages a second, whatever the platform could take, and at most 1,000
chats of the list in which something happened: these take about three and a half
minutes. Chats in which the bot wrote, and which it has not read so, are read beside
it: 20,000 people that it answered take about 70 minutes. A shorter --since or one
--account takes less. Where it stands, and how long it will still take, it says on
the way.

Where the account has campaigns, its own page is read, too: 400 posts of it. What the book
says was reposted and the page does not show is missing; a repost that no campaign has
made is told.

What was there before the bot's first start is its backlog, and not missing. The
bot has to have polled for a quarter of an hour after something came, before it
counts as missing.

With --repair the bot is asked to read again what is missing: the cursors that have
passed it are set back, and what the bot does not know is handled, once. Without a
running bot it is done when one starts. To ask twice changes nothing.

Exit status: 0 nothing is missing; 1 something is, the platform refused to show a
chat, or nothing could be compared; 2 wrong settings.`

type auditFlags struct {
	account string
	since   time.Duration
	json    bool
	repair  bool
}

func newAudit(sh shell) *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "Read the platform back and count what the bot missed",
		Long:    auditHelp,
		Example: "  nectar audit\n  nectar audit --account shop --since 7d --json",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.settingsWithStored(cmd)
			if err != nil {
				return err
			}
			return runAudit(cmd, cfg, flags)
		},
	}
	cmd.Flags().StringVar(&flags.account, "account", "", "audit this `account` only")
	flags.since = 24 * time.Hour
	cmd.Flags().Var((*span)(&flags.since), "since", "how far to look back, a `time` like 24h or 7d; 0 for the beginning")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&flags.repair, "repair", false, "let the bot read again what is missing")
	return cmd
}

// audited is what an audit of all accounts found.
type audited struct {
	OK       bool           `json:"ok"`
	Accounts []audit.Report `json:"accounts"`
	Reposts  []*repostAudit `json:"reposts,omitempty"` // of accounts with campaigns
	Repair   *repair        `json:"repair,omitempty"`  // with --repair
}

func runAudit(cmd *cobra.Command, cfg config.Config, flags auditFlags) error {
	ctx := cmd.Context()
	accounts, err := auditedAccounts(cfg, event.Account(flags.account))
	if err != nil {
		return err
	}
	show := newProgress(cmd.ErrOrStderr())
	found, err := auditAll(ctx, cfg, accounts, flags, show)
	show.end()
	if err != nil {
		return err
	}
	if flags.repair {
		if found.Repair, err = repairs(ctx, string(cfg.Store), cfg.SecretKey, found.Accounts); err != nil {
			return fmt.Errorf("ask the bot to read again what is missing: %w", err)
		}
	}
	if flags.json {
		err = printJSON(cmd.OutOrStdout(), found)
	} else {
		found.print(cmd.OutOrStdout())
		if found.Repair != nil {
			found.Repair.print(cmd.OutOrStdout(), cfg.Store.String())
		}
	}
	if err == nil && !found.OK {
		err = &exitError{Code: exitFailed}
	}
	return err
}

// auditAll audits accounts, with what the bot has stored.
func auditAll(ctx context.Context, cfg config.Config, accounts []config.Account, flags auditFlags, show *progress) (audited, error) {
	found := audited{OK: true}
	books, err := openBooks(ctx, cfg)
	if err != nil {
		return found, err
	}
	defer func() { _ = books.close() }() // what the broker stored is committed
	since := time.Time{}
	if flags.since > 0 {
		since = time.Now().Add(-flags.since)
	}
	for _, a := range accounts {
		report, reposts, err := books.audit(ctx, a, since, show.say)
		if err != nil {
			return found, fmt.Errorf("audit account %s: %w", a.Name, err)
		}
		found.Accounts = append(found.Accounts, report)
		found.OK = found.OK && report.OK()
		if reposts != nil {
			found.Reposts = append(found.Reposts, reposts)
			found.OK = found.OK && reposts.OK()
		}
	}
	return found, nil
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
	own    *store.Database // nil while a bot runs on it
}

// openBooks opens the store, next to the running bot if there is one.
func openBooks(ctx context.Context, cfg config.Config) (*books, error) {
	if !hasDatabase(ctx, cfg) {
		return nil, fmt.Errorf("there is no database %s yet: run the bot first", cfg.Store)
	}
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if err == nil {
		return &books{cfg: cfg, reader: st.Reader, own: st}, nil
	}
	if !errors.Is(err, store.ErrInUse) {
		return nil, err
	}
	reader, err := store.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
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
func (b *books) audit(ctx context.Context, a config.Account, since time.Time, say func(string)) (audit.Report, *repostAudit, error) {
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	client, err := platform.New(platform.Config{
		BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP, Transport: transport, MaxList: int64(b.cfg.ListLimit),
	})
	if err != nil {
		return audit.Report{}, nil, err
	}
	cfg := audit.Config{Account: a.Name, Store: b.reader, Since: since, Progress: say}
	if b.own == nil {
		stored := func(ctx context.Context) (session.Kept, error) {
			return b.reader.Session(ctx, a.Name)
		}
		kept, err := stored(ctx)
		if err != nil {
			return audit.Report{}, nil, err
		}
		cfg.Client = client.WithSession(&borrowed{stored, client})
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
func (b *books) run(ctx context.Context, account event.Account, cfg audit.Config) (audit.Report, *repostAudit, error) {
	report, err := audit.Run(ctx, cfg)
	if err != nil {
		return report, nil, err
	}
	reposts, err := b.reposts(ctx, account, &cfg)
	return report, reposts, err
}

const idsShown = 10 // of the missing events of a conversation

// print says what was found, in words for a person.
func (f *audited) print(w io.Writer) {
	for i := range f.Accounts {
		printReport(w, &f.Accounts[i])
	}
	for _, r := range f.Reposts {
		r.print(w)
	}
	var total audit.Count
	unread, compared, whole := 0, 0, true
	for _, r := range f.Accounts {
		total.Missing += r.Total.Missing
		total.Unshown += r.Total.Unshown
		unread += r.Unread
		compared += r.Compared
		whole = whole && len(r.Notes) == 0
	}
	say := sayTo(w)
	if total.Missing > 0 {
		say("%d missing: the platform shows them, and the bot does not know them. Answer these people by hand, or let the bot do it:", total.Missing)
		say("nectar audit --repair. If it runs, look in its log for sources that have gone deaf.")
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
	say := sayTo(w)
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
