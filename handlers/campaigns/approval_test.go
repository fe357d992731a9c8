package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// asked is daily on ask: each slot has to be approved two hours before. The first slot's name comes with it.
func asked(tb testing.TB, change func(*campaigns.Campaign)) (*campaigns.Account, campaigns.SlotID) {
	tb.Helper()
	a := account(start(tb).Add(-3*day), daily(tb, func(c *campaigns.Campaign) {
		c.Status, c.AtLeast, c.Jitter = campaigns.Ask, 2*time.Hour, 7*time.Minute
		if change != nil {
			change(c)
		}
	}))
	return a, campaigns.SlotID{Campaign: "daily", Day: date(tb, "2027-03-01"), Clock: 720}
}

// found looks at a slot on a platform where the three posts are there, and not reposted.
func found(tb testing.TB, a *campaigns.Account, id campaigns.SlotID, now string, change ...func(map[platform.PostID]campaigns.PostFact)) campaigns.Verdict {
	tb.Helper()
	facts := &campaigns.Facts{Posts: map[platform.PostID]campaigns.PostFact{}}
	for p := range platform.PostID(3) {
		facts.Posts[p+1] = campaigns.PostFact{Reposted: campaigns.No}
	}
	for _, f := range change {
		f(facts.Posts)
	}
	v, ok := campaigns.Find(a, id, facts, at(tb, now))
	if !ok {
		tb.Fatal("there is no slot", id)
	}
	return v
}

func TestApproval(t *testing.T) {
	t.Parallel()
	yes := func(m campaigns.Memory, id campaigns.SlotID, when string) campaigns.Memory {
		return campaigns.Approve(m, id, "Ana", true, at(t, when))
	}
	minute := plan(first(asked(t, nil)), start(t), 1)[0].Slot.Minute.Format("02 15:04")
	for _, tc := range []struct {
		name string
		do   func(m campaigns.Memory, id campaigns.SlotID) campaigns.Memory
		now  string
		want string
	}{
		{"it waits", nil, "2027-03-01 10:00", minute + " ask 1"},
		{"approved in time", func(m campaigns.Memory, id campaigns.SlotID) campaigns.Memory { return yes(m, id, "2027-03-01 10:00") }, "2027-03-01 12:00", minute + " go 1"},
		{"approved in time, and taken up later", func(m campaigns.Memory, id campaigns.SlotID) campaigns.Memory { return yes(m, id, "2027-02-28 10:00") }, "2027-03-01 12:00", minute + " go 1"},
		{"approved too late", func(m campaigns.Memory, id campaigns.SlotID) campaigns.Memory { return yes(m, id, "2027-03-01 10:01") }, "2027-03-01 12:00", minute + " skip 1: nobody approved it by Mon 1 March 10:00"},
		{"nobody approved", nil, "2027-03-01 10:01", minute + " skip 1: nobody approved it by Mon 1 March 10:00"},
		{"refused", func(m campaigns.Memory, id campaigns.SlotID) campaigns.Memory {
			return campaigns.Approve(m, id, "Leo", false, at(t, "2027-02-28 10:00"))
		}, "2027-03-01 09:00", minute + " skip 1: Leo refused it"},
	} {
		a, id := asked(t, nil)
		v := found(t, a, id, "2027-02-28 10:00")
		if v.Kind != campaigns.Asks || !v.Deadline.Equal(at(t, "2027-03-01 10:00")) || !v.Ask.Equal(at(t, "2027-02-28 10:00")) {
			t.Fatalf("asked at %s, until %s: %s", v.Ask, v.Deadline, line(&v))
		}
		m := campaigns.Prepare(a.Memories["daily"], v, "words", at(t, "2027-02-28 10:00"))
		if tc.do != nil {
			m = tc.do(m, id)
		}
		a.Memories["daily"] = stored(t, m)
		got := found(t, a, id, tc.now)
		if line(&got) != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, line(&got), tc.want)
		}
		// Whatever comes of it, the next slot has the next post.
		if all := plan(a, at(t, tc.now), 2); len(all) < 2 || all[1].Item.Name() != "2" {
			t.Errorf("%s, then\n%s", tc.name, show(all))
		}
	}

	// Nobody could be asked.
	a, id := asked(t, nil)
	v := found(t, a, id, "2027-03-01 11:00")
	wantLines(t, []campaigns.Verdict{v}, minute+" skip 1: it could not be shown to anybody in time: an approval was possible until Mon 1 March 10:00")
	// An approval that is asked for long before is asked for a day earlier still.
	a, id = asked(t, func(c *campaigns.Campaign) { c.AtLeast = 6*day + 12*time.Hour })
	if v := plan(a, start(t).Add(-8*day), 10)[0]; !v.Ask.Equal(v.Slot.At.Add(-7 * day)) {
		t.Errorf("%s is asked for at %s", id, v.Ask)
	}
}

