package simulate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// after lets the shops go on, and what they have begun end. Then each does what its plan says, to the minute, since nothing is in
// its way any more; and what the bot remembers is compared with what the platform saw.
func (g *marketer) after(ctx context.Context) error {
	g.away = false
	g.s.platform.SetPrivacy(g.author, false, false)
	g.hidden()
	for _, s := range g.shops {
		if err := g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.pause(ctx, inspector, s, false) }); err != nil {
			return err
		}
	}
	time.Sleep(marketersTime / 2) // also what may be late is over
	for _, s := range g.shops {
		if err := g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.review(ctx, inspector, s) }); err != nil {
			return err
		}
	}
	return g.calm(ctx)
}

// review compares the books with the ledger.
func (g *marketer) review(ctx context.Context, inspector inspect.Inspector, s *shop) error {
	a, err := s.stored(ctx, inspector)
	if err != nil {
		return err
	}
	all, _ := s.publications(g.s.platform.Ledger().Since(0))
	quiet := g.s.plan.faults == emulator.Faults{} && len(g.s.plan.fates) == 0
	g.odd = append(append(g.odd, s.compare(&a, all, quiet)...), s.again(&a)...)
	tooClose, err := s.tooClose(ctx, inspector, &a)
	g.odd = append(g.odd, tooClose...)
	if err != nil {
		return err
	}
	broken, err := s.granted(ctx, inspector, &a, g.s.platform.Ledger().Since(0))
	g.odd = append(g.odd, broken...)
	return err
}

// tooClose returns what was published too close to something else, as it was decided.
func (s *shop) tooClose(ctx context.Context, inspector inspect.Inspector, a *campaigns.Account) (wrong []string, err error) {
	type planned struct {
		slot string
		at   time.Time
	}
	var all []planned
	for id, m := range a.Memories {
		entries, err := inspector.Entries(ctx, s.name, "campaigns/"+id, "", 1000)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			var b struct{ At time.Time }
			slot, err := campaigns.ParseSlotID(e.Key)
			if err != nil || m.Book[slot].State != campaigns.Done {
				continue // what became of a slot, or one at which nothing came
			}
			if err := json.Unmarshal(e.Data, &b); err != nil {
				return nil, err
			}
			all = append(all, planned{e.Key, b.At})
		}
	}
	slices.SortFunc(all, func(a, b planned) int { return a.at.Compare(b.at) })
	for i := 1; i < len(all); i++ {
		if d := all[i].at.Sub(all[i-1].at); d < shopApart {
			wrong = append(wrong, fmt.Sprintf("%s was decided for %v after %s", all[i].slot, d, all[i-1].slot))
		}
	}
	return wrong, nil
}

// calm lets each shop have a campaign of two posts that nobody has seen before, one of a post that nobody approves, and nothing else.
func (g *marketer) calm(ctx context.Context) error {
	planned := map[*shop][]publication{}
	begun := time.Now()
	for _, s := range g.shops {
		d := g.s.dice.draw("calm " + string(s.name))
		c := s.campaign("calm", &d)
		c.Lines, c.Jitter, c.KeepApart, c.Items = nil, time.Minute, 0, nil
		s.zone, c.Zone = time.UTC, time.UTC // where clocks go back, this hour may have been there before
		for i := range 3 {
			w := &ware{own: true, post: g.s.platform.Post(s.account, fmt.Sprintf("%s calm ware %d", s.name, i))}
			s.wares = append(s.wares, w)
			c.Items = append(c.Items, campaigns.Item{Key: w.key(), Post: w.post})
			s.slot(&c, begun.Add(time.Duration(4+5*i)*time.Minute))
		}
		asks := c
		asks.ID, asks.Status, asks.Items, asks.Lines = "calm-asks", campaigns.Ask, c.Items[2:], c.Lines[2:]
		c.Items, c.Lines = c.Items[:2], c.Lines[:2]
		s.force = []campaigns.Campaign{c, asks}
		if err := g.use(s); err != nil { //nolint:contextcheck // the plugin asks its store for a moment
			return err
		}
	}
	time.Sleep(time.Minute) // until it is in force
	for _, s := range g.shops {
		if err := g.s.inspect(ctx, func(inspector inspect.Inspector) error {
			a, err := s.stored(ctx, inspector)
			for v := range campaigns.Plan(&a, time.Now(), time.Now(), time.Now().Add(time.Hour)) {
				if v.Kind == campaigns.Go {
					planned[s] = append(planned[s], publication{v.At, v.Item.Key, true})
				}
			}
			return err
		}); err != nil {
			return err
		}
	}
	time.Sleep(17 * time.Minute)
	entries := g.s.platform.Ledger().Since(0)
	for _, s := range g.shops {
		all, _ := s.publications(entries)
		happened := slices.DeleteFunc(all, func(p publication) bool { // what was decided a minute ahead, before this was in force, still comes
			return p.at.Before(begun) || p.at.Before(begun.Add(2*time.Minute)) && !slices.ContainsFunc(planned[s], func(x publication) bool { return x.key == p.key })
		})
		same := func(a, b publication) bool {
			return a.key == b.key && !b.at.Before(a.at) && b.at.Sub(a.at) < shopTolerance+latest
		}
		if len(planned[s]) == 0 || !slices.EqualFunc(planned[s], happened, same) {
			g.odd = append(g.odd, fmt.Sprintf("%s: the plan is %v, and what happened %v", s.name, planned[s], happened))
		}
		if err := g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.nobodyApproved(ctx, inspector, s) }); err != nil {
			return err
		}
		s.force = nil
		if err := g.use(s); err != nil { //nolint:contextcheck // the plugin asks its store for a moment
			return err
		}
	}
	time.Sleep(time.Minute)
	return nil
}

// nobodyApproved looks what the book says of what nobody has approved.
func (g *marketer) nobodyApproved(ctx context.Context, inspector inspect.Inspector, s *shop) error {
	a, err := s.stored(ctx, inspector)
	for slot, e := range a.Memories["calm-asks"].Book {
		if e.State != campaigns.Empty || !strings.HasPrefix(e.Why, "nobody approved it by ") {
			g.odd = append(g.odd, fmt.Sprintf("nobody approved %s, and it is %s: %s", slot, e.State, e.Why))
		}
	}
	return err
}
