package campaigns_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// What is read of a post before its slot.
func TestFactsOfAPost(t *testing.T) {
	t.Parallel()
	long, ours := at(t, "2027-01-01 12:00"), campaigns.Use{Last: at(t, "2027-01-01 12:00"), Reposted: true}
	for _, tc := range []struct {
		name   string
		change func(*campaigns.Campaign)
		use    campaigns.Use
		fact   campaigns.PostFact
		want   string // what comes first, and the day after
		out    campaigns.OutWhy
	}{
		{"it is there", nil, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.No}, "1, then 2", ""},
		{"it was deleted", nil, campaigns.Use{}, campaigns.PostFact{Out: campaigns.Gone}, "2, then 3", campaigns.Gone},
		{"it cannot be seen", nil, campaigns.Use{}, campaigns.PostFact{Out: campaigns.Hidden}, "2, then 3", campaigns.Hidden},
		{"it was reposted by us", nil, ours, campaigns.PostFact{Reposted: campaigns.Yes, Since: long}, "1 renewed, then 2", ""},
		{"it was taken back by hand", nil, ours, campaigns.PostFact{Reposted: campaigns.No}, "2, then 3", campaigns.Undone},
		{"it was reposted by hand long ago", nil, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.Yes, Since: long}, "1 renewed, then 2", ""},
		{"it was reposted by hand today", nil, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.Yes, Since: start(t)}, "2, then 1", ""},
		{"it was reposted by hand, nobody knows when", nil, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.Yes}, "2, then 1", ""},
		{"it was reposted by hand, and nothing is renewed", func(c *campaigns.Campaign) { c.Renews = false }, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.Yes, Since: long}, "2, then 3", ""},
		{"it was taken back and reposted by hand today", nil, ours, campaigns.PostFact{Reposted: campaigns.Yes, Since: start(t)}, "2, then 1", ""},
		{"it is too old", func(c *campaigns.Campaign) { c.UntilOlder = 365 * day }, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.No, Posted: at(t, "2026-02-28 12:00")}, "2, then 3", ""},
		{"it is not too old yet", func(c *campaigns.Campaign) { c.UntilOlder = 365 * day }, campaigns.Use{}, campaigns.PostFact{Reposted: campaigns.No, Posted: at(t, "2026-03-02 12:00")}, "1, then 2", ""},
	} {
		a := account(start(t), daily(t, func(c *campaigns.Campaign) {
			if tc.change != nil {
				tc.change(c)
			}
		}))
		a.Uses.Posts = map[string]campaigns.Use{"post:1": tc.use}
		v := found(t, a, campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}, "2027-03-01 12:00",
			func(p map[platform.PostID]campaigns.PostFact) { p[1] = tc.fact })
		if v.Kind != campaigns.Go {
			t.Errorf("%s: %s", tc.name, line(&v))
			continue
		}
		a.Memories["daily"], a.Uses = campaigns.Take(a.Campaigns[0], a.Memories["daily"], a.Uses, v)
		got := strings.TrimPrefix(line(&v), "01 12:00 go ") + ", then " + plan(a, at(t, "2027-03-01 13:00"), 1)[0].Item.Name()
		if got != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, got, tc.want)
		}
		var out campaigns.OutWhy
		if o := a.Uses.Posts["post:1"].Out; o != nil {
			out = o.Why
		}
		if out != tc.out || len(v.Outs) > 0 != (tc.out != "") {
			t.Errorf("%s: out is %q, %v", tc.name, out, v.Outs)
		}
	}
}