func first[T, U any](v T, _ U) T { return v }

// An approval is for one slot with one post, its words, the way and the minute.
func TestApprovalIsForWhatWasShown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		edit  func(*campaigns.Campaign)
		facts func(map[platform.PostID]campaigns.PostFact)
		now   string
		kind  campaigns.Kind
		item  string
		why   string
		void  campaigns.Code
	}{
		{"nothing changes", nil, nil, "2027-03-01 12:00", campaigns.Go, "1", "", ""},
		{"another line", func(c *campaigns.Campaign) { c.Items = posts(9, 1, 2, 3) }, nil, "2027-03-01 12:00", campaigns.Go, "1", "", ""},
		{"another minute", func(c *campaigns.Campaign) { c.Jitter = 0 }, nil, "2027-03-01 09:00", campaigns.Asks, "1", "", campaigns.OtherMinute},
		{"the minute before", func(c *campaigns.Campaign) { c.Jitter = 8 * time.Minute }, nil, "2027-03-01 09:00", campaigns.Asks, "1", "", campaigns.OtherMinute},
		{"another minute, too late", func(c *campaigns.Campaign) { c.Jitter = 0 }, nil, "2027-03-01 11:00", campaigns.Skip, "1", "it could not be shown to anybody in time: an approval was possible until Mon 1 March 10:00", campaigns.OtherMinute},
		{"the post is not there", func(c *campaigns.Campaign) { c.Items = posts(2, 3) }, nil, "2027-03-01 09:00", campaigns.Asks, "2", "", campaigns.NotThere},
		{"another way", nil, func(p map[platform.PostID]campaigns.PostFact) {
			p[1] = campaigns.PostFact{Reposted: campaigns.Yes, Since: at(t, "2027-01-01 12:00")}
		}, "2027-03-01 09:00", campaigns.Asks, "1", "", campaigns.OtherWay},
		{"other words", nil, func(p map[platform.PostID]campaigns.PostFact) {
			p[1] = campaigns.PostFact{Reposted: campaigns.No, Words: "other"}
		}, "2027-03-01 12:00", campaigns.Skip, "1", "1 reads otherwise than when it was shown", ""},
		{"the post is gone", nil, func(p map[platform.PostID]campaigns.PostFact) { p[1] = campaigns.PostFact{Out: campaigns.Gone} }, "2027-03-01 12:00", campaigns.Skip, "1", "it was prepared for 1, and that may not come: it was deleted. So it stays empty", ""},
	} {
		a, id := asked(t, nil)
		v := found(t, a, id, "2027-02-28 10:00")
		m := campaigns.Prepare(a.Memories["daily"], v, "words", at(t, "2027-02-28 10:00"))
		m = campaigns.Approve(m, id, "Ana", true, at(t, "2027-02-28 11:00"))
		if tc.edit != nil {
			a = first(asked(t, tc.edit))
			m = campaigns.Revise(a.Campaigns[0], m, at(t, "2027-02-28 12:00"))
		}
		a.Memories["daily"] = m
		var changes []func(map[platform.PostID]campaigns.PostFact)
		if tc.facts != nil {
			changes = append(changes, tc.facts)
		}
		got := found(t, a, id, tc.now, changes...)
		if got.Kind != tc.kind || got.Item == nil || got.Item.Name() != tc.item || got.Why.String() != tc.why || got.Void.Code != tc.void {
			t.Errorf("%s: have %s, void %q", tc.name, line(&got), got.Void.Code)
		}
	}
}

// A slot that is gone with an edit leaves what was prepared for it.
func TestOrphans(t *testing.T) {
	t.Parallel()
	a, id := asked(t, nil)
	m := campaigns.Prepare(a.Memories["daily"], found(t, a, id, "2027-02-28 10:00"), "", at(t, "2027-02-28 10:00"))
	if got := campaigns.Orphans(a.Campaigns[0], m); len(got) > 0 {
		t.Error("orphans before:", got)
	}
	moved := noons(t, "daily", nil, "Mon 13:00")
	m = campaigns.Revise(moved, m, at(t, "2027-02-28 12:00"))
	if got := campaigns.Orphans(moved, m); !slices.Equal(got, []campaigns.SlotID{id}) {
		t.Error("orphans:", got)
	}
	if got := campaigns.Orphans(moved, campaigns.Withdraw(m, id)); len(got) > 0 {
		t.Error("orphans that were withdrawn:", got)
	}
}

