package demo

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/inspect"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// ChangesReport is the verdict about campaigns that are changed while they run, and about a wrong clock.
type ChangesReport struct {
	Corrected  int `json:"texts_corrected"`
	Edited     int `json:"slots_edited"`
	Moved      int `json:"slots_moved"`
	TooLate    int `json:"changed_too_late"` // not in force in time, so that what comes is not certain
	Clocks     int `json:"clock_changes"`
	Held       int `json:"slots_held"`        // that were due while the clock was known to be wrong
	WhileWrong int `json:"while_clock_wrong"` // publications that left then
	Unexpected int `json:"unexpected"`        // words, or a minute, that are not what was to come after a change
	Missing    int `json:"missing"`           // what was to come, and did not, also where nothing was changed
}

// JudgeEdited looks at what the platform has seen of a campaign that was changed.
func (r *ShopReport) JudgeEdited(e *Edited, came []Coming, wrong []WrongClock) {
	certain := e.isCertain()
	switch {
	case !certain:
		r.TooLate++
	case e.How == toCorrect:
		r.Corrected++
	case e.How == toEdit:
		r.Edited++
	default:
		r.Moved++
	}
	used, said := make([]bool, len(e.Comes)), map[string]bool{}
	for _, p := range came {
		slot := slices.IndexFunc(e.Comes, func(c Coming) bool { return c.Text == p.Text && c.isIn(p.At) })
		switch {
		case said[p.Text] || slot >= 0 && used[slot]:
			r.noteBad(&r.Doubled, "%s (%s): doubled: %q again at %s", e.ID, e.What, p.Text, p.At.Format(time.TimeOnly))
		case slot >= 0:
			used[slot] = true
		case certain:
			r.noteBad(&r.Unexpected, "%s (%s): %q at %s, which was not to come then", e.ID, e.What, p.Text, p.At.Format(time.TimeOnly))
		}
		said[p.Text] = true
	}
	for i, c := range e.Comes {
		if !used[i] && certain && !isExcused(c.At, wrong) {
			r.noteBad(&r.Missing, "%s (%s): %q has not come at %s", e.ID, e.What, c.Text, c.At.Format(time.TimeOnly))
		}
	}
}

// isCertain reports whether a campaign was changed in time, so that it is certain what comes.
func (e *Edited) isCertain() bool { return !e.Changed.IsZero() && !e.Changed.After(e.Until) }

// isIn reports whether something may have left for the slot then.
func (c *Coming) isIn(left time.Time) bool {
	return !left.Before(c.At) && !left.After(c.At.Add(Tolerance+demoNear))
}

// isExcused reports whether a slot may stay empty since a clock was wrong.
func isExcused(slot time.Time, wrong []WrongClock) bool {
	return slices.ContainsFunc(wrong, func(w WrongClock) bool { return w.isExcused(slot) })
}

// JudgeClock looks whether something has left while the bot must have known that the clock was wrong. It was killed at some times.
func (r *ShopReport) JudgeClock(wrong []WrongClock, kills, slots, left []time.Time) {
	for _, w := range wrong {
		r.Clocks++
		from := w.HeldFrom(kills)
		isHeld := func(at time.Time) bool { return at.After(from) && at.Before(w.Until) }
		for _, at := range slots {
			if isHeld(at) {
				r.Held++
			}
		}
		for _, at := range left {
			if isHeld(at) {
				r.noteBad(&r.WhileWrong, "published at %s, while the clock was wrong by %v", at.Format(time.TimeOnly), w.Ahead.Abs())
			}
		}
	}
}

// JudgeMissing looks for slots of a campaign that nothing has come in, although something had to: nobody had to approve it, or somebody has, nothing was too
// close, and the clock was right. came are the publications of its n-th post.
func (r *ShopReport) JudgeMissing(c *Campaign, n int, came []Publication, approved []Approval, wrong []WrongClock) {
	slots := c.slotTimes()
	if !c.isRenewal() {
		slots = slots[n : n+1]
	}
	slots = slices.DeleteFunc(slices.Clone(slots), func(slot time.Time) bool {
		before, near := 0, false
		for _, p := range came {
			if p.Left.Before(slot) {
				before++
			}
			near = near || !p.Left.After(slot.Add(Tolerance)) && p.Came.After(slot.Add(Tolerance-demoApart-demoNear))
		}
		given := func(a Approval) bool { return a.coversSlot(c.Posts[n], slot, slot) }
		return near || c.asksApproval(before) && !slices.ContainsFunc(approved, given) || isExcused(slot, wrong)
	})
	used := make([]bool, len(slots))
	for _, p := range came {
		if i, _ := inSlot(slots, used, p.Left); i >= 0 {
			used[i] = true
		}
	}
	for i, slot := range slots {
		if !used[i] {
			r.noteBad(&r.Missing, "%d of %s: nothing has come at %s", c.Posts[n], c.ID, slot.Format(time.TimeOnly))
		}
	}
}

// judgeChanges looks at edited campaigns, and at the clock.
func (sh *shopping) judgeChanges(ctx context.Context, r *ShopReport, i inspect.Inspector, left []time.Time) error {
	st, wrong := sh.st, sh.st.clocks
	var slots []time.Time
	for k := range st.campaigns {
		slots = append(slots, st.campaigns[k].slotTimes()...)
	}
	for _, e := range st.edited {
		came := st.readWords(e)
		r.JudgeEdited(e, came, wrong)
		for _, c := range e.Comes {
			slots = append(slots, c.At)
		}
		booked, err := plugin.ReadBook(ctx, i, e.Account, e.ID, "", mostBooked)
		if err != nil {
			return err
		}
		var said, seen []string
		for k := range booked {
			if booked[k].Done {
				said = append(said, booked[k].Words)
			}
		}
		for _, c := range came {
			seen, left = append(seen, c.Text), append(left, c.At)
		}
		slices.Sort(said)
		if slices.Sort(seen); !slices.Equal(said, seen) {
			r.noteBad(&r.Untold, "%s (%s): the book says %q, and the platform %q", e.ID, e.What, strings.Join(said, "; "), strings.Join(seen, "; "))
		}
	}
	r.JudgeClock(wrong, st.killTimes(), slots, left)
	return nil
}
