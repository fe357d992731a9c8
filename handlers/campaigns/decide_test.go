package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// wantLines compares what line shows.
func wantLines(tb testing.TB, vs []campaigns.Verdict, want ...string) {
	tb.Helper()
	if got := strings.TrimSpace(show(vs)); got != strings.Join(want, "\n") {
		tb.Errorf("have\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// noons is daily with another id, on some days of the week.
func noons(tb testing.TB, id string, change func(*campaigns.Campaign), when ...string) *campaigns.Campaign {
	tb.Helper()
	return daily(tb, func(c *campaigns.Campaign) {
		if c.ID, c.Lines = id, lines(tb, when...); change != nil {
			change(c)
		}
	})
}

func TestGapOverAllCampaignsOfTheAccount(t *testing.T) {
	t.Parallel()
	one := func(c *campaigns.Campaign) { c.Items, c.Gap = posts(1), 3*day }
	a := account(start(t), noons(t, "a", one, "Mon 12:00"), noons(t, "b", one, "Tue 12:00", "Thu 12:00"))
	wantLines(t, plan(a, start(t), 7),
		"01 12:00 go 1",
		"02 12:00 skip -: no post may come now",
		"04 12:00 go 1 renewed")
	if v := plan(a, start(t), 7)[1]; len(v.Others) != 1 || v.Others[0].Why.String() != "gap 3d, last on Mon 1 March 12:00" {
		t.Errorf("why not: %v", v.Others)
	}

	// What a person or a rule has published counts, too.
	a = account(start(t), noons(t, "a", one, "Tue 12:00", "Wed 12:00"))
	a.Uses = elsewhere(a.Uses, at(t, "2027-02-28 11:00"), "post:1", text.Limit{})
	wantSequence(t, plan(a, start(t), 7), "(no post) 1")
}

// The author of a post is told of each repost: somebody else's does not come again within a day, whatever gap is written.
func TestGapOfOtherPeoplesPosts(t *testing.T) {
	t.Parallel()
	twice := noons(t, "a", func(c *campaigns.Campaign) { c.Items, c.Gap = posts(1), time.Hour }, "Mon 12:00", "Mon 18:00", "Tue 12:00")
	wantSequence(t, plan(account(start(t), twice), start(t), 3), "1 (no post) 1")
	a := account(start(t), twice)
	a.Uses.Posts = map[string]campaigns.Use{"post:1": {Own: true}}
	wantSequence(t, plan(a, start(t), 3), "1 1 1")
}

// In New York clocks go forward on 14 March 2027, and back on 7 November.
func TestGapOnTheWall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from  string
		gap   time.Duration
		slots []string
		want  string
	}{
		{"2027-03-13 11:00", day, []string{"Sat 12:00", "Sun 12:00"}, "1 1"},
		{"2027-03-13 11:00", day, []string{"Sat 12:00", "Sun 11:45"}, "1 (no post)"},
		{"2027-03-12 11:00", 2 * day, []string{"Fri 12:00", "Sun 12:00"}, "1 1"},
		{"2027-03-13 11:00", day + time.Hour, []string{"Sat 12:00", "Sun 13:00"}, "1 (no post)"}, // hours are hours
		{"2027-11-06 11:00", day, []string{"Sat 12:00", "Sun 11:45"}, "1 (no post)"},
		{"2027-11-06 11:00", day, []string{"Sat 12:00", "Sun 12:00"}, "1 1"},
		{"2027-11-06 11:00", day + time.Hour, []string{"Sat 12:00", "Sun 12:00"}, "1 1"},
	} {
		c := noons(t, "a", func(c *campaigns.Campaign) { c.Items, c.Gap, c.Ends = posts(1), tc.gap, date(t, "2027-12-31") }, tc.slots...)
		from := at(t, tc.from)
		a := account(from, c)
		a.Uses.Posts = map[string]campaigns.Use{"post:1": {Own: true}}
		wantSequence(t, plan(a, from, 3), tc.want)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	apart := func(c *campaigns.Campaign) { c.KeepApart = 90 * time.Minute }
	other := func(c *campaigns.Campaign) { c.Items = posts(7, 8, 9) }
	mine := noons(t, "b", apart, "Mon 12:00")
	wantLines(t, plan(account(start(t), mine, noons(t, "a", other, "Mon 11:00")), start(t), 1),
		"01 11:00 go 7",
		"01 12:00 skip 1: too close to the publication on Mon 1 March 11:00: 1h30m have to be between them")
	// It keeps others away as well.
	wantSequence(t, plan(account(start(t), mine, noons(t, "a", other, "Mon 13:00", "Mon 13:30")), start(t), 1), "1 (too close) 7")
	// In one minute, the first by name comes first.
	wantLines(t, plan(account(start(t), mine, noons(t, "a", other, "Mon 12:00")), start(t), 1),
		"01 12:00 go 7",
		"01 12:00 skip 1: too close to the publication on Mon 1 March 12:00: 1h30m have to be between them")
	// What is known to come counts, too.
	a := account(start(t), mine)
	a.Uses = elsewhere(a.Uses, at(t, "2027-03-01 12:40"), "", text.Limit{})
	wantSequence(t, plan(a, start(t), 1), "(too close)")
	// Two slots in an hour that clocks leave out come at the same minute: the one that is written first.
	gone := noons(t, "a", nil, "Sun 02:45", "Sun 02:15")
	wantLines(t, plan(account(at(t, "2027-03-13 12:00"), gone), at(t, "2027-03-13 12:00"), 1),
		"14 03:00 go 1",
		"14 03:00 skip 2: too close to the publication on Sun 14 March 03:00: 1m have to be between them")
}

func TestWhatIsTooCloseWaits(t *testing.T) {
	t.Parallel()
	within := func(d time.Duration) func(*campaigns.Campaign) {
		return func(c *campaigns.Campaign) {
			c.KeepApart, c.Missed = 30*time.Minute, campaigns.Missed{What: campaigns.Within, Within: d}
			c.Items = posts(7, 8, 9)
		}
	}
	first := noons(t, "a", nil, "Mon 12:00")
	wantLines(t, plan(account(start(t), first, noons(t, "b", within(20*time.Minute), "Mon 12:10")), start(t), 1),
		"01 12:00 go 1",
		"01 12:10 go 7 at 01 12:30")
	wantSequence(t, plan(account(start(t), first, noons(t, "b", within(19*time.Minute), "Mon 12:10")), start(t), 1), "1 (too close)")
	// Another one comes meanwhile: it waits once more, as long as it may.
	busy := noons(t, "c", func(c *campaigns.Campaign) { c.Items = posts(4, 5) }, "Mon 12:30")
	wantLines(t, plan(account(start(t), first, noons(t, "b", within(50*time.Minute), "Mon 12:10"), busy), start(t), 1),
		"01 12:00 go 1",
		"01 12:10 go 7 at 01 12:30",
		"01 12:30 skip 4: too close to the publication on Mon 1 March 12:30: 30m have to be between them")
	// After an outage, the earlier one comes first.
	a := account(start(t), noons(t, "a", within(time.Hour), "Mon 12:05"), noons(t, "b", within(time.Hour), "Mon 12:00"))
	wantLines(t, plan(a, at(t, "2027-03-01 12:20"), 1), "01 12:00 go 7 at 01 12:20", "01 12:05 go 8 at 01 12:50")
	// It may wait up to the next slot of its campaign.
	wantSequence(t, plan(account(start(t), first, noons(t, "b", within(50*time.Minute), "Mon 12:10", "Mon 12:50")), start(t), 1), "1 (too close) 7")
}

// What comes too near to something that was itself late, or that no campaign had planned, waits as long as it is still in time.
func TestWhatIsTooCloseToSomethingLateWaits(t *testing.T) {
	t.Parallel()
	ready := noons(t, "a", func(c *campaigns.Campaign) { c.KeepApart, c.Items = 90*time.Minute, posts(7, 8) }, "Mon 12:00")
	for name, tc := range map[string]struct {
		by   time.Duration // how long after 10:30 a person has published something
		want string        // of the slot at 12:00
	}{
		"as near as may be": {0, "go 7"},
		"a moment late":     {82 * time.Second, "go 7 at 01 12:01"},
		"just in time":      {2 * time.Minute, "go 7 at 01 12:02"},
		"too late":          {121 * time.Second, "skip 7: too close to the publication on Mon 1 March 10:32: 1h30m have to be between them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := account(start(t), ready)
			a.Uses = elsewhere(a.Uses, at(t, "2027-03-01 10:30").Add(tc.by), "", text.Limit{})
			wantLines(t, plan(a, at(t, "2027-03-01 11:00"), 1), "01 12:00 "+tc.want)
		})
	}
	// What comes at its minute keeps its place: the next one does not wait for it.
	a := account(start(t), ready, noons(t, "b", func(c *campaigns.Campaign) { c.Items = posts(9) }, "Mon 10:31"))
	a.Uses = elsewhere(a.Uses, at(t, "2027-03-01 10:30"), "", text.Limit{})
	wantSequence(t, plan(a, start(t), 1), "9 (too close)")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	total := daily(t, func(c *campaigns.Campaign) { c.Total = text.Limit{Max: 2, Per: 3 * day} })
	a := account(start(t), total)
	wantSequence(t, plan(a, start(t), 8), "1 2 (limit) 3 1 (limit) 2 3")
	// What came into force by an older version goes on as it was planned, until its slots are written anew.
	m := a.Memories[total.ID]
	m.Force.Keeps = false
	a.Memories[total.ID] = campaigns.Revise(total, m, start(t))
	wantSequence(t, plan(a, start(t), 8), "1 2 (limit) 1 2 (limit) 1 2")
	m.Force.Lines = m.Force.Lines[1:]
	a.Memories[total.ID] = campaigns.Revise(total, m, start(t))
	wantSequence(t, plan(a, start(t), 8), "1 2 (limit) 3 1 (limit) 2 3")
	// The post keeps its turn with next_slot, too.
	total = daily(t, func(c *campaigns.Campaign) {
		c.Total, c.Missed.What = text.Limit{Max: 2, Per: 3 * day}, campaigns.NextSlot
	})
	wantSequence(t, plan(account(start(t), total), start(t), 8), "1 2 (limit) 3 1 (limit) 2 3")

	a = account(start(t), daily(t, func(c *campaigns.Campaign) { c.Total = text.Limit{Max: 2} }))
	wantSequence(t, plan(a, start(t), 3), "1 2 (whole campaign)")

	// Budget of the account, over campaigns.
	a = account(start(t), noons(t, "a", nil, "Mon 12:00", "Mon 14:00"), noons(t, "b", func(c *campaigns.Campaign) { c.Items = posts(7, 8, 9) }, "Mon 13:00", "Tue 11:59", "Tue 12:01"))
	a.AccountFacts.Budget = campaigns.Budget{Most: text.Limit{Max: 2, Per: day}, Apart: 2 * time.Minute}
	wantLines(t, plan(a, start(t), 2),
		"01 12:00 go 1",
		"01 13:00 go 7",
		"01 14:00 skip 2: the account publishes at most 2 times in 1d; the next one may come on Tue 2 March 12:00",
		"02 11:59 skip 8: the account publishes at most 2 times in 1d; the next one may come on Tue 2 March 12:00",
		"02 12:01 go 8")
	// What nobody had planned takes the turn with it, so that nothing shifts that people have seen in the plan.
	a = account(start(t), daily(t))
	a.AccountFacts.Budget = campaigns.Budget{Most: text.Limit{Max: 1, Per: 6 * time.Hour}}
	a.Uses = elsewhere(a.Uses, at(t, "2027-03-02 10:00"), "", a.AccountFacts.Budget.Most)
	wantSequence(t, plan(a, start(t), 4), "1 (budget) 3 1")
}

// What was missed is lost, and nothing shifts; or its post takes the next slot; or it comes a little later. It never floods.
func TestMissed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		missed campaigns.Missed
		back   string // when the bot is back
		want   string
	}{
		{campaigns.Missed{What: campaigns.SkipMissed}, "2027-03-02 12:02", "2 3 1"},
		{campaigns.Missed{What: campaigns.SkipMissed}, "2027-03-02 12:03", "(missed) 3 1"},
		{campaigns.Missed{What: campaigns.SkipMissed}, "2027-03-04 11:00", "(missed) (missed) 1 2 3"},
		{campaigns.Missed{What: campaigns.NextSlot}, "2027-03-04 11:00", "(missed) (missed) 2 3 1"},
		{campaigns.Missed{What: campaigns.Within, Within: time.Hour}, "2027-03-02 13:00", "2 3 1"},
		{campaigns.Missed{What: campaigns.Within, Within: time.Hour}, "2027-03-02 13:01", "(missed) 3 1"},
		{campaigns.Missed{What: campaigns.Within, Within: 40 * time.Hour}, "2027-03-03 11:59", "2 3 1"}, // to the next slot at most
		{campaigns.Missed{What: campaigns.Within, Within: 40 * time.Hour}, "2027-03-03 13:00", "(missed) 3 1"},
	} {
		a := account(start(t), daily(t, func(c *campaigns.Campaign) { c.Missed = tc.missed }))
		run(t, a, start(t), day)
		now := at(t, tc.back)
		if got := sequence(plan(a, now, 3)); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%v, back at %s: have %s, want %s", tc.missed, tc.back, got, tc.want)
		}
	}
	// 19 days away over 18 slots: nothing leaves of what was missed.
	a := account(start(t), daily(t))
	away := start(t).Add(18 * day)
	for _, v := range plan(a, away, 0) {
		if v.Kind != campaigns.Skip || v.Why.Code != campaigns.Late {
			t.Error("after an outage:", line(&v))
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	now := start(t)
	watch := daily(t, func(c *campaigns.Campaign) { c.Status, c.Each = campaigns.Watch, 2 })
	a := account(now, watch)
	r := run(t, a, now, 4*day)
	wantLines(t, r.book, "01 12:00 watch 1", "02 12:00 watch 2", "03 12:00 watch 3", "04 12:00 watch 1")
	if len(r.calls) > 0 || len(a.Uses.Published) > 0 {
		t.Errorf("on watch, there were calls: %v", r.calls)
	}
	// Live from now on, it goes on where it would be. What was watched was not reposted, so that nothing is renewed.
	a.Campaigns[0] = daily(t, func(c *campaigns.Campaign) { c.Each = 2 })
	wantLines(t, plan(a, now.Add(4*day), 3), "05 12:00 go 2", "06 12:00 go 3", "07 12:00 skip -: no post may come now")

	paused := daily(t, func(c *campaigns.Campaign) { c.Status = campaigns.Paused })
	wantLines(t, plan(account(now, paused), now, 1), "01 12:00 skip 1: paused in the file")

	// A pause by hand: slots pass, and nothing shifts.
	a = account(now, daily(t))
	m := a.Memories["daily"]
	m.Paused = &campaigns.Note{By: "Ana", At: now}
	a.Memories["daily"] = m
	wantLines(t, run(t, a, now, 2*day).book, "01 12:00 skip 1: paused by Ana", "02 12:00 skip 2: paused by Ana")
	m = a.Memories["daily"]
	m.Paused = nil
	a.Memories["daily"] = m
	wantSequence(t, plan(a, now.Add(2*day), 3), "3 1 2")
	a.AccountFacts.Paused = &campaigns.Note{By: "Leo"}
	wantLines(t, plan(a, now.Add(2*day), 1), "03 12:00 skip 3: paused by Leo")

	// A single slot is taken out.
	a = account(now, daily(t))
	m = a.Memories["daily"]
	m.Skips = map[campaigns.SlotID]campaigns.Note{{Campaign: "daily", Day: date(t, "2027-03-02"), Clock: 720}: {By: "Ana"}}
	a.Memories["daily"] = m
	wantLines(t, plan(a, now, 3), "01 12:00 go 1", "02 12:00 skip 2: Ana has taken this slot out", "03 12:00 go 3")
}

// Where posts do not tell whether we have reposted them, nothing is renewed, and nothing reposted that our book or page shows.
func TestPlatformThatDoesNotSay(t *testing.T) {
	t.Parallel()
	a := account(start(t), daily(t))
	a.AccountFacts.Silent = true
	a.Uses.Posts = map[string]campaigns.Use{"post:2": {Last: at(t, "2026-12-01 12:00"), Reposted: true}}
	wantSequence(t, plan(a, start(t), 4), "1 3 (no post) (no post)")

	facts := &campaigns.Facts{Posts: map[platform.PostID]campaigns.PostFact{1: {OnPage: true}, 3: {}}}
	id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}
	v, _ := campaigns.Find(a, id, facts, at(t, "2027-03-01 12:00"))
	wantLines(t, []campaigns.Verdict{v}, "01 12:00 go 3")

	// Neither does a platform that was thought to say, and says nothing of this post.
	a.AccountFacts.Silent = false
	v, _ = campaigns.Find(a, id, &campaigns.Facts{Posts: map[platform.PostID]campaigns.PostFact{1: {OnPage: true}, 2: {}, 3: {}}}, at(t, "2027-03-01 12:00"))
	wantLines(t, []campaigns.Verdict{v}, "01 12:00 go 3")
}

