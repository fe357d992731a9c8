package campaigns_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

const day = 24 * time.Hour

func zone(tb rapid.TB, name string) *time.Location {
	tb.Helper()
	z, err := text.ParseZone(name)
	if err != nil {
		tb.Fatal(err)
	}
	return z.Location
}

func date(tb rapid.TB, s string) text.Day {
	tb.Helper()
	d, err := text.ParseDay(s)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func dates(tb rapid.TB, s string) text.Dates {
	tb.Helper()
	d, err := text.ParseDates(s)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// at reads a time on the wall of New York: 2027-03-16 09:30.
func at(tb rapid.TB, s string) time.Time { tb.Helper(); return in(tb, "America/New_York", s) }

func in(tb rapid.TB, where, s string) time.Time {
	tb.Helper()
	t, err := time.ParseInLocation("2006-01-02 15:04", s, zone(tb, where))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func lines(tb rapid.TB, all ...string) []campaigns.Line {
	tb.Helper()
	var ls []campaigns.Line
	for _, s := range all {
		when, own, _ := strings.Cut(s, " = ")
		w, err := text.ParseWhenTime(when)
		if err != nil {
			tb.Fatal(err)
		}
		ls = append(ls, campaigns.Line{When: w, Own: own})
	}
	return ls
}

func post(id int) campaigns.Item {
	return campaigns.Item{Key: campaigns.PostKey(platform.PostID(id)), Post: platform.PostID(id)}
}

func posts(ids ...int) []campaigns.Item {
	var all []campaigns.Item
	for _, id := range ids {
		all = append(all, post(id))
	}
	return all
}

// daily is a campaign of three posts with a slot each noon, in New York, from 1 March 2027 on: live, without anything that keeps
// it from publishing but a gap of a day.
func daily(tb rapid.TB, change ...func(*campaigns.Campaign)) *campaigns.Campaign {
	tb.Helper()
	c := campaigns.Campaign{
		ID: "daily", Account: "shop", Do: campaigns.Repost, Status: campaigns.Live, Zone: zone(tb, "America/New_York"),
		Starts: date(tb, "2027-03-01"), Ends: date(tb, "2027-05-31"), Items: posts(1, 2, 3), Turn: campaigns.InOrder, Renews: true, Gap: day,
		Lines: lines(tb, "Mon 12:00", "Tue 12:00", "Wed 12:00", "Thu 12:00", "Fri 12:00", "Sat 12:00", "Sun 12:00"),
	}
	for _, f := range change {
		f(&c)
	}
	return ready(tb, c)
}

func ready(tb rapid.TB, c campaigns.Campaign) *campaigns.Campaign {
	tb.Helper()
	r, err := campaigns.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// account is an account whose campaigns come into force at a time, on a platform that is known to lift renewals.
func account(since time.Time, cs ...*campaigns.Campaign) *campaigns.Account {
	a := &campaigns.Account{Campaigns: cs, Memories: map[string]campaigns.Memory{}}
	a.Uses.Lifts = campaigns.Yes
	for _, c := range cs {
		a.Memories[c.ID] = campaigns.Revise(c, campaigns.Memory{}, since)
	}
	return a
}

// elsewhere returns the uses after the account has published something that no campaign decided.
func elsewhere(u campaigns.Uses, at time.Time, post string, budget text.Limit) campaigns.Uses {
	return u.Outside([]campaigns.Outsider{{Key: at.String(), At: at, Post: post, Done: true, Over: true}}, at, at, budget, 1)
}

// start is before the first slot of daily.
func start(tb rapid.TB) time.Time { tb.Helper(); return at(tb, "2027-03-01 08:00") }

// plan returns what is planned for so many days, with what is overdue.
func plan(a *campaigns.Account, now time.Time, days int) []campaigns.Verdict {
	all := slices.Collect(campaigns.Plan(a, now, time.Time{}, now.AddDate(0, 0, days)))
	return slices.DeleteFunc(all, func(v campaigns.Verdict) bool { return v.Kind == campaigns.Booked })
}

// show writes verdicts as one line each: the minute of the slot, what comes, and why not.
func show(vs []campaigns.Verdict) string {
	var b strings.Builder
	for i := range vs {
		fmt.Fprintln(&b, line(&vs[i]))
	}
	return b.String()
}

func line(v *campaigns.Verdict) string {
	what := "-"
	if v.Item != nil {
		what = v.Item.Name()
	}
	way := ""
	if v.Renew {
		way = " renewed"
	}
	s := fmt.Sprintf("%s %s %s%s", v.Slot.Minute.Format("02 15:04"), v.Kind, what, way)
	if v.Kind.Publishes() && !v.At.Equal(v.Slot.Minute) {
		s += " at " + v.At.Format("02 15:04")
	}
	if v.Why.Code != "" {
		s += ": " + v.Why.String()
	}
	return s
}

// sequence returns what comes in each slot: the id of the post, or the code of why not.
func sequence(vs []campaigns.Verdict) string {
	var all []string
	for _, v := range vs {
		switch {
		case v.Kind.Publishes() || v.Kind == campaigns.Watched:
			all = append(all, v.Item.Name())
		default:
			all = append(all, "("+string(v.Why.Code)+")")
		}
	}
	return strings.Join(all, " ")
}

func wantSequence(tb rapid.TB, vs []campaigns.Verdict, want string) {
	tb.Helper()
	if got := sequence(vs); got != want {
		tb.Errorf("have %s\nwant %s\n%s", got, want, show(vs))
	}
}
