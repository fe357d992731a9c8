package rehearsal

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Rehearsal plays the campaigns of an account on a clock of its own, over a platform that is made up: what a bot would do as time
// passes, without anything leaving. What nothing disturbs in it ends as it is planned. Make one with NewRehearsal.
type Rehearsal struct {
	campaigns.Account
	// Approves says of what is prepared that somebody approves it at once; nil: nobody does.
	Approves func(*campaigns.Verdict) bool
	// Book is what became of each slot, in the order in which that was decided.
	Book []Scene

	now   time.Time
	stage stage
	waits map[campaigns.SlotID]time.Time // slots that are looked at again at a time

	waiting *waiting // an edit that waits; nil for none
}

// Scene is something that happens to a slot.
type Scene struct {
	At       time.Time
	Verdict  campaigns.Verdict
	Prepared bool     // it was prepared, and waits for a person
	Found    *Pretend // what a search has found for it; nil: nothing, or it did not search
}

// NewRehearsal begins at a time, from which on the campaigns are in force. Whether a renewal lifts a post is not known yet, so that the
// first one is asked for; the platform lifts it.
func NewRehearsal(all []*campaigns.Campaign, budget campaigns.Budget, now time.Time) *Rehearsal {
	r := &Rehearsal{now: now, stage: newStage(now), waits: map[campaigns.SlotID]time.Time{}}
	r.AccountFacts.Budget = budget
	r.Memories = map[string]campaigns.Memory{}
	r.UseCampaigns(all)
	return r
}

// Now returns the time of the clock.
func (r *Rehearsal) Now() time.Time { return r.now }

// UseCampaigns puts campaigns in force, in the place of those before. It returns the slots for which something was prepared that they do not
// have any more: nothing comes of it.
func (r *Rehearsal) UseCampaigns(all []*campaigns.Campaign) (gone []campaigns.SlotID) {
	had := r.Campaigns
	r.Account = r.Edited(all, r.now)
	for _, c := range had {
		if campaigns.ByID(all, c.ID) == nil {
			for id, e := range r.Memories[c.ID].Book {
				if e.State == campaigns.Prepared {
					gone = append(gone, id)
				}
			}
		}
	}
	for _, c := range all {
		gone = append(gone, campaigns.Orphans(c, r.Memories[c.ID])...)
	}
	for _, id := range gone {
		r.Memories[id.Campaign] = campaigns.Withdraw(r.Memories[id.Campaign], id)
	}
	slices.SortFunc(gone, func(a, b campaigns.SlotID) int { return strings.Compare(a.String(), b.String()) })
	clear(r.waits)
	return gone
}

// Next plays what happens next, at end at the latest. Without anything until then the clock shows end, and there is no scene.
func (r *Rehearsal) Next(end time.Time) (Scene, bool) {
	for range mostLooks {
		edit := r.catchUp()
		v, wake, found := r.due(end)
		if !edit.IsZero() && edit.After(r.now) && !edit.After(end) && (!found || edit.Before(wake)) {
			r.now = edit
			continue
		}
		if !found || wake.After(end) {
			r.now = campaigns.LaterTime(r.now, end)
			return Scene{}, false
		}
		r.now = campaigns.LaterTime(r.now, wake) //mutate:rehearse-clock
		if s, shows := r.look(&v); shows {
			return s, true
		}
	}
	panic("campaigns: a rehearsal does not get on")
}

// mostLooks is how many slots may be looked at before one shows something: more would be an error of ours.
const mostLooks = 2000

// PassTime lets time pass in which nothing can be decided, and nothing leaves: the bot is down, or the platform.
func (r *Rehearsal) PassTime(long time.Duration) { r.now = r.now.Add(long) }

// due returns the slot that is looked at first, and when; false when nothing is by then.
func (r *Rehearsal) due(end time.Time) (first campaigns.Verdict, when time.Time, found bool) {
	ahead := r.ahead()
	for v := range campaigns.Plan(&r.Account, r.now, time.Time{}, end.Add(ahead)) {
		if found && v.Slot.Minute.After(when.Add(ahead)) {
			break // what is prepared before then comes before it
		}
		at, open := r.wake(&v)
		if open && (!found || at.Before(when)) {
			first, when, found = v, at, true
		}
	}
	return first, when, found
}

