package campaigns_test

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// spans is a length of time out of some.
func spans(t *rapid.T, name string, all ...time.Duration) time.Duration {
	return rapid.SampledFrom(all).Draw(t, name)
}

// drawnZones change their clocks in the weeks that are drawn, some of them at midnight or by half an hour.
var drawnZones = []string{"America/New_York", "Europe/Lisbon", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo", "UTC", "Asia/Tokyo"}

func drawnLines(t *rapid.T) []campaigns.Line {
	var all []campaigns.Line
	for range rapid.IntRange(1, 5).Draw(t, "lines") {
		clock := text.Clock(rapid.IntRange(0, 47).Draw(t, "clock") * 30)
		when := text.WhenTime{Weekday: time.Weekday(rapid.IntRange(0, 6).Draw(t, "weekday")), Clock: clock}
		if rapid.IntRange(0, 4).Draw(t, "dated") == 0 {
			d := drawnStart.AddDate(0, 0, rapid.IntRange(-3, 20).Draw(t, "day"))
			when.Day, when.Weekday = text.DayOf(d), d.Weekday()
		}
		all = append(all, campaigns.Line{When: when})
	}
	return all
}

// drawnStart is a week before clocks change in the north.
var drawnStart = time.Date(2027, 3, 20, 8, 0, 0, 0, time.UTC)

func drawnItems(t *rapid.T, do campaigns.Doing) []campaigns.Item {
	var all []campaigns.Item
	seen := map[int]bool{}
	for range rapid.IntRange(1, 5).Draw(t, "items") {
		id := rapid.IntRange(1, 8).Draw(t, "post")
		if seen[id] {
			continue
		}
		seen[id] = true
		it := post(id)
		if do == campaigns.Publish {
			it = campaigns.Item{Text: fmt.Sprint("text ", id), Key: campaigns.TextKey(fmt.Sprint("text ", id))}
		}
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			it.NotBefore = text.DayOf(drawnStart.AddDate(0, 0, rapid.IntRange(-2, 12).Draw(t, "not before")))
		case 1:
			it.Status = campaigns.Ask
		case 2:
			if do == campaigns.Repost {
				it = campaigns.Item{Key: campaigns.FoundKey("@cafe", fmt.Sprint("#", id)), From: "@cafe", Tag: fmt.Sprint("#", id)}
			}
		}
		all = append(all, it)
	}
	return all
}

// drawnCampaign is a campaign with anything that can stand in one.
func drawnCampaign(t *rapid.T, id string) campaigns.Campaign {
	c := campaigns.Campaign{
		ID: id, Do: rapid.SampledFrom([]campaigns.Doing{campaigns.Repost, campaigns.Repost, campaigns.Publish}).Draw(t, "do"),
		Status: rapid.SampledFrom([]campaigns.Status{campaigns.Live, campaigns.Live, campaigns.Ask, campaigns.Watch}).Draw(t, "status"),
		Starts: text.DayOf(drawnStart.AddDate(0, 0, rapid.IntRange(-3, 4).Draw(t, "starts"))), Ends: text.DayOf(drawnStart.AddDate(0, 0, rapid.IntRange(8, 30).Draw(t, "ends"))),
		Turn:   rapid.SampledFrom([]campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}).Draw(t, "turn"),
		Jitter: spans(t, "jitter", 0, 0, 12*time.Minute, 3*time.Hour), Gap: spans(t, "gap", 0, 26*time.Hour, 4*day), Renews: rapid.Bool().Draw(t, "renews"),
		Each: rapid.IntRange(0, 4).Draw(t, "each"), Whole: rapid.IntRange(0, 12).Draw(t, "whole"), KeepApart: spans(t, "apart", 0, 10*time.Minute, 95*time.Minute),
		Missed: campaigns.Missed{What: rapid.SampledFrom([]campaigns.WhenMissed{campaigns.SkipMissed, campaigns.Within, campaigns.NextSlot}).Draw(t, "missed")},
	}
	c.AtLeast = spans(t, "at least", 0, 2*time.Hour, 50*time.Hour)
	if c.Missed.What == campaigns.Within {
		c.Missed.Within = spans(t, "within", 20*time.Minute, 3*time.Hour, 30*time.Hour)
	}
	if rapid.Bool().Draw(t, "total") {
		c.Total = text.Limit{Max: rapid.IntRange(1, 3).Draw(t, "most"), Per: spans(t, "per", 6*time.Hour, day, 3*day)}
	}
	name := rapid.SampledFrom(drawnZones).Draw(t, "zone")
	z, err := text.ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	c.Zone, c.Lines, c.Items = z.Location, drawnLines(t), drawnItems(t, c.Do)
	if rapid.IntRange(0, 2).Draw(t, "except") == 0 {
		first := rapid.IntRange(0, 9).Draw(t, "excepted")
		last := first + rapid.IntRange(0, 3).Draw(t, "and days behind it")
		c.Except = []text.Dates{{From: text.DayOf(drawnStart.AddDate(0, 0, first)), To: text.DayOf(drawnStart.AddDate(0, 0, last))}}
	}
	return c
}

// drawnAccount has some campaigns that come into force at drawnStart.
func drawnAccount(t *rapid.T) *campaigns.Account {
	var all []*campaigns.Campaign
	for i := range rapid.IntRange(1, 4).Draw(t, "campaigns") {
		c, err := campaigns.New(drawnCampaign(t, string(rune('a'+i))))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	a := account(drawnStart, all...)
	a.AccountFacts.Budget = rapid.SampledFrom([]campaigns.Budget{
		campaigns.DefaultBudget, {}, {Most: text.Limit{Max: 2, Per: day}, Apart: 2 * time.Minute}, {Most: text.Limit{Max: 1, Per: 5 * time.Hour}, Apart: 40 * time.Minute},
	}).Draw(t, "budget")
	a.AccountFacts.Silent = rapid.IntRange(0, 5).Draw(t, "silent") == 0
	a.Uses.Lifts = rapid.SampledFrom([]campaigns.Tri{campaigns.Unknown, campaigns.Yes, campaigns.Yes, campaigns.No}).Draw(t, "lifts")
	if rapid.Bool().Draw(t, "before") {
		last := drawnStart.Add(-spans(t, "ago", time.Hour, day, 30*day))
		a.Uses.Posts = map[string]campaigns.Use{campaigns.PostKey(1): {Last: last, Reposted: rapid.Bool().Draw(t, "reposted")}}
	}
	return a
}

// shows is the platform as the account's uses have it.
func shows(a *campaigns.Account) map[platform.PostID]*campaigns.PostFact {
	u := a.Uses.Posts[campaigns.PostKey(1)]
	if !u.Reposted {
		return map[platform.PostID]*campaigns.PostFact{}
	}
	return map[platform.PostID]*campaigns.PostFact{1: {Reposted: campaigns.Yes, Since: u.Last}}
}
