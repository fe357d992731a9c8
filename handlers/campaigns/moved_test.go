package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// A slot that a person has given another minute comes once, at that minute; all others come at their own, in the order of their minutes.
func TestMovedSlotsComeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := daily(t, func(c *campaigns.Campaign) {
			c.Jitter = time.Duration(rapid.IntRange(0, 90).Draw(t, "jitter")) * time.Minute
			c.Gap, c.Each = 0, 0
		})
		slots := func(a *campaigns.Account) map[campaigns.SlotID]time.Time {
			all, last := map[campaigns.SlotID]time.Time{}, time.Time{}
			for v := range campaigns.Plan(a, start(t), time.Time{}, start(t).AddDate(0, 4, 0)) {
				if _, twice := all[v.Slot.ID]; twice || v.Slot.Minute.Before(last) {
					t.Fatalf("%s comes at %s, behind %s", v.Slot.ID, v.Slot.Minute, last)
				}
				all[v.Slot.ID], last = v.Slot.Minute, v.Slot.Minute
			}
			return all
		}
		a := account(start(t), c)
		want := slots(a)
		ids := slices.SortedFunc(func(yield func(campaigns.SlotID) bool) {
			for id := range want {
				if !yield(id) {
					return
				}
			}
		}, func(x, y campaigns.SlotID) int { return want[x].Compare(want[y]) })
		m := a.Memories["daily"]
		m.Rescheduled = map[campaigns.SlotID]campaigns.Reschedule{}
		for range rapid.IntRange(0, 8).Draw(t, "moves") {
			id := rapid.SampledFrom(ids).Draw(t, "slot")
			to := start(t).Add(time.Duration(rapid.IntRange(1, 90*24*60).Draw(t, "minute")) * time.Minute)
			m.Rescheduled[id], want[id] = campaigns.Reschedule{To: to}, to
		}
		a.Memories["daily"] = m
		got := slots(a)
		if len(got) != len(want) {
			t.Fatalf("%d slots come, and not %d", len(got), len(want))
		}
		for id, at := range want {
			if !got[id].Equal(at) {
				t.Errorf("%s comes at %s, and not at %s", id, got[id], at)
			}
			if v, there := campaigns.Find(a, id, nil, start(t)); !there || !v.Slot.Minute.Equal(at) {
				t.Errorf("%s is found at %s, and not at %s", id, v.Slot.Minute, at)
			}
		}
	})
}

// A slot that was moved comes at its new minute also when slots are edited meanwhile, before or behind its own clock, and as long as it is open.
func TestMovedSlotStaysOverAnEdit(t *testing.T) {
	t.Parallel()
	c := daily(t, func(c *campaigns.Campaign) {
		c.Gap, c.Each, c.Missed = 0, 0, campaigns.Missed{What: campaigns.Within, Within: 3 * time.Hour}
	})
	edited := *c
	edited.Lines = append(lines(t, "Mon 20:00"), c.Lines...)
	next := ready(t, edited)
	id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-03"), Clock: 12 * 60}
	for moved, edit := range map[string]string{
		"2027-03-03 17:00": "2027-03-03 13:00", // behind its own clock, and before the new one
		"2027-03-05 17:00": "2027-03-04 13:00",
		"2027-03-02 17:00": "2027-03-02 10:00",
		"2027-03-01 17:00": "2027-03-01 18:00", // it is open
	} {
		a, to, now := account(start(t), c), at(t, moved), at(t, edit)
		m := a.Memories["daily"]
		m.Rescheduled = map[campaigns.SlotID]campaigns.Reschedule{id: {To: to}}
		for v := range campaigns.Plan(a, start(t), time.Time{}, now) {
			if v.Slot.ID != id {
				m, a.Uses = campaigns.Take(c, m, a.Uses, v)
			}
		}
		a.Memories["daily"] = m
		b := a.Edited([]*campaigns.Campaign{next}, now)
		for range 2 { // and once more: nothing has changed
			b = b.Edited([]*campaigns.Campaign{next}, now)
		}
		if v, there := campaigns.Find(&b, id, nil, now); !there || !v.Slot.Minute.Equal(to) || v.Kind != campaigns.Go {
			t.Errorf("moved to %s and edited at %s it is %+v", moved, edit, v)
		}
	}
}

// What is known of a moved slot holds until both its minutes are over: that somebody has taken it out, and that it has come.
func TestMovedSlotIsNotForgotten(t *testing.T) {
	t.Parallel()
	c := daily(t, func(c *campaigns.Campaign) { c.Gap, c.Each = 0, 0 })
	late := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-04"), Clock: 12 * 60}
	early := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-25"), Clock: 12 * 60}
	a := account(start(t), c)
	m := a.Memories["daily"]
	m.Rescheduled = map[campaigns.SlotID]campaigns.Reschedule{late: {To: at(t, "2027-03-22 15:00")}, early: {To: at(t, "2027-03-05 15:00")}}
	m.Skips = map[campaigns.SlotID]campaigns.Note{late: {By: "Ana"}}
	came := map[campaigns.SlotID]int{}
	for v := range campaigns.Plan(&campaigns.Account{Campaigns: a.Campaigns, Memories: map[string]campaigns.Memory{"daily": m}, Uses: a.Uses}, start(t), time.Time{}, at(t, "2027-04-20 12:00")) {
		found, there := campaigns.Find(&campaigns.Account{Campaigns: a.Campaigns, Memories: map[string]campaigns.Memory{"daily": m}, Uses: a.Uses}, v.Slot.ID, nil, v.Slot.Minute)
		if !there {
			t.Fatalf("%s is not found", v.Slot.ID)
		}
		if found.Kind == campaigns.Go {
			came[v.Slot.ID]++
		}
		if m, a.Uses = campaigns.Take(c, m, a.Uses, found); v.Slot.Minute.After(at(t, "2027-03-12 00:00")) && v.Slot.Minute.Before(at(t, "2027-03-24 00:00")) {
			m.Rescheduled[early] = campaigns.Reschedule{To: at(t, "2027-03-25 18:00")} // as if somebody moved it once more
		}
	}
	if came[late] != 0 || came[early] != 1 {
		t.Errorf("the one that was taken out came %d times, the other one %d times", came[late], came[early])
	}
	if m.Rescheduled[late].To.IsZero() != true || len(m.Skips) > 0 {
		t.Errorf("in the end it remembers %v, %v", m.Rescheduled, m.Skips)
	}
}