// A post that was taken back by hand stays out until a person allows it; one that could not be seen for a week; one that is gone for good.
func TestPostsThatAreOut(t *testing.T) {
	t.Parallel()
	for out, want := range map[campaigns.OutWhy]string{
		campaigns.Undone: "2 3 2 3 2 3 2 3 2 3", campaigns.Gone: "2 3 2 3 2 3 2 3 2 3", campaigns.Hidden: "2 3 2 3 2 3 2 1 3 1",
	} {
		a := account(start(t), daily(t))
		a.Uses.Posts = map[string]campaigns.Use{"post:1": {Last: at(t, "2027-01-01 12:00"), Reposted: true}}
		o := campaigns.Out{Why: out, Seen: start(t)}
		if out == campaigns.Hidden {
			o.Until = start(t).Add(7 * day)
		}
		a.Uses.Posts["post:1"] = campaigns.Use{Out: &o}
		if got := sequence(plan(a, start(t), 10)); got != want {
			t.Errorf("%s: have %s, want %s", out, got, want)
		}
		a.Uses = a.Uses.Allow(1)
		wantSequence(t, plan(a, start(t), 4), "1 2 3 1")
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	stops := daily(t, func(c *campaigns.Campaign) { c.Stop.Deleted = true })
	a := account(start(t), stops)
	id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}
	v := found(t, a, id, "2027-03-01 12:00", func(p map[platform.PostID]campaigns.PostFact) { p[1] = campaigns.PostFact{Out: campaigns.Gone} })
	wantLines(t, []campaigns.Verdict{v}, "01 12:00 end -: the campaign has ended on Mon 1 March 12:00: 1 was deleted, or is hidden")
	a.Memories["daily"], a.Uses = campaigns.Take(stops, a.Memories["daily"], a.Uses, v)
	a.Memories["daily"] = stored(t, a.Memories["daily"])
	wantLines(t, plan(a, at(t, "2027-03-01 13:00"), 1), "02 12:00 skip -: the campaign has ended on Mon 1 March 12:00: 1 was deleted, or is hidden")

	a = account(start(t), stops)
	v, _ = campaigns.Find(a, id, &campaigns.Facts{Stop: &campaigns.Note{Why: "the platform asked for peace", At: start(t)}}, start(t))
	wantLines(t, []campaigns.Verdict{v}, "01 12:00 end -: the campaign has ended on Mon 1 March 08:00: the platform asked for peace")
}

// What is found at run time is asked for, is a post of its own each time, and nothing else comes in its place.
func TestFoundPosts(t *testing.T) {
	t.Parallel()
	cafe := campaigns.Item{Key: campaigns.FoundKey("@cafe", "#menu"), From: "@cafe", Tag: "#menu"}
	c := daily(t, func(c *campaigns.Campaign) { c.Items, c.Each = append(posts(1), cafe), 2 })
	a := account(start(t), c)
	r := run(t, a, start(t), 6*day)
	wantSequence(t, r.book, "1 a post of @cafe #menu 1 a post of @cafe #menu a post of @cafe #menu a post of @cafe #menu")
	seen := map[platform.PostID]bool{}
	for _, call := range r.calls {
		if call.post > 1e6 && seen[call.post] || call.post == 0 {
			t.Errorf("found twice, or not at all: %v", call)
		}
		seen[call.post] = true
	}

	second := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-02"), Clock: 720}
	a = account(start(t), c)
	facts := &campaigns.Facts{}
	v, _ := campaigns.Find(a, second, facts, start(t))
	if v.Kind != campaigns.Needs || !slices.Equal(v.Need, []campaigns.Need{{Find: cafe.Key, At: v.Slot.Minute}}) {
		t.Errorf("what is needed: %s %v", line(&v), v.Need)
	}
	facts.Found = map[string]campaigns.FoundFact{cafe.Key: {}}
	v, _ = campaigns.Find(a, second, facts, start(t))
	wantLines(t, []campaigns.Verdict{v}, "02 12:00 skip a post of @cafe #menu: nothing was found: a post of @cafe #menu")
	a.Memories["daily"], a.Uses = campaigns.Take(c, a.Memories["daily"], a.Uses, v)
	// What was published before counts as found already.
	a.Uses.Posts = map[string]campaigns.Use{"post:77": {Last: at(t, "2027-01-01 12:00")}}
	facts.Found[cafe.Key] = campaigns.FoundFact{Post: 77}
	fresh := account(start(t), c)
	fresh.Uses = a.Uses
	if v, _ = campaigns.Find(fresh, second, facts, start(t)); v.Why.Code != campaigns.Nothing {
		t.Errorf("a post that was published before is found: %s", line(&v))
	}
	if !fresh.Taken(77) || fresh.Taken(78) {
		t.Error("which posts are taken")
	}
	facts.Found[cafe.Key] = campaigns.FoundFact{Unread: true}
	if v, _ = campaigns.Find(fresh, second, facts, start(t)); v.Kind != campaigns.Wait || v.Why.Code != campaigns.Unreadable {
		t.Errorf("the platform cannot be read: %s", line(&v))
	}
}

