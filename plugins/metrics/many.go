package metrics

import (
	"cmp"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/prometheus/client_golang/prometheus"
)

// Some twenty series of each of many thousand accounts are more than a Prometheus wants to keep. Above manyAccounts they are
// told together, and by name those alone that a person should look at.
const (
	manyAccounts = 500
	worstNamed   = 20
	lateAge      = 300 // seconds from which on what is due is late

	// together is the account label of metrics of all accounts together. No account has this name.
	together = "(all)"
)

// summedUp tells how many accounts stand together, and the worst of them each. What only grows is never told of one account:
// it would seem to begin anew whenever that is named.
func summedUp(ch chan<- prometheus.Metric, counts *bot.Counts, health []bot.Health) {
	grown(ch, counts, health)
	var all bot.AccountCounts
	phases, halted, first := map[session.Phase]int{}, 0, 0.0
	for i := range counts.Accounts {
		a := &counts.Accounts[i]
		all.InDoubt, all.Held, all.Stuck, all.Waits = all.InDoubt+a.InDoubt, all.Held+a.Held, all.Stuck+a.Stuck, all.Waits+a.Waits
		all.Due, first = all.Due+a.Due, max(first, dueAge(a))
		phases[a.Session.Phase]++
		if a.Stopped {
			halted++
		}
	}
	ch <- newGauge(inDoubt, float64(all.InDoubt), together)
	ch <- newGauge(held, float64(all.Held), together)
	ch <- newGauge(overdue, float64(all.Due), together)
	ch <- newGauge(oldest, first, together)
	ch <- newGauge(waits, float64(all.Waits), together)
	ch <- newGauge(stuck, float64(all.Stuck), together)
	ch <- newGauge(stopped, float64(halted), together)
	for p := session.SignedOut; p <= session.Parked; p++ {
		ch <- newGauge(state, float64(phases[p]), together, phaseLabel(p))
	}
	heardTogether(ch, health)
	named := map[event.Account]bool{}
	for _, a := range worst(counts.Accounts, health) {
		named[a.Account] = true
		collectAccount(ch, a)
	}
	for i := range health {
		if h := &health[i]; named[h.Account] {
			collectHealth(ch, h)
		}
	}
}

// grown tells what only grows, of all accounts.
func grown(ch chan<- prometheus.Metric, counts *bot.Counts, health []bot.Health) {
	ended := map[bot.EventCount]int64{}
	for k, n := range counts.Events {
		k.Account = together
		ended[k] += n
	}
	for k, n := range ended {
		ch <- count(events, float64(n), together, string(k.Kind), k.Outcome)
	}
	done := map[bot.ActionCount]int64{}
	for k, n := range counts.Actions {
		k.Account = together
		done[k] += n
	}
	for k, n := range done {
		ch <- count(actions, float64(n), together, string(k.Verb), k.State.String())
	}
	for source, of := range bySource(health) {
		var good, bad, back int
		for _, h := range of {
			good, bad, back = good+h.Polls-h.Failed, bad+h.Failed, back+h.SetBack
		}
		ch <- count(polls, float64(good), together, source.String(), "good")
		ch <- count(polls, float64(bad), together, source.String(), "failed")
		ch <- count(setBack, float64(back), together, source.String())
	}
}

func bySource(health []bot.Health) map[event.Source][]*bot.Health {
	by := map[event.Source][]*bot.Health{}
	for i := range health {
		by[health[i].Source] = append(by[health[i].Source], &health[i])
	}
	return by
}

// heardTogether tells of each source how many accounts do not hear it, when the one was last polled well for which that is
// longest ago, and when the last event came to any. Of chat lists it is how many chats there are, and the list that is nearest
// to its bounds.
func heardTogether(ch chan<- prometheus.Metric, health []bot.Health) {
	chats, cut := 0, 0
	var ofLimit, ofTimeout float64
	for source, of := range bySource(health) {
		silent, oldest, latest := 0, of[0].LastGood, time.Time{}
		for _, h := range of {
			if h.Unhealthy != "" {
				silent++
			}
			if h.LastGood.Before(oldest) {
				oldest = h.LastGood
			}
			if h.LastEvent.After(latest) {
				latest = h.LastEvent
			}
			if h.List.Limit > 0 {
				chats, ofLimit, ofTimeout = chats+h.List.Rows, max(ofLimit, h.List.OfLimit()), max(ofTimeout, h.List.OfTimeout())
			}
			if h.Cut != "" {
				cut++
			}
		}
		ch <- newGauge(unhealthy, float64(silent), together, source.String())
		ch <- newGauge(lastGood, unixSeconds(oldest), together, source.String())
		ch <- newGauge(lastEvent, unixSeconds(latest), together, source.String())
	}
	ch <- newGauge(listChats, float64(chats), together)
	ch <- newGauge(listLimit, ofLimit, together)
	ch <- newGauge(listDeadline, ofTimeout, together)
	ch <- newGauge(listCut, float64(cut), together)
}

// worst returns the accounts that a person should look at, the worst first: those that do nothing, then those with the most
// that waits for a person, that cannot be heard, or that is not reconciled, and those that answer late.
func worst(accounts []bot.AccountCounts, health []bot.Health) []*bot.AccountCounts {
	silent := map[event.Account]int{}
	for i := range health {
		if health[i].Unhealthy != "" {
			silent[health[i].Account]++
		}
	}
	halts := func(a *bot.AccountCounts) int {
		if a.Stopped || a.Session.Phase == session.Parked || a.Session.Phase == session.Paused {
			return 1
		}
		return 0
	}
	var bad []*bot.AccountCounts
	for i := range accounts {
		if a := &accounts[i]; halts(a)+silent[a.Account]+a.Stuck+a.Held+a.InDoubt > 0 || dueAge(a) > lateAge {
			bad = append(bad, a)
		}
	}
	slices.SortStableFunc(bad, func(a, b *bot.AccountCounts) int {
		return cmp.Or(cmp.Compare(halts(b), halts(a)), cmp.Compare(b.Stuck+b.Held, a.Stuck+a.Held),
			cmp.Compare(silent[b.Account], silent[a.Account]), cmp.Compare(b.InDoubt, a.InDoubt), cmp.Compare(dueAge(b), dueAge(a)))
	})
	return bad[:min(len(bad), worstNamed)]
}

// accountsOf returns of how many accounts these sources are: those of one follow each other.
func accountsOf(health []bot.Health) (n int) {
	for i := range health {
		if i == 0 || health[i].Account != health[i-1].Account {
			n++
		}
	}
	return n
}
