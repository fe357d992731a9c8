// Package view reads what a bot keeps, says what it means, and asks the bot for what a person decides about it.
package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/platform"
)

// What the commands have in common that look at what a bot keeps and decide about it.

// How many rows are shown, and how long an answer is waited for, where nobody says so.
const (
	DefaultLimit = 20
	DefaultWait  = 5 * time.Second
)

// Flags are the flags that they share.
type Flags struct {
	Account string
	JSON    bool
	Private bool
	By      string // who decides; "" is the user of the machine
}

// View is an inspector with the accounts that a command is about.
type View struct {
	inspect.Inspector
	Database         string // what it is called
	Meant            []event.Account
	Configured       []event.Account // those of the settings, as far as they can be read
	PausedInSettings []event.Account // those of them that are paused there
	Out              io.Writer
	JSON             bool
	Private          bool   // private texts are shown
	By               string // who decides
	Shut             string // why nothing that people said can be read; "" when it can
	Done             func()
	bursts           map[burstEvent]string // turns that answered what was gathered, as far as they were read, by the ids of their triggers
}

// ConfiguredAccounts returns the accounts of the settings, as far as they can be read: nectar run says what is wrong with them.
func ConfiguredAccounts(ctx context.Context, cfg config.Config, d inspect.Inspector) (all []event.Account) {
	if cfg.AccountsInStore() {
		rows, _ := d.StoredAccounts(ctx, record.StoredAccountQuery{Bare: true}) // as well
		for i := range rows {
			all = append(all, rows[i].Account)
		}
		return all
	}
	folders, _ := cfg.RuleFolders()
	for _, f := range folders {
		all = append(all, f.Accounts...)
	}
	return all
}

// AccountsAsked returns the accounts that a command is about: one, or all for "".
func AccountsAsked(ctx context.Context, d inspect.Inspector, name event.Account) ([]event.Account, error) {
	if name != "" {
		if known, err := d.Knows(ctx, name); known || err != nil {
			return []event.Account{name}, err
		}
		stored, err := d.StoredAccounts(ctx, record.StoredAccountQuery{Accounts: []event.Account{name}, Bare: true})
		if err == nil && len(stored) > 0 {
			return nil, nil // it was not at work yet
		}
	}
	all, err := d.Accounts(ctx)
	if err == nil && name != "" {
		err = &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("no account %q has been at work on this database; there %s", name, TheseAre(all))}
	}
	return all, err
}

// print prints a list; which account something belongs to only matters where there are several.
func (v *View) print(t *print.Table, none string) error {
	if len(v.Meant) < 2 {
		t.DropColumn("ACCOUNT")
	}
	return t.Print(v.Out, none)
}

// newTable makes a table of a list, for whom the flags say.
func (v *View) newTable(head ...string) *print.Table { return print.NewTable(v.Out, v.JSON, head...) }

// TheseAre names accounts, after "there".
func TheseAre(accounts []event.Account) string {
	switch len(accounts) {
	case 0:
		return "is none yet"
	case 1:
		return fmt.Sprintf("is only %q", accounts[0])
	}
	names := sources.AccountStrings(accounts[:min(len(accounts), sources.MostAccounts)])
	more := ""
	if n := len(accounts) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more; nectar accounts lists them", n)
	}
	return "are " + strings.Join(names, ", ") + more
}

// Find returns the conversation that a person means by @name or a number.
func (v *View) Find(ctx context.Context, text string) (event.Key, error) {
	if isOwn(text) {
		return event.Key{}, errOwn
	}
	found, err := v.findKeys(ctx, v.Meant, text)
	if err != nil {
		return event.Key{}, err
	}
	return pickOne(found, text)
}

// findKeys returns the conversations of accounts that a text may mean.
func (v *View) findKeys(ctx context.Context, accounts []event.Account, text string) ([]event.Key, error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	key, err := inspect.Find(ctx, v.Inspector, text, accounts...)
	if unclear := (*inspect.PersonError)(nil); errors.As(err, &unclear) {
		return unclear.Found, nil
	} else if err != nil {
		return nil, err
	}
	return []event.Key{key}, nil
}

// pickOne returns the one conversation of those that a text may mean.
func pickOne(found []event.Key, text string) (event.Key, error) {
	switch len(found) {
	case 0:
		return event.Key{}, fmt.Errorf("nobody is known as %q: write a user name like @ana, or a number as nectar conversations shows it", text)
	case 1:
		return found[0], nil
	}
	if found[0].Account != found[1].Account {
		return event.Key{}, fmt.Errorf("%q deals with several accounts: say which one, with --account %s", text, found[0].Account)
	}
	return event.Key{}, fmt.Errorf("several people were %q: write a number instead, like %d", text, found[0].Peer)
}

// peerKey returns the conversation that a flag names; the zero Key for "".
func (v *View) peerKey(ctx context.Context, text string) (event.Key, error) {
	if text == "" {
		return event.Key{}, nil
	}
	return v.Find(ctx, text)
}

// Decision is a request with what a person calls its matter.
type Decision struct {
	event.Request
	About string
}

