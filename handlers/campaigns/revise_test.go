package campaigns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// tuesdays is a campaign whose slots are on one Tuesday, 16 March 2027, and after.
func tuesdays(tb testing.TB, change func(*campaigns.Campaign), clocks string) *campaigns.Campaign {
	tb.Helper()
	return daily(tb, func(c *campaigns.Campaign) {
		c.Lines = nil
		for clock := range strings.FieldsSeq(clocks) {
			c.Lines = append(c.Lines, lines(tb, "Tue "+clock)...)
		}
		c.Items, c.Gap, c.Do = posts(1, 2, 3, 4, 5, 6, 7, 8, 9), 0, campaigns.Publish
		if change != nil {
			change(c)
		}
	})
}

// edits brings a campaign into force at nine on that Tuesday, and then its edits at their times; it returns when something was published
// that day, and what else was told of slots.
func edits(tb testing.TB, first *campaigns.Campaign, all ...any) string {
	tb.Helper()
	r := newRunner(tb, account(at(tb, "2027-03-16 09:00"), first), at(tb, "2027-03-16 09:00"))
	for i := 0; i < len(all); i += 2 {
		r.until(at(tb, "2027-03-16 "+all[i].(string)))
		r.edit(all[i+1].(*campaigns.Campaign))
	}
	r.until(at(tb, "2027-03-17 00:00"))
	var b strings.Builder
	for i := range r.book {
		v := &r.book[i]
		if v.Kind == campaigns.Go {
			fmt.Fprintf(&b, "%s ", r.calls[0].at.In(v.Slot.At.Location()).Format("15:04"))
			r.calls = r.calls[1:]
			continue
		}
		fmt.Fprintf(&b, "(%s %s) ", v.Slot.ID.Clock, v.Why.Code)
	}
	return strings.TrimSpace(b.String())
}

// edit brings a campaign into force as it is written now.
func (r *runner) edit(c *campaigns.Campaign) {
	for i, old := range r.a.Campaigns {
		if old.ID == c.ID {
			r.a.Campaigns[i] = c
		}
	}
	r.keep(c, campaigns.Revise(c, r.a.Memories[c.ID], r.now), r.a.Uses)
}

// An edit of slots: what has happened is not there a second time, and nothing that is new happens before it was written.
func TestEditsOfSlots(t *testing.T) {
	t.Parallel()
	on := func(clocks string) *campaigns.Campaign { return tuesdays(t, nil, clocks) }
	for _, tc := range []struct {
		name  string
		first *campaigns.Campaign
		edits []any
		want  string
	}{
		{"moved after it happened", on("09:30"), []any{"09:45", on("10:00")}, "09:30 (10:00 moved)"},
		{"moved before", on("09:30"), []any{"09:20", on("10:00")}, "10:00"},
		{"moved to before now", on("09:30"), []any{"09:20", on("09:10")}, ""},
		{"moved twice", on("09:30"), []any{"09:45", on("10:00"), "09:50", on("11:00")}, "09:30 (11:00 moved)"},
		{"moved twice, once over", on("09:30"), []any{"09:45", on("10:00"), "10:15", on("11:00")}, "09:30 (10:00 moved) (11:00 moved)"},
		{"moved there and back", on("09:30"), []any{"09:45", on("10:00"), "09:50", on("09:30")}, "09:30"},
		{"moved there and back, and on", on("09:30"), []any{"09:45", on("10:00"), "09:50", on("09:30"), "09:55", on("12:00")}, "09:30 (12:00 moved)"},
		{"removed, then written anew", on("09:30 17:45"), []any{"09:45", on("17:45"), "09:50", on("10:00 17:45")}, "09:30 (10:00 moved) 17:45"},
		{"removed, and the other stays", on("09:30 17:45"), []any{"12:00", on("17:45")}, "09:30 17:45"},
		{"one of two is moved", on("09:30 17:45"), []any{"12:00", on("09:30 18:00")}, "09:30 18:00"},
		{"both are moved", on("09:30 17:45"), []any{"12:00", on("13:00 18:00")}, "09:30 (13:00 moved) 18:00"},
		{"one is added", on("09:30"), []any{"09:45", on("09:30 10:00")}, "09:30 10:00"},
		{"one is added before now", on("09:30"), []any{"10:00", on("09:30 09:45 12:00")}, "09:30 12:00"},
		{"moved, and one is added", on("09:30"), []any{"09:45", on("10:00 15:00")}, "09:30 (10:00 moved) 15:00"},
		{"a day is taken out, and put back", on("09:30 12:00"), []any{
			"09:15", tuesdays(t, func(c *campaigns.Campaign) { c.Except = append(c.Except, dates(t, "2027-03-16")) }, "09:30 12:00"), "10:00", on("09:30 12:00"),
		}, "12:00"},
		{"it begins today", tuesdays(t, func(c *campaigns.Campaign) { c.Starts = date(t, "2027-03-20") }, "09:30 12:00"), []any{"10:00", on("09:30 12:00")}, "12:00"},
		{"it ends before", on("09:30 12:00"), []any{"10:00", tuesdays(t, func(c *campaigns.Campaign) { c.Ends = date(t, "2027-03-15") }, "09:30 12:00")}, "09:30"},
		{"another zone, farther west", on("09:30"), []any{"10:00", tuesdays(t, func(c *campaigns.Campaign) { c.Zone = zone(t, "America/Los_Angeles") }, "09:30")}, "09:30"},
		{"another zone, farther west, before", on("10:30"), []any{"10:00", tuesdays(t, func(c *campaigns.Campaign) { c.Zone = zone(t, "America/Los_Angeles") }, "10:30")}, "10:30"},
		{"another zone, farther east", on("10:30"), []any{"10:00", tuesdays(t, func(c *campaigns.Campaign) { c.Zone = zone(t, "Europe/Lisbon") }, "10:30")}, ""},
	} {
		if got := edits(t, tc.first, tc.edits...); got != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, got, tc.want)
		}
	}
}

