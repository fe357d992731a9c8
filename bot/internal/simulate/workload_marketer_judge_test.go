package simulate_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// publication is something that a shop has published, as the platform saw it: a renewal is one.
type publication struct {
	at  time.Time
	key string
	own bool // the post, or the text, is the shop's
}

// publications returns what the shop has published, and what is wrong about it: a repost that was taken back and did not come again.
func (s *shop) publications(entries []emulator.Entry) (all []publication, wrong []string) {
	owed := map[*ware]bool{}
	for _, e := range entries {
		if !e.ByAPI || e.From != s.account {
			continue
		}
		w, key, _ := s.published(0, e.Text)
		if e.Kind != emulator.Published {
			w, key, _ = s.published(e.Post, "")
		}
		switch {
		case key == "":
		case e.Kind == emulator.Unreposted:
			owed[w] = !w.touched(e.At) && !w.undone
		case e.Kind == emulator.Reposted || e.Kind == emulator.Published:
			delete(owed, w)
			all = append(all, publication{e.At, key, w == nil || w.own})
		}
	}
	for w, is := range owed {
		if is && !w.gone {
			wrong = append(wrong, fmt.Sprintf("lost after an undo: %s of %s", w.key(), s.name))
		}
	}
	slices.Sort(wrong)
	return all, wrong
}

// countsWithin is how late something may leave that counts at the minute of its slot.
const countsWithin = time.Minute

// judge looks at what the platform saw: nothing twice within its gap, and nothing taken back for good.
func (g *marketer) judge([]emulator.Entry) (wrong []string) {
	g.mu.Lock()
	wrong = append(append(wrong, g.wrong...), g.odd...)
	g.mu.Unlock()
	entries := g.s.platform.Ledger().Since(0)
	for _, s := range g.shops {
		all, lost := s.publications(entries)
		wrong = append(wrong, lost...)
		last := map[string]time.Time{}
		for _, p := range all {
			gap := shopGap
			if !p.own {
				gap = 24 * time.Hour
			}
			before, twice := last[p.key]
			if last[p.key] = p.at; twice && p.at.Sub(before) < gap-countsWithin-latest && !s.touched(p.key, before, p.at) {
				wrong = append(wrong, fmt.Sprintf("%s of %s comes twice within %v", p.key, s.name, p.at.Sub(before)))
			}
		}
	}
	return wrong
}

// touched reports whether people have done something to a post around one of two times, or between them.
func (s *shop) touched(key string, from, to time.Time) bool {
	for _, w := range s.wares {
		if w.key() != key {
			continue
		}
		if w.touched(from) || w.touched(to) {
			return true
		}
		for _, h := range w.hands {
			if h.After(from) && h.Before(to) {
				return true
			}
		}
	}
	return false
}

// compare looks at what the bot says about its slots: each that came has its place in the book, what is done there is what the platform
// saw, and what was planned just before is what happened, unless something came in between.
func (s *shop) compare(a *campaigns.Account, all []publication, quiet bool) (wrong []string) {
	done, said, open := map[string]int{}, map[string][]string{}, map[string]bool{}
	for id, m := range a.Memories {
		for slot, e := range m.Book {
			said[e.Item] = append(said[e.Item], fmt.Sprintf("%s %s %s", slot, e.State, e.Why))
			switch e.State {
			case campaigns.Done:
				done[e.Item]++
			case campaigns.Empty:
				if e.Why == "" {
					wrong = append(wrong, fmt.Sprintf("%s stays empty, and nobody says why", slot))
				}
			case campaigns.Going: // the bot looks what became of it in a while: in steps of a quarter of the time since
				open[e.Item] = true
			case campaigns.Prepared:
				if e.Minute.After(time.Now()) {
					continue // clocks have gone back
				}
				wrong = append(wrong, fmt.Sprintf("%s is still %s", slot, e.State))
			default:
			}
			if w := s.asForeseen(slot, e, quiet); w != "" {
				wrong = append(wrong, w)
			}
		}
		for _, c := range a.Campaigns {
			if c.ID == id {
				wrong = append(append(append(wrong, unknown(c, &m)...), tooOften(c, &m)...), miscounted(c, &m)...)
			}
		}
	}
	seen := map[string]int{}
	for _, p := range all {
		seen[p.key]++
	}
	for key, n := range seen {
		if n != done[key] && !open[key] && !s.touched(key, time.Time{}, time.Now()) {
			wrong = append(wrong, fmt.Sprintf("%s of %s came %d times, and the books say %d: %q", key, s.name, n, done[key], said[key]))
		}
	}
	for key, n := range done {
		if seen[key] == 0 && n > 0 && !s.touched(key, time.Time{}, time.Now()) {
			wrong = append(wrong, fmt.Sprintf("%s of %s never came, and the books say %d: %q", key, s.name, n, said[key]))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// unknown returns the slots that came, and of which nobody knows.
func unknown(c *campaigns.Campaign, m *campaigns.Memory) (wrong []string) {
	for slot := range c.Slots(m.Force.Since, time.Now().Add(-10*time.Minute)) {
		if _, known := m.Book[slot.ID]; !known && !slot.At.Before(m.Force.Since) {
			wrong = append(wrong, fmt.Sprintf("nobody knows of %s, in force since %v", slot.ID, m.Force.Since))
		}
	}
	return wrong
}

// tooOften returns what came more often than the campaign wants it to come.
func tooOften(c *campaigns.Campaign, m *campaigns.Memory) (wrong []string) {
	came := map[string]int{}
	for _, e := range m.Book {
		if e.State == campaigns.Done || e.State == campaigns.Going {
			came[e.Item]++
		}
	}
	for key, n := range came {
		if c.Each > 0 && n > c.Each {
			wrong = append(wrong, fmt.Sprintf("%s came %d times in %s, and is to come %d times", key, n, c.ID, c.Each))
		}
	}
	return wrong
}

// miscounted returns the posts of which a campaign remembers another number of turns than its book has.
func miscounted(c *campaigns.Campaign, m *campaigns.Memory) (wrong []string) {
	came := map[string]int{}
	for _, e := range m.Book {
		if e.State == campaigns.Going || e.State == campaigns.Done || e.State == campaigns.Would {
			came[e.Item]++
		}
	}
	for _, used := range m.Items {
		if used.Done != came[used.Key] {
			wrong = append(wrong, fmt.Sprintf("%s came %d times in %s, which remembers %d", used.Key, came[used.Key], c.ID, used.Done))
		}
	}
	return wrong
}

// asForeseen compares what became of a slot with what was planned just before.
func (s *shop) asForeseen(id campaigns.SlotID, e campaigns.Entry, quiet bool) string {
	f, is := s.foreseen[id]
	if !is || !quiet || f.kind == campaigns.Booked {
		return ""
	}
	end := e.Minute.Add(6 * time.Minute)
	for _, at := range s.disturbed {
		if at.After(f.seen.Add(-3*time.Minute)) && at.Before(end) {
			return ""
		}
	}
	happened := e.State == campaigns.Done
	switch {
	case happened != f.kind.Publishes() && f.kind != campaigns.Asks, happened && (e.Item != f.item || e.Renew != f.renew):
		return fmt.Sprintf("%s was planned as %s %s, and became %s %s: %s", id, f.kind, f.item, e.State, e.Item, e.Why)
	case happened && e.At.Sub(f.at).Abs() > latest:
		return fmt.Sprintf("%s was planned for %v, and left at %v", id, f.at, e.At)
	}
	return ""
}