// An approval is for the minute that was shown: what may be late does not leave much later than that because of something else that
// was published. A minute or two is no other time.
func TestApprovedMinuteDoesNotShift(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, other, want string
	}{
		{"nothing in its way", "2027-03-01 08:00", "01 12:06 go 1"},
		{"a little later", "2027-03-01 11:07", "01 12:06 go 1 at 01 12:07"},
		{"much later", "2027-03-01 11:30", "01 12:06 skip 1: too close to the publication on Mon 1 March 11:30: 1h have to be between them"},
	} {
		a, id := asked(t, func(c *campaigns.Campaign) {
			c.Missed, c.KeepApart = campaigns.Missed{What: campaigns.Within, Within: 3 * time.Hour}, time.Hour
		})
		v := found(t, a, id, "2027-02-28 10:00")
		m := campaigns.Prepare(a.Memories["daily"], v, "words", at(t, "2027-02-28 10:00"))
		a.Memories["daily"] = campaigns.Approve(m, id, "Ana", true, at(t, "2027-02-28 11:00"))
		a.Uses = elsewhere(a.Uses, at(t, tc.other), "", text.Limit{})
		all := plan(a, at(t, "2027-03-01 11:40"), 1)
		if got := line(&all[0]); got != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, got, tc.want)
		}
	}
}

// What was approved leaves no later than people were shown, also when an edit takes the next slot away that had kept it short.
func TestApprovedUntilDoesNotGrow(t *testing.T) {
	t.Parallel()
	within := func(next ...string) func(*campaigns.Campaign) {
		return func(c *campaigns.Campaign) {
			c.Missed, c.KeepApart = campaigns.Missed{What: campaigns.Within, Within: 3 * time.Hour}, time.Hour
			c.Lines = append(c.Lines, lines(t, next...)...)
		}
	}
	a, id := asked(t, within("2027-03-01 13:30"))
	v := found(t, a, id, "2027-02-28 10:00")
	m := campaigns.Prepare(a.Memories["daily"], v, "words", at(t, "2027-02-28 10:00"))
	m = campaigns.Approve(m, id, "Ana", true, at(t, "2027-02-28 11:00"))
	edited, _ := asked(t, within())
	edited.Memories["daily"] = campaigns.Revise(edited.Campaigns[0], m, at(t, "2027-02-28 12:00"))
	if got := found(t, edited, id, "2027-03-01 11:30"); !got.Until.Equal(v.Until) || got.Kind != campaigns.Go {
		t.Errorf("it was shown to leave before %s, and would until %s: %s", v.Until, got.Until, got.Kind)
	}
	if got := found(t, edited, id, "2027-03-01 14:10"); got.Kind != campaigns.Skip {
		t.Errorf("later than people were shown it is %s", got.Kind)
	}
}

// What is asked for anew leaves in its own time, and not in that of what was approved before.
func TestVoidedUntilIsForgotten(t *testing.T) {
	t.Parallel()
	within := func(posts []campaigns.Item, next ...string) func(*campaigns.Campaign) {
		return func(c *campaigns.Campaign) {
			c.Missed, c.KeepApart, c.Items = campaigns.Missed{What: campaigns.Within, Within: 3 * time.Hour}, time.Hour, posts
			c.Lines = append(c.Lines, lines(t, next...)...)
		}
	}
	a, id := asked(t, within(posts(1, 2, 3), "2027-03-01 13:30"))
	v := found(t, a, id, "2027-02-28 10:00")
	m := campaigns.Prepare(a.Memories["daily"], v, "words", at(t, "2027-02-28 10:00"))
	m = campaigns.Approve(m, id, "Ana", true, at(t, "2027-02-28 11:00"))
	edited, _ := asked(t, within(posts(2, 3)))
	edited.Memories["daily"] = campaigns.Revise(edited.Campaigns[0], m, at(t, "2027-02-28 12:00"))
	got := found(t, edited, id, "2027-02-28 12:00")
	if got.Void.Code != campaigns.NotThere || got.Kind != campaigns.Asks || !got.Until.Equal(got.Slot.Minute.Add(3*time.Hour)) {
		t.Errorf("void %q, %s, until %s, and its minute is %s", got.Void.Code, line(&got), got.Until, got.Slot.Minute)
	}
}
