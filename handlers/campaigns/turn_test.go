package campaigns_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"pgregory.net/rapid"
)

func TestTurnsInOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*campaigns.Campaign)
		want   string
	}{
		{"as written", func(*campaigns.Campaign) {}, "1 2 3 1 2 3 1"},
		{"one that comes later is first then", func(c *campaigns.Campaign) { c.Items[1].NotBefore = date(t, "2027-03-03") }, "1 3 2 1 2 3 1"},
		{"each comes twice", func(c *campaigns.Campaign) { c.Each = 2 }, "1 2 3 1 2 3 (no post)"},
		{"stop_after", func(c *campaigns.Campaign) { c.StopAfter = 1 }, "1 2 3 (no post) (no post) (no post) (no post)"},
		{"a gap longer than a round", func(c *campaigns.Campaign) { c.Gap = 5 * day }, "1 2 3 (no post) (no post) 1 2"},
		{"one post", func(c *campaigns.Campaign) { c.Items = posts(7); c.Gap = 2 * day }, "7 (no post) 7 (no post) 7 (no post) 7"},
		{"first reposts only", func(c *campaigns.Campaign) { c.Renews = false }, "1 2 3 (no post) (no post) (no post) (no post)"},
		{"one post is on pause", func(c *campaigns.Campaign) { c.Items[0].Status = campaigns.Paused }, "2 3 2 3 2 3 2"},
		{"the whole campaign", func(c *campaigns.Campaign) { c.Whole = 3 }, "1 2 3 (whole campaign) (whole campaign) (whole campaign) (whole campaign)"},
		{"a slot with a post of its own", func(c *campaigns.Campaign) {
			own := post(9)
			own.Only = true
			c.Items = append(c.Items, own)
			c.Lines = append(c.Lines, lines(t, "2027-03-03 12:00 = post:9")...)
		}, "1 2 9 3 1 2 3"},
		{"a day on which nothing comes", func(c *campaigns.Campaign) { c.Except = append(c.Except, dates(t, "2027-03-03")) }, "1 2 3 1 2 3"},
		{"a day with another slot", func(c *campaigns.Campaign) {
			c.Except = append(c.Except, dates(t, "2027-03-03"))
			c.Lines = append(c.Lines, lines(t, "2027-03-03 18:00")...)
		}, "1 2 3 1 2 3 1"},
	} {
		a := account(start(t), daily(t, tc.change))
		if got := sequence(plan(a, start(t), 7)); got != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, got, tc.want)
		}
	}
}

// Each post has its turns also where a limit leaves every second slot empty. Two of four never came while an empty slot took the turn of its post.
func TestTurnsWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	for _, turn := range []campaigns.Turn{campaigns.InOrder, campaigns.LeastUsed, campaigns.Shuffle} {
		c := ready(t, campaigns.Campaign{
			ID: "four", Do: campaigns.Publish, Status: campaigns.Live, Zone: time.UTC, Turn: turn, Items: posts(1, 2, 3, 4),
			Lines: lines(t, "Mon 09:30", "Mon 17:00", "Thu 09:30", "Thu 17:00"), Total: text.Limit{Max: 1, Per: day},
		})
		came := map[string]int{}
		for v := range campaigns.Plan(account(start(t), c), start(t), start(t), start(t).AddDate(0, 0, 13*7)) {
			if v.Kind == campaigns.Go {
				came[v.Item.Key]++
			}
		}
		counts := slices.Collect(maps.Values(came))
		if len(counts) != 4 || slices.Max(counts)-slices.Min(counts) > 1 {
			t.Errorf("%s: have come %v", turn, came)
		}
	}
}

// A round of shuffle has each post once, and no post comes twice in a row, over the seam either.
func TestTurnsShuffled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "posts")
		c := shuffled(t, rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "id"), n)
		got := taken(c, 80)
		for i := 0; i+n <= len(got); i += n {
			if round := slices.Sorted(slices.Values(got[i : i+n])); len(slices.Compact(round)) != n {
				t.Fatalf("round %d has %v", i/n, got[i:i+n])
			}
		}
		for i := range got[1:] {
			if got[i] == got[i+1] {
				t.Fatalf("twice in a row at %d: %v", i, got)
			}
		}
	})
	if a, b := taken(shuffled(t, "a", 9), 9), taken(shuffled(t, "b", 9), 9); slices.Equal(a, b) {
		t.Error("two campaigns have the same order:", a)
	}
	if got := taken(shuffled(t, "a", 9), 18); slices.Equal(got[:9], got[9:]) {
		t.Error("two rounds have the same order:", got)
	}
}