// AskDecisions asks for what a person decided, waits for the answers of a running bot, and tells them.
func (v *View) AskDecisions(ctx context.Context, wait time.Duration, decisions []Decision) error {
	requests := make([]event.Request, len(decisions))
	for i := range decisions {
		requests[i] = decisions[i].Request
	}
	asked, running, err := inspect.Decide(ctx, v.Inspector, v.By, requests...)
	if err != nil {
		return err
	}
	open := "asked for; it is done within about a second"
	switch {
	case !running:
		open = "asked for; no bot runs on " + v.Database + " at the moment: it is done when one starts"
		wait = 0
	case wait > 0:
		open = fmt.Sprintf("asked for; the bot did not get to it within %s, and does it later", wait)
		if decisions[0].Wish == event.WishForget { //mutate:forget-goes-on
			open = fmt.Sprintf("asked for; the bot was not through with it within %s, and goes on with it beside its work until nothing is left; nectar forget shows what is", wait)
		}
	}
	// One deadline for all of them: a hundred decisions must not wait a hundred times.
	enough := time.Now().Add(wait)
	vain := false
	for i, given := range decisions {
		answer, _, err := inspect.Await(ctx, v.Inspector, asked[i], enough)
		if err != nil {
			return err
		}
		vain = vain || answer.Outcome != bot.OutcomeHandled && answer.Outcome != ""
		if err := v.tellRequest(asked[i], given.About, answer, open); err != nil {
			return err
		}
	}
	if vain {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}

// decisionJSON is a decision for machines. Outcome is "waiting" while the bot has not got to it.
type decisionJSON struct {
	Account event.Account   `json:"account"`
	Peer    platform.UserID `json:"peer"`
	Wish    event.Wish      `json:"wish"`
	About   string          `json:"about"`
	Outcome string          `json:"outcome"`
	Note    string          `json:"note"`
}

// tellRequest says what became of a request.
func (v *View) tellRequest(q event.Request, about string, a record.Answer, open string) error {
	waits := a.Outcome == ""
	if waits {
		a.Outcome, a.Note = "waiting", open
	}
	if v.JSON {
		return print.WriteLine(v.Out, decisionJSON{q.Key.Account, q.Key.Peer, q.Wish, about, a.Outcome, a.Note})
	}
	line := print.PlainText(a.Note, 0)
	if !q.Until.IsZero() { // notes have the time of everywhere
		line = strings.Replace(line, q.Until.UTC().Format(time.RFC3339), print.TimeText(q.Until), 1)
	}
	if about = print.PlainText(about, 0); waits || !strings.Contains(line, about) { // a number may stand in the file's name
		line = about + ": " + line
	}
	return print.SayLine(v.Out, "%s", line)
}

// Most accounts have nothing of what somebody asks for: which have is asked once for all of them, and then those few are read
// as one account is.

// AmongMeant returns those of the accounts that have one of some things.
func (v *View) AmongMeant(ctx context.Context, things ...record.Having) ([]event.Account, error) {
	return v.Among(ctx, v.Meant, things...)
}

// KnowledgeOfMeant reads how all accounts stand: what is paused on them, and whether another bot was seen.
func (v *View) KnowledgeOfMeant(ctx context.Context) (record.Knowledge, error) {
	return v.Knowledge(ctx, v.Meant)
}

// FewAccounts are looked at one after the other, also when they have much.
const FewAccounts = 32

// farOff is later than anything that has happened.
var farOff = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// newestOf returns what look finds of the accounts, in their order, as far as some of it may be among so many of the newest of all
// of them. The query says what is looked for, at when something was.
func newestOf[R any](ctx context.Context, d *View, q record.EventQuery, at func(*R) time.Time, look func(event.Account) ([]R, error)) ([]R, error) {
	heads := make([]record.Head, len(d.Meant))
	for i, a := range d.Meant {
		heads[i] = record.Head{Account: a, Newest: farOff}
	}
	if len(heads) > FewAccounts {
		var err error
		if heads, err = d.Heads(ctx, d.Meant, q); err != nil {
			return nil, err
		}
	}
	found := map[event.Account][]R{}
	var latest []time.Time // of what was found, the newest first
	for _, h := range heads {
		if len(latest) >= q.Limit && latest[q.Limit-1].After(h.Newest) {
			break
		}
		rows, err := look(h.Account)
		if err != nil {
			return nil, err
		}
		found[h.Account] = rows
		for i := range rows {
			latest = append(latest, at(&rows[i]))
		}
		slices.SortFunc(latest, func(a, b time.Time) int { return b.Compare(a) })
		latest = latest[:min(len(latest), q.Limit)]
	}
	var all []R
	for _, a := range d.Meant {
		all = append(all, found[a]...)
	}
	return all, nil
}

// badCursor makes a mistake of the command line of a cursor that is none of the list.
func badCursor(err error) error {
	if errors.Is(err, inspect.ErrCursor) {
		return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("--cursor: %w", err)}
	}
	return err
}

// tellNext says where a list goes on, to the person who turns its pages.
func (v *View) tellNext(next inspect.Cursor) error {
	if next == "" {
		return nil
	}
	return print.SayLine(v.Out, "\nit goes on: --cursor %s", next)
}

// OpenInspector opens the database of the settings for looking at an account, or at all for "".
func OpenInspector(ctx context.Context, cfg config.Config, account event.Account, stderr io.Writer) (inspect.Inspector, error) {
	d, err := inspect.Open(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return nil, err
	}
	if err := tellMoved(ctx, d, account, stderr); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// tellMoved says that what a database tells is not what is so now: it has gone elsewhere, or has not arrived as a whole. That an
// account has gone that is asked for is an error.
func tellMoved(ctx context.Context, d inspect.Inspector, account event.Account, stderr io.Writer) error {
	gone, err := d.Gone(ctx)
	if err != nil {
		return err
	}
	said := d.Arriving(ctx)
	if said != nil && !errors.As(said, new(*record.ArrivingError)) {
		return said
	}
	all, isWhole := gone[""]
	switch moved := gone[account]; {
	case isWhole:
		said = all
	case moved != nil:
		return moved
	}
	if said != nil {
		_, err = fmt.Fprintf(stderr, "nectar: NECTAR_STORE: %s\n", said)
	}
	return err
}