// What was not decided when an edit came is still to be decided, if the edit leaves it.
func TestEditWhileASlotIsOpen(t *testing.T) {
	t.Parallel()
	late := func(clocks string) *campaigns.Campaign {
		return tuesdays(t, func(c *campaigns.Campaign) { c.Missed = campaigns.Missed{What: campaigns.Within, Within: time.Hour} }, clocks)
	}
	a := account(at(t, "2027-03-16 09:00"), late("09:30"))
	now := at(t, "2027-03-16 09:50") // the bot was away, and finds the edit when it is back
	a.Campaigns[0] = late("09:30 18:00")
	a.Memories["daily"] = stored(t, campaigns.Revise(a.Campaigns[0], a.Memories["daily"], now))
	wantLines(t, plan(a, now, 1), "16 09:30 go 1 at 16 09:50", "16 18:00 go 2")
	// Nothing that was not there before comes with it.
	a.Campaigns[0] = late("09:30 09:40 18:00")
	a.Memories["daily"] = campaigns.Revise(a.Campaigns[0], a.Memories["daily"], now.Add(time.Minute))
	wantLines(t, plan(a, now.Add(time.Minute), 1), "16 09:30 go 1 at 16 09:51", "16 18:00 go 2")
}

// A slot that a person has taken out stays out under a new clock, and so does one that stands for another.
func TestEditOfASlotThatWasTakenOut(t *testing.T) {
	t.Parallel()
	now := at(t, "2027-03-16 09:00")
	a := account(now, tuesdays(t, nil, "09:30"))
	m := a.Memories["daily"]
	m.Skips = map[campaigns.SlotID]campaigns.Note{{Campaign: "daily", Day: date(t, "2027-03-23"), Clock: 9*60 + 30}: {By: "Ana"}}
	a.Campaigns[0] = tuesdays(t, nil, "11:00")
	a.Memories["daily"] = campaigns.Revise(a.Campaigns[0], m, now)
	wantLines(t, plan(a, now, 9), "16 11:00 go 1", "23 11:00 skip 2: Ana has taken this slot out")
}

// A campaign that is taken out of the files and put back exists anew: what was before it does not come again, how often each post has come
// is known.
func TestCampaignThatIsPutBack(t *testing.T) {
	t.Parallel()
	c := tuesdays(t, func(c *campaigns.Campaign) { c.Each = 1 }, "09:30 12:00 15:00")
	a := account(at(t, "2027-03-16 09:00"), c)
	run(t, a, at(t, "2027-03-16 09:00"), time.Hour)
	m := campaigns.Retire(a.Memories["daily"], at(t, "2027-03-16 11:00"))
	now := at(t, "2027-03-16 13:00")
	a.Memories["daily"] = campaigns.Revise(c, stored(t, m), now)
	wantLines(t, plan(a, now, 1), "16 15:00 go 2")
}

// Without an edit, nothing changes; and what is read again after a start is no edit.
func TestReviseChangesNothing(t *testing.T) {
	t.Parallel()
	a := account(start(t), spring(t), daily(t))
	r := run(t, a, start(t), 20*day)
	for _, c := range a.Campaigns {
		was := a.Memories[c.ID]
		if now := campaigns.Revise(c, was, r.now); fmt.Sprint(now) != fmt.Sprint(was) {
			t.Errorf("%s was\n%+v\nand is\n%+v", c.ID, was, now)
		}
	}
}

// A day that a zone leaves out has no slots, and says so. One beside it has.
func TestMissingDay(t *testing.T) {
	t.Parallel()
	c := daily(t, func(c *campaigns.Campaign) {
		c.Zone, c.Starts, c.Ends, c.Do = zone(t, "Pacific/Apia"), date(t, "2011-12-29"), date(t, "2011-12-31"), campaigns.Publish
	})
	now := in(t, "Pacific/Apia", "2011-12-28 12:00")
	a := account(now, c)
	var got []string
	for _, v := range plan(a, now, 5) {
		got = append(got, v.Slot.ID.Day.String()+" "+string(v.Kind)+" "+v.Why.String())
	}
	want := "2011-12-29 go |2011-12-30 skip there is no such day there: the clocks go over it|2011-12-31 go "
	if strings.Join(got, "|") != want {
		t.Errorf("have %s\nwant %s", strings.Join(got, "|"), want)
	}
}

// Draws never change: a slot that people have seen in a plan comes when the plan said.
func TestJitterStays(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	counts := map[time.Duration]int{}
	c := noons(t, "spring-menu", func(c *campaigns.Campaign) { c.Jitter, c.Ends = 12*time.Minute+30*time.Second, date(t, "2037-03-01") }, "Mon 09:30", "Tue 17:45", "Wed 00:00", "Thu 23:59", "Fri 12:00", "Sat 11:00", "Sun 12:01")
	for s := range c.Slots(start(t), start(t).AddDate(10, 0, 0)) {
		if counts[s.Minute.Sub(s.At)]++; s.Minute.Before(start(t).AddDate(0, 0, 21)) {
			fmt.Fprintf(&b, "%s %s\n", s.ID, s.Minute.Format("15:04"))
		}
	}
	golden(t, "jitter.txt", b.String())
	for m := range 13 {
		if n := counts[time.Duration(m)*time.Minute]; n < 200 || n > 370 {
			t.Errorf("%d of %v are %d minutes late", n, counts, m)
		}
	}
	if len(counts) != 13 {
		t.Errorf("delays of %v", counts)
	}
}