func shuffled(tb rapid.TB, id string, n int) *campaigns.Campaign {
	tb.Helper()
	c := campaigns.Campaign{ID: id, Do: campaigns.Publish, Status: campaigns.Live, Zone: time.UTC, Turn: campaigns.Shuffle}
	for i := range n {
		c.Items = append(c.Items, post(i+1))
	}
	for d := range 7 {
		l := campaigns.Line{}
		l.When.Weekday, l.When.Clock = time.Weekday(d), 720
		c.Lines = append(c.Lines, l)
	}
	r, err := campaigns.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// taken returns the posts of the first slots.
func taken(c *campaigns.Campaign, slots int) []string {
	now := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	var all []string
	for _, v := range plan(account(now, c), now, slots) {
		all = append(all, v.Item.Key)
	}
	return all
}

func TestTurnsLeastUsed(t *testing.T) {
	t.Parallel()
	least := func(c *campaigns.Campaign) { c.Turn = campaigns.LeastUsed }
	wantSequence(t, plan(account(start(t), daily(t, least)), start(t), 7), "1 2 3 1 2 3 1")

	// What was published by hand counts for the gap, and not as a turn.
	a := account(start(t), daily(t, least))
	a.Uses.Posts = map[string]campaigns.Use{"post:1": {Last: start(t)}}
	wantSequence(t, plan(a, start(t), 6), "2 1 3 2 1 3")

	// One that could not come for long comes first, once: it does not catch up on the rounds that it missed.
	later := daily(t, least, func(c *campaigns.Campaign) { c.Items[2].NotBefore = date(t, "2027-03-09") })
	wantSequence(t, plan(account(start(t), later), start(t), 14), "1 2 1 2 1 2 1 2 3 1 2 3 1 2")

	// So does one that is added.
	c := daily(t, least, func(c *campaigns.Campaign) { c.Items = posts(1, 2) })
	a = account(start(t), c)
	run(t, a, start(t), 8*day)
	now := start(t).Add(8 * day)
	a.Campaigns[0] = daily(t, least, func(c *campaigns.Campaign) { c.Items = posts(1, 2, 9) })
	a.Memories["daily"] = campaigns.Revise(a.Campaigns[0], a.Memories["daily"], now)
	wantSequence(t, plan(a, now, 6), "9 1 2 9 1 2")
}

// Whatever line is added, removed or moved, what is remembered of the other posts stays, and so does their order.
func TestPostsAreKeptByPost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		after int // slots
		posts []int
		want  string
	}{
		{"nothing", 2, []int{1, 2, 3}, "3 1 2 3"},
		{"one is added in front", 2, []int{9, 1, 2, 3}, "3 9 1 2"},
		{"one is added in the middle", 2, []int{1, 2, 9, 3}, "9 3 1 2"},
		{"one is added before the place", 2, []int{1, 9, 2, 3}, "3 1 9 2"},
		{"the first is removed", 2, []int{2, 3}, "3 2 3 2"},
		{"the last one that came is removed", 2, []int{1, 3}, "3 1 3 1"},
		{"the next is removed", 2, []int{1, 2}, "1 2 1 2"},
		{"all that came are removed", 2, []int{3}, "3 3 3 3"},
		{"others", 2, []int{7, 8}, "7 8 7 8"},
		{"they change places", 2, []int{3, 2, 1}, "1 3 2 1"},
	} {
		a := account(start(t), daily(t))
		run(t, a, start(t), time.Duration(tc.after)*day)
		now := start(t).Add(time.Duration(tc.after) * day)
		a.Campaigns[0] = daily(t, func(c *campaigns.Campaign) { c.Items = posts(tc.posts...) })
		a.Memories["daily"] = campaigns.Revise(a.Campaigns[0], a.Memories["daily"], now)
		if got := sequence(plan(a, now, 4)); got != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, got, tc.want)
		}
	}
}

// How often a post has come, and when, is known again when it is put back.
func TestPostThatIsPutBack(t *testing.T) {
	t.Parallel()
	twice := func(ids ...int) *campaigns.Campaign {
		return daily(t, func(c *campaigns.Campaign) { c.Items, c.Each = posts(ids...), 2 })
	}
	a := account(start(t), twice(1, 2))
	run(t, a, start(t), 3*day)
	now := start(t).Add(3 * day)
	for _, c := range []*campaigns.Campaign{twice(2), twice(2, 1)} {
		a.Campaigns[0] = c
		a.Memories["daily"] = campaigns.Revise(c, a.Memories["daily"], now)
	}
	wantSequence(t, plan(a, now, 2), "2 (no post)")
}

// A removed line of the slots changes neither the names nor the minutes of the others.
func TestSlotsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []campaigns.Line
		for range rapid.IntRange(2, 6).Draw(t, "lines") {
			l := campaigns.Line{}
			l.When.Weekday, l.When.Clock = time.Weekday(rapid.IntRange(0, 6).Draw(t, "day")), text.Clock(rapid.IntRange(0, 1439).Draw(t, "clock"))
			all = append(all, l)
		}
		jitter := time.Duration(rapid.IntRange(0, 180).Draw(t, "jitter")) * time.Minute
		slots := func(ls []campaigns.Line) map[string]time.Time {
			c, err := campaigns.New(campaigns.Campaign{ID: "x", Zone: time.UTC, Lines: ls, Jitter: jitter})
			if err != nil {
				t.Fatal(err)
			}
			m, last := map[string]time.Time{}, time.Time{}
			for s := range c.Slots(time.Unix(1.8e9, 0), time.Unix(1.803e9, 0)) {
				if m[s.ID.String()] = s.Minute; s.Minute.Before(last) || s.Minute.Before(s.At) || s.Minute.Sub(s.At) > jitter {
					t.Fatalf("%s at %s comes at %s, after one at %s", s.ID, s.At, s.Minute, last)
				}
				last = s.Minute
			}
			return m
		}
		whole := slots(all)
		cut := rapid.IntRange(0, len(all)-1).Draw(t, "removed")
		for id, minute := range slots(slices.Delete(slices.Clone(all), cut, cut+1)) {
			if !whole[id].Equal(minute) {
				t.Fatalf("%s came at %s, and without line %d at %s", id, whole[id], cut, minute)
			}
		}
	})
}

func ExampleParseSlotID() {
	id, err := campaigns.ParseSlotID("spring-menu@2027-03-16T09:30")
	fmt.Println(id.Campaign, id.Day, id.Clock, err)
	// Output: spring-menu 2027-03-16 09:30 <nil>
}
