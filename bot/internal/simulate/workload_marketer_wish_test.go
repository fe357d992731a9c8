package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// drawWisher draws the day of a marketer who asks things of the campaigns, too: takes slots out and puts them back, has reposts taken
// back and lets them come again, pauses a campaign. Much of it while no bot runs.
func drawWisher(dice *rand.Rand) []string {
	steps := drawMarketer(dice)
	for range 8 + dice.IntN(12) {
		what := []string{"skip", "skip", "skip", "unskip", "undo", "undo", "allow", "halt", "resume"}[dice.IntN(9)]
		if dice.IntN(3) == 0 {
			what = "absent-" + what // the bot is off first
		}
		steps = slices.Insert(steps, 1+dice.IntN(len(steps)), fmt.Sprint(what, " ", dice.IntN(2), " ", dice.IntN(1<<30)))
	}
	return steps
}

// shopWish is something that was asked of a shop's campaigns.
type shopWish struct {
	event.Request
	what string
	slot campaigns.SlotID // of skip and unskip
	ware *ware            // of undo and allow
	id   string           // of the campaign
	at   time.Time        // when a bot did it

	first bool // no bot ran, and nobody had decided about the slot
}

// wish asks something of a campaign.
func (g *marketer) wish(ctx context.Context, inspector inspect.Inspector, s *shop, what string, d *draw) error {
	w := &shopWish{what: what}
	if len(s.force) == 0 {
		return nil
	}
	c := &s.force[d.n(int64(len(s.force)))]
	w.id = c.ID
	switch what {
	case "skip", "unskip":
		slots := s.near(c)
		if len(slots) == 0 {
			return nil
		}
		w.slot = slots[d.n(int64(len(slots)))]
		if before := s.skipped(); what == "unskip" && len(before) > 0 {
			w.slot = before[d.n(int64(len(before)))]
		}
		w.Text = w.slot.String()
		if g.s.incarnation == nil || g.s.incarnation.power.out.Load() {
			kept, err := plugin.Read(ctx, inspector, s.name)
			if err != nil {
				return err
			}
			_, decided := kept.Memories[c.ID].Book[w.slot]
			w.first = !decided
		}
	case "undo", "allow":
		w.ware = s.wares[d.n(int64(len(s.wares)))]
		if what == "undo" {
			w.ware.undone = true
		}
		w.Text = fmt.Sprintf("%s %d", c.ID, w.ware.post)
	default:
		w.Text = c.ID
	}
	subject := what
	if what == "halt" {
		subject = "pause"
	}
	asked, err := inspector.Ask(ctx, event.Request{Key: event.Own(s.name), Wish: event.WishTell, Subject: "campaigns/" + subject, Text: w.Text, By: "guest"})
	if err == nil {
		w.Request = asked[0]
		s.wishes = append(s.wishes, w)
	}
	return err
}

// near returns the slots of a campaign from a minute ago to some minutes ahead.
func (s *shop) near(c *campaigns.Campaign) (all []campaigns.SlotID) {
	ready, err := campaigns.New(*c)
	if err != nil {
		panic(err) // the simulator's own fault
	}
	for slot := range ready.Slots(time.Now().Add(-time.Minute), time.Now().Add(6*time.Minute)) {
		all = append(all, slot.ID)
	}
	return all
}

// about returns what was asked about a slot, whatever became of it.
func (s *shop) about(slot campaigns.SlotID) (all []*shopWish) {
	for _, w := range s.wishes {
		if w.slot == slot {
			all = append(all, w)
		}
	}
	return all
}

// skipped returns the slots that were asked to be taken out.
func (s *shop) skipped() (all []campaigns.SlotID) {
	for _, w := range s.wishes {
		if w.what == "skip" {
			all = append(all, w.slot)
		}
	}
	return all
}

