package campaigns

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Rules and programs publish what slots leave them of the budget. So the bot has to know when slots are to publish: from the plan, which each
// turn of the account looks at anew, and before the first one from what is kept.

// aheadOf returns when slots are to publish from now on, by time, as far as it counts for what is published by until.
func aheadOf(a campaigns.Account, now, until time.Time) (ahead []time.Time) {
	b := &a.AccountFacts.Budget
	if b.Split || b.Most.Max == 0 {
		return nil
	}
	a.AccountFacts.Paused = nil // nobody publishes meanwhile, and afterwards nobody plans anew before something is published
	for v := range campaigns.Coming(&a, now, until.Add(b.Most.Per)) {
		if !v.Kind.Publishes() || !v.At.After(now) {
			continue
		}
		// With so many nothing is left for others until the first one has come, and then there is a turn.
		if ahead = append(ahead, v.At); len(ahead) >= b.Most.Max {
			break
		}
	}
	return ahead // what waits may come out of turn
}

// planAhead is aheadOf of what the turn has decided so far, until there is another one. What is on its way stands beside it: its use is not stored yet.
func (s *state) planAhead(now, wake time.Time) []time.Time {
	ahead := aheadOf(s.Account, now, wake)
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.State == campaigns.Going && e.At.After(now) }) {
		ahead = append(ahead, s.Memories[id.Campaign].Book[id].At)
	}
	slices.SortFunc(ahead, time.Time.Compare)
	return ahead
}

// aheadAtStart is aheadOf of an account that has not had its first turn yet: by what is kept, and what the files add to that.
func (p *Plugin) aheadAtStart(account event.Account, f *files) (ahead []time.Time) {
	a := campaigns.Account{Campaigns: f.all}
	if p.cfg.Store != nil && !f.budget.Split { //mutate:publishing-at-start
		kept, err := readAccount("", func(name string) (json.RawMessage, bool, error) {
			v, err := p.cfg.Store.AccountValue(context.Background(), account, group, name)
			return v.Value, v.Version != 0 && len(v.Value) > 0, err
		})
		if err == nil { // otherwise by the files alone
			a = kept.account()
			for _, c := range f.all {
				if campaigns.ByID(a.Campaigns, c.ID) == nil {
					a.Campaigns = append(a.Campaigns, c)
				}
			}
		}
	}
	a.AccountFacts.Budget = f.budget
	now := time.Now()
	if catchPanic(func() { ahead = aheadOf(a, now, now) }) != nil {
		return nil // the turn finds out which campaign it is
	}
	slices.SortFunc(ahead, time.Time.Compare)
	return ahead
}

// aheadSeen is when slots are to publish as the last turn has seen it, or before the first one as it is kept. A change is seen by the turn that it begins.
func (p *Plugin) aheadSeen(account event.Account, f *files) []time.Time {
	p.mu.Lock()
	is := p.most[account]
	seen := is != nil && len(p.seen[account]) > 0
	p.mu.Unlock()
	if seen {
		return is.Ahead
	}
	return p.aheadAtStart(account, f)
}

// account returns what is kept, as it is decided about.
func (s *snapshot) account() campaigns.Account {
	a := campaigns.Account{Campaigns: s.inForce(), Uses: s.uses, Memories: make(map[string]campaigns.Memory, len(s.campaigns))}
	for id, c := range s.campaigns {
		a.Memories[id] = c.Memory
	}
	a.AccountFacts.Clock = s.clock
	s.waiting.withholdItems(&a)
	return a
}