// wake returns when a slot is looked at; false when it is decided.
func (r *Rehearsal) wake(v *campaigns.Verdict) (time.Time, bool) {
	at := campaigns.LaterTime(r.now, v.At)
	switch {
	case v.Kind == campaigns.Booked:
		return at, false
	case v.Void.Code != "":
		at = r.now
	case v.Kind == campaigns.Asks && !v.Held:
		at = campaigns.LaterTime(r.now, v.Ask)
	case v.Kind == campaigns.Asks: // it waits for a person until then
		at = campaigns.LaterTime(r.now, v.Deadline.Add(time.Second)) //mutate:rehearse-deadline
	}
	if again, is := r.waits[v.Slot.ID]; is {
		at = campaigns.LaterTime(r.now, again)
	}
	return at, true
}

// ahead is the longest that something is prepared before its slot.
func (r *Rehearsal) ahead() time.Duration {
	longest := campaigns.PreparedBefore
	for _, c := range r.Campaigns {
		longest = max(longest, campaigns.AskedBefore(c.AtLeast))
	}
	return longest + 25*time.Hour // and the jitter
}

// look decides a slot with what the platform shows, and does it. It returns false when nobody sees anything of it.
func (r *Rehearsal) look(planned *campaigns.Verdict) (Scene, bool) {
	id, facts := planned.Slot.ID, campaigns.NewFacts()
	delete(r.waits, id)
	var found *Pretend
	for {
		v, there := campaigns.Find(&r.Account, id, facts, r.now)
		if !there {
			r.waits[id] = r.now.Add(24 * time.Hour)
			return Scene{}, false
		}
		if v.Kind == campaigns.Needs {
			for _, n := range v.Need {
				if p := r.read(n, v.Slot.Minute, facts); p != nil {
					found = p
				}
			}
			continue
		}
		if v.Void.Code == "" {
			v.Void = planned.Void
		}
		return r.do(Scene{At: r.now, Verdict: v, Found: found})
	}
}

// do does what was decided.
func (r *Rehearsal) do(s Scene) (Scene, bool) {
	v, void := &s.Verdict, s.Verdict.Void.Code != ""
	c := campaigns.ByID(r.Campaigns, v.Slot.ID.Campaign)
	m := r.Memories[c.ID]
	if void {
		// What was approved is another thing than what is to be published now: it is asked for once more, as in a bot.
		m = campaigns.Withdraw(m, v.Slot.ID)
		v.Held, v.Approved = false, false
		r.keepMemory(c.ID, m)
	}
	switch {
	case v.Kind == campaigns.Wait:
		r.waits[v.Slot.ID] = v.At
		return s, void
	// Learnt, and not taken: its time has not come, and what is taken is not decided again.
	case v.Early(r.now):
		r.Uses = campaigns.Learn(r.Uses, *v)
		return s, void
	case v.Kind == campaigns.Asks && v.Held:
		r.waits[v.Slot.ID] = campaigns.LaterTime(v.Deadline.Add(time.Second), r.now.Add(time.Minute))
		return s, void
	case v.Kind == campaigns.Asks:
		m = campaigns.Prepare(m, *v, "", r.now)
		r.Uses = campaigns.Learn(r.Uses, *v)
		s.Prepared = true
		if r.Approves != nil && r.Approves(v) {
			m = campaigns.Approve(m, v.Slot.ID, "somebody", true, r.now)
		}
		r.keepMemory(c.ID, m)
		return s, true
	}
	m, u := campaigns.Take(c, m, r.Uses, *v)
	if v.Kind == campaigns.Go {
		r.stage.publish(v, r.now)
		o := campaigns.Conclusion{Done: true, At: r.now}
		if v.Renew {
			o.Lifts = campaigns.Yes
		}
		m, u = campaigns.Conclude(c, m, u, v.Slot.ID, o)
	}
	r.Uses = u
	r.keepMemory(c.ID, m)
	r.Book = append(r.Book, s)
	return s, true
}

func (r *Rehearsal) keepMemory(id string, m campaigns.Memory) {
	r.Memories = maps.Clone(r.Memories)
	r.Memories[id] = m
}