// granted looks at what came of the wishes: none waits, and what was done holds until it is done away with.
func (s *shop) granted(ctx context.Context, inspector inspect.Inspector, a *campaigns.Account, entries []emulator.Entry) (wrong []string, err error) {
	var done []*shopWish
	for _, w := range s.wishes {
		answer, is, err := inspector.Answer(ctx, w.Request)
		if err != nil {
			return nil, err
		}
		switch {
		case !is:
			wrong = append(wrong, fmt.Sprintf("%s %s of %s still waits", w.what, w.Text, s.name))
		case answer.Outcome == bot.OutcomeHandled:
			w.at = answer.At
			done = append(done, w)
		case answer.Outcome != bot.OutcomeObsolete:
			wrong = append(wrong, fmt.Sprintf("%s %s of %s became %s: %s", w.what, w.Text, s.name, answer.Outcome, answer.Note))
		}
	}
	for i, w := range done {
		if w.what == "halt" || i != lastOf(done, w) {
			continue
		}
		if says := s.broken(w, a, entries); says != "" {
			wrong = append(wrong, says)
		}
		if !w.first || len(s.about(w.slot)) > 1 {
			continue
		}
		ended, err := inspector.HasEntry(ctx, s.name, "campaigns/"+w.id, w.slot.String()+"#end") // as what was decided, and did not come about
		if err != nil {
			return nil, err
		}
		if ended {
			wrong = append(wrong, fmt.Sprintf("%s of %s was decided and taken back, although it was taken out before a bot began", w.slot, s.name))
		}
	}
	return append(wrong, s.unheld(done, a)...), nil
}

// lastOf returns the last wish about what a wish is about.
func lastOf(done []*shopWish, w *shopWish) (last int) {
	for i, x := range done {
		if x.ware == w.ware && x.slot == w.slot && (x.ware != nil || x.slot != campaigns.SlotID{}) {
			last = i
		}
	}
	return last
}

// broken tells how a wish does not hold that nobody has done away with since; "" when it does.
func (s *shop) broken(w *shopWish, a *campaigns.Account, entries []emulator.Entry) string {
	switch w.what {
	case "skip":
		if e := a.Memories[w.id].Book[w.slot]; e.State == campaigns.Done || e.State == campaigns.Going {
			return fmt.Sprintf("%s is %s, although it was taken out at %v", w.slot, e.State, w.at)
		}
	case "undo":
		for _, e := range entries {
			if e.From == s.account && e.Post == w.ware.post && e.Kind == emulator.Reposted && e.ByAPI && e.At.After(w.at) && !s.late(w.ware.post, e.At) {
				return fmt.Sprintf("%d is reposted at %v, although it was taken back at %v", w.ware.post, e.At, w.at)
			}
		}
	}
	return ""
}

// late reports whether a repost may be one that had left before, and arrived late: people have done something to it.
func (s *shop) late(post platform.PostID, at time.Time) bool {
	return slices.ContainsFunc(s.wares, func(w *ware) bool { return w.post == post && w.touched(at) })
}

// unheld returns the slots that came although their campaign was paused at the time.
func (s *shop) unheld(done []*shopWish, a *campaigns.Account) (wrong []string) {
	for i, w := range done {
		if w.what != "halt" {
			continue
		}
		until := time.Now()
		for _, x := range done[i+1:] {
			if x.id == w.id && x.what == "resume" {
				until = x.at
				break
			}
		}
		for slot, e := range a.Memories[w.id].Book {
			if e.State == campaigns.Done && e.Minute.After(w.at.Add(time.Minute)) && e.At.Before(until) {
				wrong = append(wrong, fmt.Sprintf("%s came, although its campaign was paused at %v, until %v", slot, w.at, until))
			}
		}
	}
	return wrong
}

// asksFor does a step of asking something.
func (g *marketer) asksFor(ctx context.Context, s *shop, what string, d *draw) error {
	what, absent := strings.CutPrefix(what, "absent-")
	if absent {
		g.s.off(d.between(5*time.Second, 3*time.Minute))
		if g.s.incarnation != nil {
			select {
			case <-g.s.incarnation.power.dark:
			case <-time.After(10 * time.Second): // nothing befalls it any more
			}
		}
	}
	return g.s.inspect(ctx, func(inspector inspect.Inspector) error { return g.wish(ctx, inspector, s, what, d) })
}
