package campaigns_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// disturbance is what people and the world do while campaigns run.
type disturbance struct {
	t      *rapid.T
	undone map[platform.PostID]bool // taken back by hand, and not allowed since
	gone   map[platform.PostID]bool
	moved  map[campaigns.SlotID]bool // new clocks of slots that have happened
	left   int                       // how much may still happen

	given   map[campaigns.SlotID]time.Time // the minutes that slots were given
	skipped map[campaigns.SlotID]bool
	written bool // campaigns were edited, or taken out
}

// meet lets something happen before a time, now and then.
func (d *disturbance) meet(r *runner, before time.Time) {
	if d.left == 0 || rapid.IntRange(0, 3).Draw(d.t, "quiet") > 0 {
		return
	}
	d.left--
	if long := before.Sub(r.now); long > time.Second {
		r.now = r.now.Add(time.Duration(rapid.Int64Range(0, int64(long/time.Second)-1).Draw(d.t, "when")) * time.Second)
	}
	c := r.a.Campaigns[rapid.IntRange(0, len(r.a.Campaigns)-1).Draw(d.t, "whose")]
	m := r.a.Memories[c.ID]
	id := platform.PostID(rapid.IntRange(1, 8).Draw(d.t, "which"))
	switch rapid.SampledFrom([]string{"edit", "edit", "edit", "pause", "resume", "phone", "delete", "allow", "rule", "retire", "outage", "late", "late", "move", "move", "skip"}).Draw(d.t, "what") {
	case "edit":
		d.written = true
		r.edit(d.edited(c))
	case "late":
		d.movesLast(r)
	case "move", "skip":
		d.takeSlot(r, c, rapid.Bool().Draw(d.t, "taken out"))
	case "pause":
		m.Paused = &campaigns.Note{By: "Ana", At: r.now}
		r.keep(c, m, r.a.Uses)
	case "resume":
		m.Paused = nil
		r.keep(c, m, r.a.Uses)
	case "phone":
		if n := len(r.calls); n > 0 && r.calls[n-1].post != 0 && rapid.Bool().Draw(d.t, "the last one") {
			id = r.calls[n-1].post
		}
		d.phone(r, id)
	case "delete":
		d.gone[id] = true
		r.platform[id] = &campaigns.PostFact{Out: campaigns.Gone}
	case "allow":
		r.keep(c, m, r.a.Uses.Allow(id))
		delete(d.undone, id)
	case "rule":
		r.keep(c, m, elsewhere(r.a.Uses, r.now, "", r.a.AccountFacts.Budget.Most))
	case "retire":
		d.written = true
		r.keep(c, campaigns.Revise(c, campaigns.Retire(m, r.now), r.now.Add(time.Minute)), r.a.Uses)
	case "outage":
		r.now = r.now.Add(time.Duration(rapid.IntRange(1, 9*24*60).Draw(d.t, "away")) * time.Minute)
	}
}

// edited is the campaign with other slots, posts or jitter. What it promises stays.
func (d *disturbance) edited(c *campaigns.Campaign) *campaigns.Campaign {
	next := *c
	switch rapid.IntRange(0, 5).Draw(d.t, "edit") {
	case 0:
		next.Items = drawnItems(d.t, c.Do)
	case 1:
		next.Jitter = spans(d.t, "jitter", 0, 12*time.Minute, 3*time.Hour)
	case 2:
		next.Zone = zone(d.t, rapid.SampledFrom(drawnZones).Draw(d.t, "zone"))
	case 3:
		next.Status = rapid.SampledFrom([]campaigns.Status{campaigns.Live, campaigns.Ask, campaigns.Watch}).Draw(d.t, "status")
	default:
		next.Lines = drawnLines(d.t)
	}
	ready, err := campaigns.New(next)
	if err != nil {
		d.t.Fatal(err)
	}
	return ready
}

