package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

// What the commands have in common that look at what a bot keeps and decide about it.

const (
	defaultLimit = 20
	defaultWait  = 5 * time.Second
	answerPause  = 100 * time.Millisecond // between looks for an answer
)

// deskFlags are the flags that they share.
type deskFlags struct {
	account string
	json    bool
	private bool
	by      string // who decides; "" is the user of the machine
}

func (f *deskFlags) add(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.account, "account", "", "only this `account` (default all)")
	cmd.PersistentFlags().BoolVar(&f.json, "json", false, "print one JSON object per line")
}

// privately adds the flag that shows what people were asked to tell in private.
func (f *deskFlags) privately(cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&f.private, "private", false, "show private texts and answers, too")
}

// waitFlag adds the flag that says how long to wait for an answer.
func waitFlag(cmd *cobra.Command, wait *time.Duration) {
	*wait = defaultWait
	cmd.Flags().Var((*span)(wait), "wait", "wait so `long` for a running bot to do it; 0 does not wait")
}

// desk is a desk with the accounts that a command is about.
type desk struct {
	*store.Desk
	database   string // what it is called
	accounts   []event.Account
	configured []event.Account // those of the settings, as far as they can be read
	shelved    []event.Account // those of them that are paused there
	out        io.Writer
	json       bool
	private    bool   // private texts are shown
	by         string // who decides
	shut       string // why nothing that people said can be read; "" when it can
	close      func()
	bursts     map[burstEvent]string // turns that answered what was gathered, as far as they were read, by the ids of their triggers
}

// atDesk makes the body of a command that does something with the database of the settings.
func (sh shell) atDesk(f *deskFlags, do func(ctx context.Context, d *desk, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		d, err := sh.desk(cmd, f)
		if err != nil {
			return err
		}
		defer d.close()
		return do(cmd.Context(), d, args)
	}
}

// desk opens the database of the settings.
func (sh shell) desk(cmd *cobra.Command, f *deskFlags) (*desk, error) {
	cfg, err := sh.settingsWithoutAccounts(cmd)
	if err != nil {
		return nil, err
	}
	ctx := cmd.Context()
	d, err := openDesk(ctx, cfg, event.Account(f.account), cmd.ErrOrStderr())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !cfg.Store.OnServer():
		return nil, fmt.Errorf("NECTAR_STORE: there is no database %s yet: start the bot once, or name another file", cfg.Store)
	case err != nil:
		return nil, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	known, err := accountsAsked(ctx, d, event.Account(f.account))
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	configured := configuredAccounts(ctx, cfg, d)
	shelved, _ := cfg.PausedAccounts() // as well
	shelved = slices.DeleteFunc(shelved, func(a event.Account) bool { return f.account != "" && string(a) != f.account })
	shut := ""
	if d.Closed() {
		shut = "what people said is encrypted, and NECTAR_SECRET_KEY " + map[bool]string{true: "is not set", false: "is another one"}[cfg.SecretKey == ""]
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nectar: %s: it is shown as (sealed)\n", shut)
	}
	return &desk{
		Desk: d, database: cfg.Store.String(), accounts: known, configured: configured, shelved: shelved, out: cmd.OutOrStdout(), json: f.json, private: f.private, shut: shut, by: decider(sh, f.by),
		close: func() { _ = d.Close() }, // all that was asked for is stored
	}, nil
}

// configuredAccounts returns the accounts of the settings, as far as they can be read: nectar run says what is wrong with them.
func configuredAccounts(ctx context.Context, cfg config.Config, d *store.Desk) (all []event.Account) {
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

// accountsAsked returns the accounts that a command is about: one, or all for "".
func accountsAsked(ctx context.Context, d *store.Desk, name event.Account) ([]event.Account, error) {
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
		err = &exitError{exitUsage, fmt.Errorf("no account %q has been at work on this database; there %s", name, theseAre(all))}
	}
	return all, err
}

// print prints a list; which account something belongs to only matters where there are several.
func (d *desk) print(t *table, none string) error {
	if len(d.accounts) < 2 {
		t.drop("ACCOUNT")
	}
	return t.print(d.out, none)
}

// mostAccounts is how many accounts are named in a line.
const mostAccounts = 20

// theseAre names accounts, after "there".
func theseAre(accounts []event.Account) string {
	switch len(accounts) {
	case 0:
		return "is none yet"
	case 1:
		return fmt.Sprintf("is only %q", accounts[0])
	}
	names := accountStrings(accounts[:min(len(accounts), mostAccounts)])
	more := ""
	if n := len(accounts) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more; nectar accounts lists them", n)
	}
	return "are " + strings.Join(names, ", ") + more
}