func TestFirstRenewalIsAsked(t *testing.T) {
	t.Parallel()
	a := account(start(t), daily(t))
	a.Uses.Lifts = campaigns.Unknown
	wantLines(t, plan(a, start(t), 5), "01 12:00 go 1", "02 12:00 go 2", "03 12:00 go 3", "04 12:00 ask 1 renewed", "05 12:00 go 2 renewed")
	a.Uses.Lifts = campaigns.No
	wantLines(t, plan(a, start(t), 5), "01 12:00 go 1", "02 12:00 go 2", "03 12:00 go 3", "04 12:00 ask 1 renewed", "05 12:00 ask 2 renewed")
	r := run(t, a, start(t), 5*day) // the first renewal was seen to lift the post
	wantLines(t, r.book, "01 12:00 go 1", "02 12:00 go 2", "03 12:00 go 3", "04 12:00 go 1 renewed", "05 12:00 go 2 renewed")
}

// While it is open whether the first renewal comes, the next one does not leave as if that had lifted its post: nobody may have approved either.
func TestSecondRenewalBeforeTheFirst(t *testing.T) {
	t.Parallel()
	a := account(start(t), daily(t, func(c *campaigns.Campaign) { c.Lines = lines(t, "Mon 12:00", "Mon 12:01") }))
	a.Uses.Lifts, a.Uses.Posts = campaigns.Unknown, map[string]campaigns.Use{}
	for _, key := range []string{"post:1", "post:2", "post:3"} {
		a.Uses.Posts[key] = campaigns.Use{Last: at(t, "2027-02-01 12:00"), Reposted: true}
	}
	wantLines(t, plan(a, start(t), 1), "01 12:00 ask 1 renewed", "01 12:01 go 2 renewed") // as it will be once somebody approves the first
	facts := campaigns.NewFacts()
	for p := range platform.PostID(3) {
		facts.Posts[p+1] = campaigns.PostFact{Reposted: campaigns.Yes}
	}
	v, _ := campaigns.Find(a, campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 721}, facts, at(t, "2027-03-01 12:00"))
	wantLines(t, []campaigns.Verdict{v}, "01 12:01 ask 2 renewed")
}