// movesLast moves the line of what was published last an hour on: it must not come a second time.
func (d *disturbance) movesLast(r *runner) {
	if len(r.calls) == 0 {
		return
	}
	id := r.calls[len(r.calls)-1].slot
	next := *r.campaign(id.Campaign)
	next.Lines = slices.Clone(next.Lines)
	to := campaigns.SlotID{Campaign: id.Campaign, Day: id.Day, Clock: id.Clock + 60}
	there := func(s campaigns.SlotID) bool { _, is := r.campaign(id.Campaign).Slot(s); return is }
	moved := 0
	for i, l := range next.Lines {
		if l.When.Clock == id.Clock && (l.When.Day == id.Day || l.When.Day == (text.Day{}) && l.When.Weekday == weekday(id.Day)) {
			next.Lines[i].When.Clock += 60
			moved++
		}
	}
	if moved != 1 || to.Clock >= 24*60 || there(to) {
		return
	}
	c, err := campaigns.New(next)
	if err != nil {
		d.t.Fatal(err)
	}
	d.moved[to], d.written = true, true
	r.edit(c)
}

// takeSlot gives a slot that is to come another minute, or takes it out.
func (d *disturbance) takeSlot(r *runner, c *campaigns.Campaign, out bool) {
	var ids []campaigns.SlotID
	for v := range campaigns.Plan(r.a, r.now, time.Time{}, r.now.Add(9*day)) {
		if v.Slot.ID.Campaign == c.ID && v.Kind != campaigns.Booked && v.Slot.Minute.After(r.now) {
			ids = append(ids, v.Slot.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	m, id := r.a.Memories[c.ID], rapid.SampledFrom(ids).Draw(d.t, "slot")
	if out {
		m.Skips = maps.Clone(m.Skips)
		if m.Skips == nil {
			m.Skips = map[campaigns.SlotID]campaigns.Note{}
		}
		m.Skips[id], d.skipped[id] = campaigns.Note{By: "Ana", At: r.now}, true
	} else {
		m.Rescheduled = maps.Clone(m.Rescheduled)
		if m.Rescheduled == nil {
			m.Rescheduled = map[campaigns.SlotID]campaigns.Reschedule{}
		}
		d.given[id] = r.now.Add(time.Duration(rapid.IntRange(2, 9*24*60).Draw(d.t, "minute")) * time.Minute).Truncate(time.Minute)
		m.Rescheduled[id] = campaigns.Reschedule{To: d.given[id]}
	}
	r.keep(c, m, r.a.Uses)
}

// lost returns a slot that was given another minute, and of which nothing became.
func (d *disturbance) lost(r *runner) string {
	for id, to := range d.given {
		decided := slices.ContainsFunc(r.book, func(v campaigns.Verdict) bool { return v.Slot.ID == id })
		if !decided && to.Before(r.now.Add(-day)) {
			return id.String()
		}
	}
	return ""
}

func weekday(d text.Day) time.Weekday {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Weekday()
}

// phone is somebody of ours who taps repost.
func (d *disturbance) phone(r *runner, id platform.PostID) {
	f := r.fact(id)
	switch {
	case f.Out != "":
	case r.platform[id] != nil && r.platform[id].Reposted == campaigns.Yes:
		r.platform[id] = &campaigns.PostFact{Reposted: campaigns.No}
		if r.a.Uses.Posts[campaigns.PostKey(id)].Reposted {
			d.undone[id] = true
		}
	default:
		delete(d.undone, id)
		r.platform[id] = &campaigns.PostFact{Reposted: campaigns.Yes, Since: r.now}
	}
}

// check says what must not have happened when a slot publishes.
func (d *disturbance) check(r *runner, v *campaigns.Verdict, left time.Time) {
	c := r.campaign(v.Slot.ID.Campaign)
	reposted := r.platform[v.Post] != nil && r.platform[v.Post].Reposted == campaigns.Yes
	given, is := d.given[v.Slot.ID]
	switch {
	case d.skipped[v.Slot.ID]:
		d.t.Fatalf("%s was taken out", line(v))
	case is && !v.Slot.Minute.Equal(given):
		d.t.Fatalf("%s was given another minute: %s", line(v), given)
	case d.moved[v.Slot.ID]:
		d.t.Fatalf("%s stands for a slot that has happened", line(v))
	case left.Before(v.Slot.Minute) || left.After(v.Until):
		d.t.Fatalf("%s leaves at %s, until %s", line(v), left, v.Until)
	case v.Approve != v.Approved:
		d.t.Fatalf("%s: nobody has approved it", line(v))
	case v.Approve && r.a.Memories[c.ID].Book[v.Slot.ID].Approved.After(v.Deadline):
		d.t.Fatalf("%s was approved too late", line(v))
	case v.Item.Status == campaigns.Ask && !v.Approved:
		d.t.Fatalf("%s: nobody was asked", line(v))
	case c.Status == campaigns.Watch || r.a.Memories[c.ID].Paused != nil:
		d.t.Fatalf("%s on watch, or paused", line(v))
	case v.Post != 0 && d.undone[v.Post] && r.says:
		d.t.Fatalf("%s was taken back by hand", line(v))
	case v.Post != 0 && d.gone[v.Post]:
		d.t.Fatalf("%s is gone", line(v))
	case v.Post != 0 && v.Renew != reposted:
		d.t.Fatalf("%s, and the post is reposted: %v", line(v), reposted)
	case v.Renew && !r.says:
		d.t.Fatalf("%s where posts do not tell", line(v))
	case v.Slot.At.Before(r.a.Memories[c.ID].Force.Since) && v.Slot.Minute.Add(c.Missed.Within+time.Hour).Before(left):
		d.t.Fatalf("%s was not in force", line(v))
	}
	for _, other := range r.calls {
		d.apart(r, c, v, left, &other)
	}
	if most := r.a.AccountFacts.Budget.Most; most.Max > 0 {
		n := 0
		for _, other := range r.calls {
			if left.Sub(other.at) < most.Per {
				n++
			}
		}
		if n >= most.Max {
			d.t.Fatalf("%s is number %d in %s", line(v), n+1, most.Per)
		}
	}
}

// apart checks a publication against an earlier one.
func (d *disturbance) apart(r *runner, c *campaigns.Campaign, v *campaigns.Verdict, left time.Time, other *call) {
	need := max(c.KeepApart, r.campaign(other.slot.Campaign).KeepApart, r.a.AccountFacts.Budget.Apart, time.Minute)
	gap := c.Gap
	if c.Do == campaigns.Repost {
		gap = max(gap, day)
	}
	switch {
	case other.slot == v.Slot.ID:
		d.t.Fatalf("%s twice", line(v))
	case left.Sub(other.at) < need:
		d.t.Fatalf("%s leaves %s after %s, want %s", line(v), left.Sub(other.at), other.slot, need)
	case v.Post != 0 && v.Post == other.post && left.Sub(other.at) < gap:
		d.t.Fatalf("%s leaves %s after the same post in %s, want %s", line(v), left.Sub(other.at), other.slot, gap)
	}
}

// Whatever happens, no slot publishes twice, nothing comes too close, too late, unapproved or a second time within its gap, nothing
// takes a repost back by accident; and what happens is what the plan said just before, or what was read explains why not.
func TestDisturbed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAccount(t)
		d := &disturbance{t: t, undone: map[platform.PostID]bool{}, gone: map[platform.PostID]bool{}, moved: map[campaigns.SlotID]bool{}, given: map[campaigns.SlotID]time.Time{}, skipped: map[campaigns.SlotID]bool{}, left: rapid.IntRange(0, 12).Draw(t, "disturbances")}
		r := newRunner(t, a, drawnStart)
		r.platform, r.says, r.meet, r.leaves = shows(a), !a.AccountFacts.Silent, d.meet, d.check
		r.approves = func(v *campaigns.Verdict) (time.Time, bool) {
			switch rapid.IntRange(0, 5).Draw(t, "approver") {
			case 0:
				return time.Time{}, false
			case 1:
				return v.Deadline.Add(time.Minute), true
			case 2:
				return v.Deadline, false
			}
			return v.Deadline, true
		}
		r.refuses = func() bool { return rapid.IntRange(0, 9).Draw(t, "refused") == 0 }
		r.until(drawnStart.Add(25 * day))
		if id := d.lost(r); id != "" && !d.written {
			t.Fatalf("nothing became of %s, which was moved to %s", id, d.given)
		}
	})
}
