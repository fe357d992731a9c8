package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/sourcegraph/conc/pool"
)

// mostLeaving is how many accounts are given up at one time: each waits for what is under way.
const mostLeaving = 32

// Difference is how the accounts of settings differ from those that the bot has.
type Difference struct {
	Came, Changed []config.Account
	Gone          []event.Account
	Failed        []event.Account // that could not be taken up
	Parked        []event.Account // whose credentials are another person's
}

// compare returns how the accounts of settings differ from those that the bot has.
func (r *Reloader) compare(next config.Config) Difference {
	var d Difference
	there := map[event.Account]bool{}
	for _, a := range next.Serving() {
		there[a.Name] = true
		switch had, has := r.have[a.Name]; {
		case !has:
			d.Came = append(d.Came, a)
		case had != a:
			d.Changed = append(d.Changed, a)
		}
	}
	for name := range r.have {
		if !there[name] {
			d.Gone = append(d.Gone, name)
		}
	}
	slices.Sort(d.Gone)
	return d
}

// apply lets accounts come and go as the settings want it. Nothing of an account is left when others come, as another one may sign
// in as the same person; and what an account acts by is there before it comes.
func (r *Reloader) apply(ctx context.Context) Difference {
	d := r.compare(r.wanted)
	if len(d.Came)+len(d.Changed) > 0 {
		r.entrance.Open() // passwords may be right now
	}
	if r.working != nil {
		r.shareAccounts(ctx, d)
		return d
	}
	r.remove(append(namesOf(d.Changed), d.Gone...)) //nolint:contextcheck // what is under way ends as long as that takes
	r.letIn(ctx)
	for _, a := range slices.Concat(d.Changed, d.Came) {
		switch served, parked := r.add(ctx, a); {
		case parked:
			d.Parked = append(d.Parked, a.Name)
		case !served:
			d.Failed = append(d.Failed, a.Name)
		}
	}
	failed := func(a config.Account) bool {
		return slices.Contains(d.Failed, a.Name) || slices.Contains(d.Parked, a.Name)
	}
	d.Came, d.Changed = slices.DeleteFunc(d.Came, failed), slices.DeleteFunc(d.Changed, failed)
	r.announceAccounts()
	if r.failed = min(2*r.failed, longestTakeUpPause); len(d.Failed) == 0 {
		r.failed = 0
	} else {
		r.failed = cmp.Or(r.failed, takeUpPause)
	}
	return d
}

// letIn puts in force what the accounts act by that are wanted.
func (r *Reloader) letIn(ctx context.Context) {
	if r.answers == nil {
		return
	}
	accounts, own := actingAccounts(r.wanted)
	r.campaigns.SetAccounts(accounts...)
	if err := r.answers.SetAccounts(ctx, accounts, own); err != nil { // the settings have been checked
		r.Log.ErrorContext(ctx, "rules of accounts that come cannot be read", "err", err)
	}
}

// announceAccounts tells campaigns of the accounts that are there now.
func (r *Reloader) announceAccounts() {
	if r.campaigns != nil {
		accounts, _ := actingAccounts(r.wanted)
		r.campaigns.SetAccounts(accounts...)
	}
}

// remove gives accounts up.
func (r *Reloader) remove(gone []event.Account) {
	leaving := pool.New().WithMaxGoroutines(mostLeaving)
	for _, name := range gone {
		r.arrivals.ForgetAccount(name)
		delete(r.have, name)
		leaving.Go(func() { _ = r.bot.Remove(name) }) // it has gone already, or goes with the bot
	}
	leaving.Wait()
}

// add takes an account up; served is false when that failed, and parked says that it is no use to try it again as it is.
func (r *Reloader) add(ctx context.Context, a config.Account) (served, parked bool) {
	settings := a.Bot()
	if r.campaigns != nil {
		settings.Publishing = r.campaigns.Publishing(a.Name) //nolint:contextcheck // the plugin asks its store for a moment
	}
	r.arrivals.ExpectAccount(a.Name)
	err := r.bot.Add(settings) //nolint:contextcheck // its term is longer than what asks for it
	switch {
	case errors.Is(err, bot.ErrStopped):
		return true, false
	case words.AnotherText(err, &r.wanted) != "":
		r.arrivals.ForgetAccount(a.Name)
		r.have[a.Name] = a                                         // until it is another one
		r.Log.ErrorContext(ctx, words.AnotherText(err, &r.wanted)) //nolint:sloglint // it reads as a sentence
		return false, true
	case err != nil:
		r.arrivals.ForgetAccount(a.Name)
		if r.failed == 0 {
			r.Log.ErrorContext(ctx, "an account cannot be taken up; trying again", "account", a.Name, "err", err)
		}
		return false, false
	case r.failed > 0:
		r.Log.InfoContext(ctx, "the account could be taken up", "account", a.Name)
	}
	r.have[a.Name] = a
	return true, false
}

func namesOf(accounts []config.Account) []event.Account {
	all := make([]event.Account, len(accounts))
	for i := range accounts {
		all[i] = accounts[i].Name
	}
	return all
}

// String says what was done.
func (d Difference) String() string {
	if d.isEmpty() {
		return "no account came, went or changed"
	}
	var said []string
	for _, n := range []struct {
		many int
		did  string
	}{{len(d.Came), "came"}, {len(d.Gone), "went"}, {len(d.Changed), "changed"}, {len(d.Failed), "cannot be taken up yet"}, {len(d.Parked), "parked"}} {
		if n.many == 0 {
			continue
		}
		if len(said) > 0 {
			said = append(said, fmt.Sprint(n.many, " ", n.did))
			continue
		}
		said = append(said, fmt.Sprintf("%d account%s %s", n.many, map[bool]string{true: "", false: "s"}[n.many == 1], n.did))
	}
	return strings.Join(said, ", ")
}

// logAttrs names the accounts.
func (d Difference) logAttrs() (line []any) {
	for _, n := range []struct {
		did  string
		whom []event.Account
	}{{"came", namesOf(d.Came)}, {"went", d.Gone}, {"changed", namesOf(d.Changed)}, {"not_yet", d.Failed}, {"parked", d.Parked}} {
		if len(n.whom) > 0 {
			line = append(line, n.did, n.whom)
		}
	}
	return line
}
