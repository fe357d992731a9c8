package campaigns_test

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// runner does what a bot does with an account's campaigns, as time passes: it looks at what comes next, prepares it, has it approved,
// reads the platform, decides, and publishes. What it remembers goes through JSON each time.
type runner struct {
	tb       rapid.TB
	a        *campaigns.Account
	now      time.Time
	says     bool                                                  // the platform's posts tell whether we have reposted them
	platform map[platform.PostID]*campaigns.PostFact               // what the platform shows
	approves func(v *campaigns.Verdict) (time.Time, bool)          // when somebody looks at what is prepared, and whether they want it; zero: never
	away     func(t time.Time) time.Time                           // until when the bot is away at a time; zero: it is there
	meet     func(r *runner, until time.Time)                      // what else happens before a time
	leaves   func(r *runner, v *campaigns.Verdict, left time.Time) // sees what leaves
	refuses  func() bool                                           // whether the platform says no
	book     []campaigns.Verdict                                   // what was decided, in order
	calls    []call
	fresh    platform.PostID // the last one that a search has found
}

// call is what the platform was asked.
type call struct {
	at   time.Time
	post platform.PostID
	text string
	slot campaigns.SlotID
}

func newRunner(tb rapid.TB, a *campaigns.Account, now time.Time) *runner {
	tb.Helper()
	return &runner{
		tb: tb, a: a, now: now, says: true, platform: map[platform.PostID]*campaigns.PostFact{},
		approves: func(v *campaigns.Verdict) (time.Time, bool) { return v.Deadline, true },
	}
}

// run decides what comes in a time, as a bot that nothing disturbs.
func run(tb rapid.TB, a *campaigns.Account, now time.Time, long time.Duration) *runner {
	tb.Helper()
	r := newRunner(tb, a, now)
	r.until(now.Add(long))
	return r
}

// until lets time pass.
func (r *runner) until(end time.Time) {
	for steps := 0; ; steps++ {
		if steps > 5000 {
			r.tb.Fatalf("%s: it does not get on", r.now)
		}
		v, ok := r.next(end)
		wake := end
		if ok {
			wake = later(r.now, v.Wake())
			if v.Kind != campaigns.Asks || v.Held {
				wake = later(r.now, v.At)
			}
		}
		if r.meet != nil {
			r.meet(r, wake)
			if w, still := r.next(end); still != ok || ok && (w.Slot.ID != v.Slot.ID || !w.At.Equal(v.At) || w.Kind != v.Kind) {
				continue
			}
		}
		if r.now = later(r.now, wake); !ok || !r.now.Before(end) {
			r.now = end
			return
		}
		if r.away != nil {
			if back := r.away(r.now); !back.IsZero() {
				r.now = back
			}
		}
		r.step(&v)
	}
}

// next returns the slot that a turn has to look at first.
func (r *runner) next(end time.Time) (first campaigns.Verdict, found bool) {
	var when time.Time
	for v := range campaigns.Plan(r.a, r.now, time.Time{}, end.Add(10*day)) {
		wake := later(r.now, v.Wake())
		if v.Kind == campaigns.Booked || v.Slot.Minute.After(r.now.Add(20*day)) {
			continue
		}
		if v.Kind != campaigns.Asks || v.Held {
			wake = later(r.now, v.At)
		}
		if wake.Before(end) && (!found || wake.Before(when)) {
			first, when, found = v, wake, true
		}
	}
	return first, found
}

// step looks at a slot, as a turn does.
func (r *runner) step(planned *campaigns.Verdict) {
	facts := &campaigns.Facts{Posts: map[platform.PostID]campaigns.PostFact{}, Found: map[string]campaigns.FoundFact{}}
	for range 20 {
		v, ok := campaigns.Find(r.a, planned.Slot.ID, facts, r.now)
		if !ok {
			r.tb.Fatalf("%s: there is no slot %s", r.now, planned.Slot.ID)
		}
		for _, n := range v.Need {
			if n.Find != "" {
				for r.fresh = max(r.fresh, 1e6) + 1; r.a.Taken(r.fresh); {
					r.fresh++
				}
				facts.Found[n.Find] = campaigns.FoundFact{Post: r.fresh}
				continue
			}
			facts.Posts[n.Post] = r.fact(n.Post)
		}
		if v.Kind != campaigns.Needs {
			r.compare(&v)
			r.decided(&v)
			return
		}
	}
	r.tb.Fatalf("%s: the slot %s needs more and more", r.now, planned.Slot.ID)
}