// Texts of our own take turns like posts, and none is published twice within its gap.
func TestOwnTexts(t *testing.T) {
	t.Parallel()
	words := func(s string) campaigns.Item { return campaigns.Item{Key: campaigns.TextKey(s), Text: s} }
	c := daily(t, func(c *campaigns.Campaign) {
		c.Do, c.Items, c.Each, c.Gap = campaigns.Publish, []campaigns.Item{words("good morning"), words("soup of the day")}, 2, 0
	})
	r := run(t, account(start(t), c), start(t), 5*day)
	wantSequence(t, r.book, `"good morning" "soup of the day" "good morning" "soup of the day" (no post)`)
	for _, v := range r.book[:4] {
		if v.Renew || v.Post != 0 {
			t.Errorf("a text of our own is renewed: %s", line(&v))
		}
	}
}

// A slot that was decided is not decided again: the plan tells what became of it.
func TestDecidedOnce(t *testing.T) {
	t.Parallel()
	a := account(start(t), daily(t))
	id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}
	v := found(t, a, id, "2027-03-01 12:00")
	a.Memories["daily"], a.Uses = campaigns.Take(a.Campaigns[0], a.Memories["daily"], a.Uses, v)
	again := found(t, a, id, "2027-03-01 12:00")
	if again.Kind != campaigns.Booked || again.Entry.State != campaigns.Going || again.Item.Name() != "1" {
		t.Errorf("decided again: %s", line(&again))
	}
	wantSequence(t, plan(a, at(t, "2027-03-01 12:01"), 2), "2 3")
}

// What did not come about is given back, but for the turn.
func TestConclude(t *testing.T) {
	t.Parallel()
	c := daily(t, func(c *campaigns.Campaign) { c.Whole, c.Total = 5, text.Limit{Max: 1, Per: 20 * time.Hour} })
	id := campaigns.SlotID{Campaign: "daily", Day: date(t, "2027-03-01"), Clock: 720}
	a := account(start(t), c)
	v := found(t, a, id, "2027-03-01 12:00")
	m, u := campaigns.Take(c, a.Memories["daily"], a.Uses, v)
	refused, ru := campaigns.Conclude(c, m, u, id, campaigns.Conclusion{Why: "the platform said no"})
	if refused.Whole != 0 || len(refused.Recent) > 0 || len(ru.Published) > 0 || ru.Posts["post:1"].Reposted || refused.Book[id].State != campaigns.Empty {
		t.Errorf("after a refusal: %+v %+v", refused, ru)
	}
	if again, au := campaigns.Conclude(c, refused, ru, id, campaigns.Conclusion{Done: true, At: start(t)}); again.Whole != 0 || len(au.Published) > 0 {
		t.Error("it is settled twice")
	}
	left := at(t, "2027-03-01 12:02")
	done, du := campaigns.Conclude(c, m, u, id, campaigns.Conclusion{Done: true, At: left})
	if done.Whole != 1 || !done.Recent[0].Equal(left) || !du.Published[0].At.Equal(left) || !du.Posts["post:1"].Last.Equal(left) {
		t.Errorf("after it came about: %+v %+v", done, du)
	}
	apart := daily(t, func(c *campaigns.Campaign) { c.KeepApart = 3 * time.Hour })
	am, au := campaigns.Take(apart, a.Memories["daily"], a.Uses, v)
	gone, err := campaigns.New(campaigns.Campaign{ID: "daily", Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	if _, gu := campaigns.Conclude(gone, am, au, id, campaigns.Conclusion{Done: true, At: left}); len(gu.Published) != 1 || gu.Published[0].Apart != 3*time.Hour {
		t.Errorf("what a campaign that is gone has published keeps %+v", gu.Published)
	}
	off, ou := campaigns.Conclude(c, m, u, id, campaigns.Conclusion{Off: true})
	if ou.Posts["post:1"].Reposted || off.Whole != 0 {
		t.Errorf("after a renewal that was not finished: %+v", ou)
	}
	a.Memories["daily"], a.Uses = refused, ru
	wantSequence(t, plan(a, at(t, "2027-03-01 13:00"), 5), "2 3 1 2 3")
}
