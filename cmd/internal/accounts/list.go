package accounts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// accountJSON is an account for machines.
type accountJSON struct {
	Account          event.Account    `json:"account"`
	State            string           `json:"state"` // working, stopped, paused, unwell or down; of one that stands in the database also new, parked or removed
	Stopped          time.Time        `json:"stopped,omitzero"`
	Seen             time.Time        `json:"other_bot_seen,omitzero"`
	Spared           time.Time        `json:"goes_on_until,omitzero"`
	Paused           *bot.Pauses      `json:"paused,omitempty"`
	PausedInSettings bool             `json:"paused_in_settings,omitempty"` // it is not polled either
	Stored           *storedJSON      `json:"stored,omitempty"`
	Asked            *view.AskedJSON  `json:"asked,omitempty"`
	Troubles         []record.Trouble `json:"troubles,omitempty"` // what is not well with it, as nectar status says it
}

// storedJSON is what was decided last about an account that stands in the database, for machines.
type storedJSON struct {
	State string    `json:"state"`
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since"`
	By    string    `json:"by,omitempty"`
}

// accountRow is an account as it is listed.
type accountRow struct {
	accountJSON
	why   string
	since time.Time
	by    string
}

// accountList is what a list of accounts is made of.
type accountList struct {
	*view.View
	open   view.Waiting
	known  record.Knowledge
	judged record.Judgement
	stored map[event.Account]record.StoredAccount
	worked map[event.Account]bool
}

// PrintAccounts lists accounts: one, or all with "".
func PrintAccounts(ctx context.Context, d *view.View, only event.Account) (err error) {
	l := accountList{View: d, worked: view.SetOf(d.Meant)}
	if l.open, err = d.ReadWaiting(ctx); err != nil {
		return err
	}
	if l.known, err = d.KnowledgeOfMeant(ctx); err != nil {
		return err
	}
	if l.judged, err = d.Judgement(ctx); err != nil {
		return err
	}
	accounts, err := l.all(ctx, only)
	if err != nil {
		return err
	}
	t := print.NewTable(d.Out, d.JSON, "ACCOUNT", "STATE", "SINCE", "BY", "WHY")
	for _, account := range accounts {
		row, err := l.rowOf(ctx, account)
		if err != nil {
			return err
		}
		since := ""
		if !row.since.IsZero() {
			since = print.TimeText(row.since)
		}
		t.AddRow(row.accountJSON, print.PlainText(string(account), 0), row.State, since, print.PlainText(row.by, print.MostName), row.why)
	}
	t.DropEmpty("SINCE", "BY", "WHY")
	return t.Print(d.Out, "no account has been at work on this database yet")
}

// all returns the accounts that were at work, and those of the settings and the database that never were. Of those that were taken
// out, it returns those of which something is kept.
func (l *accountList) all(ctx context.Context, only event.Account) ([]event.Account, error) {
	l.stored = map[event.Account]record.StoredAccount{}
	rows, err := l.StoredAccounts(ctx, record.StoredAccountQuery{Removed: true})
	if err != nil && !errors.Is(err, record.ErrNoAccounts) {
		return nil, err
	}
	all := slices.Clone(l.Meant)
	listed := view.SetOf(all)
	for i := range rows {
		row := &rows[i]
		l.stored[row.Account] = *row
		if !listed[row.Account] && row.State != record.AccountRemoved && (only == "" || row.Account == only) {
			all, listed[row.Account] = append(all, row.Account), true
		}
	}
	for _, account := range l.PausedInSettings {
		if !listed[account] {
			all, listed[account] = append(all, account), true
		}
	}
	for _, account := range l.judged.Names() { // one that could not begin yet was never at work
		if !listed[account] && (only == "" || account == only) {
			all = append(all, account)
		}
	}
	return all, nil
}

// rowOf returns how an account stands.
func (l *accountList) rowOf(ctx context.Context, account event.Account) (row accountRow, err error) {
	s, err := inspect.StandingOf(ctx, l.known, account)
	if err != nil {
		return row, err
	}
	asked := l.open.Find(event.Key{Account: account}, func(q *event.Request) bool { return q.Wish == event.WishResume })
	row.State, row.why, row.since = s.State, view.StandsText(account, s, time.Now()), s.Since
	row.Account, row.Stopped, row.Seen, row.Spared, row.Asked = account, s.Rivalry.Stopped.UTC(), s.Rivalry.Seen.UTC(), s.Rivalry.Spared.UTC(), asked.ForMachines()
	row.Troubles = l.judged.Of(account)
	if word := view.TroubleWord(row.Troubles); word != "" && row.State == inspect.Working { // what a person has decided, or has to, stays
		row.State, row.since, row.why = word, row.Troubles[0].Since, print.JoinTwo(view.TroublesSaid(row.Troubles), row.why)
	}
	if !s.Pauses.None() {
		row.Paused = &s.Pauses
	}
	if row.PausedInSettings = slices.Contains(l.PausedInSettings, account); row.PausedInSettings {
		row.State, row.why = inspect.Paused, print.JoinTwo("state: paused in the settings: it is not polled; with state: on, and SIGHUP or a start, it goes on", row.why)
	}
	if stored, ok := l.stored[account]; ok {
		row.store(&stored, l.worked[account])
	}
	row.why = print.JoinTwo(row.why, asked.String())
	return row, nil
}

// store says how an account stands in the database; worked reports whether it was at work.
func (row *accountRow) store(stored *record.StoredAccount, worked bool) {
	row.Stored = &storedJSON{stored.State, stored.Why, stored.At.UTC(), stored.By}
	does := map[string]string{
		config.StatePaused:    "it is not polled; nectar accounts on " + string(stored.Account) + " lets it go on",
		config.StateParked:    "given up for now; nectar accounts on " + string(stored.Account) + " lets it go on",
		record.AccountRemoved: "it was taken out, and what is kept of it stays",
	}[stored.State]
	switch {
	case does != "":
		row.State, row.since, row.by = stored.State, stored.At, stored.By
		row.why = print.JoinTwo(print.JoinTwo(print.PlainText(stored.Why, 0), does), row.why)
	case stored.Broken != nil:
		row.why = print.JoinTwo(print.PlainText(stored.Broken.Error(), 0), row.why)
	case !worked:
		row.State, row.since, row.by = unworked, stored.At, stored.By
		row.why = print.JoinTwo(print.PlainText(stored.Why, 0), "it has not been at work yet")
	}
}

// unworked is the state of an account that stands in the database, and that nobody has taken up yet.
const unworked = "new"