func (r *runner) fact(id platform.PostID) campaigns.PostFact {
	f := campaigns.PostFact{Reposted: campaigns.No}
	if p := r.platform[id]; p != nil {
		f = *p
	}
	if f.OnPage = f.Reposted == campaigns.Yes; !r.says {
		f.Reposted = campaigns.Unknown
	}
	return f
}

// decided does what was decided.
func (r *runner) decided(v *campaigns.Verdict) {
	c := r.campaign(v.Slot.ID.Campaign)
	m := r.a.Memories[c.ID]
	switch {
	case v.Kind == campaigns.Wait:
		r.now = later(r.now, v.At)
		return
	case v.Early(r.now):
		r.keep(c, m, campaigns.Learn(r.a.Uses, *v))
		if again, _ := campaigns.Find(r.a, v.Slot.ID, nil, r.now); again.Wake().Before(v.Wake()) {
			r.tb.Fatalf("%s: decided too early: %s, and then %s", r.now, line(v), line(&again))
		}
		return
	case v.Kind == campaigns.Asks && !v.Held:
		m = campaigns.Prepare(m, *v, "", r.now)
		r.a.Uses = campaigns.Learn(r.a.Uses, *v)
		if when, yes := r.approves(v); !when.IsZero() {
			m = campaigns.Approve(m, v.Slot.ID, "Ana", yes, when)
		}
		r.keep(c, m, r.a.Uses)
		return
	case v.Kind == campaigns.Asks: // nobody has approved it: it is decided once that is over
		r.now = later(r.now, v.Deadline.Add(time.Second))
		return
	}
	m, u := campaigns.Take(c, m, r.a.Uses, *v)
	r.book = append(r.book, *v)
	switch {
	case v.Kind != campaigns.Go:
	case r.refuses != nil && r.refuses():
		m, u = campaigns.Conclude(c, m, u, v.Slot.ID, campaigns.Conclusion{Why: "the platform said no"})
	default:
		left := later(r.now, v.At)
		if r.leaves != nil {
			r.leaves(r, v, left)
		}
		r.calls = append(r.calls, call{left, v.Post, v.Item.Text, v.Slot.ID})
		if v.Post != 0 {
			r.platform[v.Post] = &campaigns.PostFact{Reposted: campaigns.Yes, Since: left}
		}
		m, u = campaigns.Conclude(c, m, u, v.Slot.ID, campaigns.Conclusion{Done: true, At: left, Lifts: lifts(v)})
	}
	r.keep(c, m, u)
}

// compare sees whether the plan of this moment says what was decided, unless something was read that it could not know.
func (r *runner) compare(v *campaigns.Verdict) {
	planned, _ := campaigns.Find(r.a, v.Slot.ID, nil, r.now)
	surprise := len(v.Outs) > 0 || v.Void.Code != ""
	for _, o := range v.Others {
		switch o.Why.Code {
		case campaigns.ByHand, campaigns.TooSoon, campaigns.NotSaid:
			surprise = true
		default:
		}
	}
	if v.Item != nil && v.Post != 0 {
		f, use := r.fact(v.Post), r.a.Uses.Posts[campaigns.PostKey(v.Post)]
		surprise = surprise || f.Out != "" || (f.Reposted == campaigns.Yes) != use.Reposted
	}
	if !surprise && line(&planned) != line(v) {
		r.tb.Fatalf("%s: planned %s, decided %s", r.now, line(&planned), line(v))
	}
}

func lifts(v *campaigns.Verdict) campaigns.Tri {
	if v.Renew {
		return campaigns.Yes
	}
	return campaigns.Unknown
}

func (r *runner) campaign(id string) *campaigns.Campaign {
	for _, c := range r.a.Campaigns {
		if c.ID == id {
			return c
		}
	}
	r.tb.Fatal("there is no campaign", id)
	return nil
}

// keep stores what is remembered, and reads it again.
func (r *runner) keep(c *campaigns.Campaign, m campaigns.Memory, u campaigns.Uses) {
	r.a.Memories = maps.Clone(r.a.Memories)
	r.a.Memories[c.ID] = stored(r.tb, m)
	r.a.Uses = stored(r.tb, u)
}

func stored[T any](tb rapid.TB, v T) (again T) {
	tb.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &again)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return again
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