// find returns the conversation that a person means by @name or a number.
func (d *desk) find(ctx context.Context, text string) (event.Key, error) {
	if isOwn(text) {
		return event.Key{}, errOwn
	}
	those, err := d.those(ctx, text)
	if err != nil {
		return event.Key{}, err
	}
	var found []event.Key
	for _, account := range those {
		keys, err := d.findIn(ctx, account, text)
		if err != nil {
			return event.Key{}, err
		}
		found = append(found, keys...)
	}
	return pick(found, text)
}

// pick returns the one conversation of those that a text may mean.
func pick(found []event.Key, text string) (event.Key, error) {
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

func (d *desk) findIn(ctx context.Context, account event.Account, text string) ([]event.Key, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		peers, err := d.PeersNamed(ctx, account, strings.TrimPrefix(text, "@"))
		keys := make([]event.Key, len(peers))
		for i, p := range peers {
			keys[i] = event.Key{Account: account, Peer: p.ID}
		}
		return keys, err
	}
	peer := platform.UserID(number)
	rows, err := d.Conversations(ctx, account, []platform.UserID{peer})
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		return []event.Key{{Account: account, Peer: peer}}, nil
	}
	events, err := d.Events(ctx, record.EventQuery{Account: account, Peer: peer, Limit: 1})
	if err != nil {
		return nil, err
	}
	actions, err := d.Actions(ctx, record.ActionQuery{Account: account, Peer: peer, Limit: 1})
	if err != nil || len(events)+len(actions) == 0 {
		return nil, err
	}
	return []event.Key{{Account: account, Peer: peer}}, nil
}

// peer returns the conversation that a flag names; the zero Key for "".
func (d *desk) peer(ctx context.Context, text string) (event.Key, error) {
	if text == "" {
		return event.Key{}, nil
	}
	return d.find(ctx, text)
}

// decision is a request with what a person calls its matter.
type decision struct {
	event.Request
	about string
}

// decide asks for what a person decided, waits for the answers of a running bot, and tells them.
func (d *desk) decide(ctx context.Context, wait time.Duration, decisions []decision) error {
	requests := make([]event.Request, len(decisions))
	for i := range decisions {
		requests[i] = decisions[i].Request
		requests[i].By = d.by //mutate:ask-by
	}
	asked, err := d.Ask(ctx, requests...)
	if err != nil {
		return err
	}
	open := "asked for; it is done within about a second"
	accounts := make([]event.Account, len(requests))
	for i := range requests {
		accounts[i] = requests[i].Key.Account
	}
	running, err := d.Running(accounts...)
	switch {
	case err == nil && !running:
		open = "asked for; no bot runs on " + d.database + " at the moment: it is done when one starts"
		wait = 0
	case wait > 0:
		open = fmt.Sprintf("asked for; the bot did not get to it within %s, and does it later", wait)
	}
	enough := time.Now().Add(wait)
	vain := false
	for i, given := range decisions {
		answer, err := d.await(ctx, asked[i], enough)
		if err != nil {
			return err
		}
		vain = vain || answer.Outcome != bot.OutcomeHandled && answer.Outcome != ""
		if err := d.tell(asked[i], given.about, answer, open); err != nil {
			return err
		}
	}
	if vain {
		return &exitError{Code: exitFailed}
	}
	return nil
}

// await returns the answer to a request; the zero one when there is none by then.
func (d *desk) await(ctx context.Context, q event.Request, by time.Time) (record.Answer, error) {
	tick := time.NewTicker(answerPause)
	defer tick.Stop()
	for {
		answer, ok, err := d.Answer(ctx, q)
		if ok || err != nil || !time.Now().Before(by) {
			return answer, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return record.Answer{}, nil // interrupted: it waits
		}
	}
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

// tell says what became of a request.
func (d *desk) tell(q event.Request, about string, a record.Answer, open string) error {
	waits := a.Outcome == ""
	if waits {
		a.Outcome, a.Note = "waiting", open
	}
	if d.json {
		return printLine(d.out, decisionJSON{q.Key.Account, q.Key.Peer, q.Wish, about, a.Outcome, a.Note})
	}
	line := plain(a.Note, 0)
	if !q.Until.IsZero() { // notes have the time of everywhere
		line = strings.Replace(line, q.Until.UTC().Format(time.RFC3339), when(q.Until), 1)
	}
	if about = plain(about, 0); waits || !strings.Contains(line, about) { // a number may stand in the file's name
		line = about + ": " + line
	}
	_, err := fmt.Fprintln(d.out, line)
	return err
}