// Reasons are sentences.
func TestEveryReasonIsASentence(t *testing.T) {
	t.Parallel()
	cause := campaigns.Why{Code: campaigns.PostGone}
	for _, code := range []campaigns.Code{
		campaigns.Missing, campaigns.Moved, campaigns.Ended, campaigns.SkippedBy, campaigns.OnPause, campaigns.Late, campaigns.TooClose, campaigns.OverBudget,
		campaigns.OverTotal, campaigns.OverWhole, campaigns.NoPost, campaigns.Nothing, campaigns.Unapproved, campaigns.Unasked, campaigns.RefusedBy,
		campaigns.Bound, campaigns.Reworded, campaigns.Unreadable, campaigns.Unconcluded, campaigns.PostPaused, campaigns.NotBefore, campaigns.UsedUp, campaigns.TooOld,
		campaigns.TooSoon, campaigns.PostGone, campaigns.PostHidden, campaigns.PostUndone, campaigns.PostTakenBack, campaigns.ByHand, campaigns.NoRenewal, campaigns.NotSaid,
		campaigns.Again, campaigns.HadTurn, campaigns.EditWaits, campaigns.OtherMinute, campaigns.OtherWay, campaigns.NotThere,
	} {
		s := campaigns.Why{Code: code, N: 3, At: start(t), Span: day, Name: "Ana", Cause: &cause}.String()
		if s == string(code) || strings.ContainsAny(s, "{}%") || strings.HasSuffix(s, ".") {
			t.Errorf("%s: %q", code, s)
		}
	}
	if s := (campaigns.Why{}).String(); s != "" {
		t.Errorf("no reason is %q", s)
	}
}
