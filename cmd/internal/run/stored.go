package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// storedLook is how often a worker looks whether accounts of the database have changed: that is a number.
const storedLook = time.Second

// storedAccounts are the accounts of the database, as they were read last.
type storedAccounts struct {
	rows   map[event.Account]*storedRow
	seen   int64                    // the number of the last change that was read
	with   map[string]string        // what the rows were checked with
	told   map[event.Account]string // why one is not served, as it was said
	lost   string                   // why nothing can be read, or taken over, as it was said
	behind bool                     // what was read is not taken over
	again  time.Time                // when what is not served, or not taken over, is tried again
}

// storedRow is an account of the database, with what is wrong with it. Each worker has all of them, so that they are kept small.
type storedRow struct {
	*record.StoredAccount // as it was read; nil when it is made
	account               config.Account
	wrong                 error
}

// made returns an account of the database as the settings have it. What has not changed is not checked again.
func (s *storedAccounts) made(cfg *config.Config, name event.Account) (config.Account, error) {
	row := s.rows[name]
	if row.StoredAccount != nil {
		e, err := cfg.Stored(*row.StoredAccount)
		row.StoredAccount, row.account, row.wrong = nil, e.Account, err
		row.account.BaseURL = unique.Make(row.account.BaseURL).Value() // many have these alike
		row.account.Rules = unique.Make(row.account.Rules).Value()
	}
	return row.account, row.wrong
}

// read reads what has changed; false when nothing has.
func (s *storedAccounts) read(ctx context.Context, st bot.Store) (bool, error) {
	number, err := inspect.Of(st).AccountChanges(ctx)
	if err != nil || number == s.seen && s.rows != nil {
		return false, err
	}
	if s.rows == nil || number < s.seen { // a copy of the database has taken its place
		s.rows, s.seen = map[event.Account]*storedRow{}, 0
	}
	rows, err := inspect.Of(st).StoredAccounts(ctx, record.StoredAccountQuery{Since: s.seen, Removed: true})
	if err != nil {
		return false, err
	}
	for i := range rows {
		if rows[i].State == record.AccountRemoved {
			delete(s.rows, rows[i].Account)
		} else {
			s.rows[rows[i].Account] = &storedRow{StoredAccount: &rows[i]}
		}
	}
	s.seen = number
	return true, nil
}

// beginStored reads the accounts for the first time with a lease.
func (r *Reloader) beginStored(ctx context.Context) error {
	r.have = map[event.Account]config.Account{}
	next, err := r.withStored(ctx, r.wanted)
	if err != nil {
		return err
	}
	r.wanted = next
	for _, a := range next.Serving() {
		r.have[a.Name] = a
	}
	r.tellIdle()
	return r.firstRules(ctx, r.store, next)
}

// lookStored takes over what has changed.
func (r *Reloader) lookStored(ctx context.Context) {
	changed, err := r.stored.read(ctx, r.store)
	if err != nil {
		r.stay(ctx, "accounts of the database cannot be read; trying again", err)
		return
	}
	// What could not be served may be servable without a change of its row: a key, a published set, a database that it came back to.
	unfit := r.stored.behind || len(r.stored.told) > 0
	if !changed && (!unfit || time.Now().Before(r.stored.again)) {
		return
	}
	r.stored.again = time.Now().Add(takeUpPause)
	next, err := r.withStored(ctx, r.wanted)
	if err == nil {
		err = r.findObstacles(ctx, next)
	}
	if err != nil {
		r.stored.behind = true
		r.stay(ctx, "accounts of the database have changed, and nothing is taken over yet; trying again", err)
		return
	}
	r.stored.behind, r.stored.lost = false, ""
	r.wanted = next
	if d := r.apply(ctx); !d.isEmpty() && ctx.Err() == nil {
		r.Log.InfoContext(ctx, "accounts of the database have changed: "+d.String(), d.logAttrs()...) //nolint:sloglint // it reads as a sentence
		r.tellIdle()
	}
}

// stay says why all stays as it is, once.
func (r *Reloader) stay(ctx context.Context, what string, err error) {
	if text := what + err.Error(); ctx.Err() == nil && text != r.stored.lost {
		r.stored.lost = text
		for line := range strings.Lines(err.Error()) {
			r.Log.ErrorContext(ctx, what, "problem", strings.TrimRight(line, "\n")) //nolint:sloglint // it is one of two
		}
	}
}

// withStored returns settings with the accounts of the database, where these stand there. One that cannot be served is left out, and
// told once: the others do not mind.
func (r *Reloader) withStored(ctx context.Context, next config.Config) (config.Config, error) {
	if next.AccountsInStore() != r.Began.AccountsInStore() {
		return next, errors.New("NECTAR_ACCOUNTS: whether accounts stand in the database counts from the next start")
	}
	if !next.AccountsInStore() {
		return next, nil
	}
	if !maps.Equal(next.Presets, r.stored.with) {
		// A row says only what differs from these, so all of them are checked again.
		r.stored.rows, r.stored.with = nil, next.Presets
	}
	if _, err := r.stored.read(ctx, r.store); err != nil {
		return next, err
	}
	next.Accounts = []config.Account{}
	wrong := map[event.Account]string{}
	for _, name := range slices.Sorted(maps.Keys(r.stored.rows)) {
		a, err := r.stored.made(&next, name)
		if err == nil && !a.Paused() {
			if moved := r.store.CheckAway(name); moved != nil {
				err = moved
			}
		}
		if err != nil {
			wrong[name] = err.Error()
			continue
		}
		next.Accounts = append(next.Accounts, a)
	}
	// Looked at behind the rest: an account that cannot be served anyhow need not be told to lack rules.
	if err := r.withoutRules(ctx, &next, wrong); err != nil {
		return next, err
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if wrong[name] != r.stored.told[name] {
			r.Log.ErrorContext(ctx, "an account of the database cannot be served; the others are", "account", name, "problem", strings.ReplaceAll(wrong[name], "\n", "; "))
		}
	}
	r.stored.told = wrong
	return next, nil
}

// withoutRules leaves out accounts that are not served yet, and have nothing to answer by.
func (r *Reloader) withoutRules(ctx context.Context, next *config.Config, wrong map[event.Account]string) error {
	fresh := *next
	fresh.Accounts = slices.DeleteFunc(slices.Clone(next.Accounts), func(a config.Account) bool { return r.have[a.Name] == a })
	gone, err := MayBegin(ctx, fresh, r.Starter, false)
	if err != nil {
		return err
	}
	if gone, err = withoutRules(ctx, r.store, gone); err != nil {
		return err
	}
	without := map[event.Account]bool{}
	for i := range gone {
		for _, account := range gone[i].Accounts {
			without[account], wrong[account] = true, fmt.Sprint(gone[i].why)
		}
	}
	next.Accounts = slices.DeleteFunc(next.Accounts, func(a config.Account) bool { return without[a.Name] })
	return nil
}

// isEmpty reports whether nothing differs.
func (d Difference) isEmpty() bool {
	return len(d.Came)+len(d.Gone)+len(d.Changed)+len(d.Failed)+len(d.Parked) == 0
}
