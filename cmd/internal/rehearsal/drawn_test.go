package rehearsal_test

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/rehearsal"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

const day = 24 * time.Hour

// drawnStart is a week before clocks change in the north.
var drawnStart = time.Date(2027, 3, 20, 8, 0, 0, 0, time.UTC)

// spans is a length of time out of some.
func spans(t *rapid.T, name string, all ...time.Duration) time.Duration {
	return rapid.SampledFrom(all).Draw(t, name)
}

// drawn is a rehearsal of some campaigns that begins at drawnStart.
func drawn(t *rapid.T) *rehearsal.Rehearsal {
	var all []*campaigns.Campaign
	for i := range rapid.IntRange(1, 4).Draw(t, "campaigns") {
		all = append(all, ready(t, drawnCampaign(t, string(rune('a'+i)))))
	}
	return rehearsal.NewRehearsal(all, rapid.SampledFrom([]campaigns.Budget{
		campaigns.DefaultBudget, {}, {Most: text.Limit{Max: 2, Per: day}, Apart: 2 * time.Minute}, {Most: text.Limit{Max: 1, Per: 5 * time.Hour}, Apart: 40 * time.Minute},
	}).Draw(t, "budget"), drawnStart)
}

func ready(tb rapid.TB, c campaigns.Campaign) *campaigns.Campaign {
	tb.Helper()
	r, err := campaigns.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// drawnCampaign is a campaign with what a rehearsal meets: posts, texts, what is found, approvals, and all that keeps from publishing.
func drawnCampaign(t *rapid.T, id string) campaigns.Campaign {
	c := campaigns.Campaign{
		ID: id, Do: rapid.SampledFrom([]campaigns.Doing{campaigns.Repost, campaigns.Repost, campaigns.Publish}).Draw(t, "do"), Status: drawnStatus(t),
		Starts: text.DayOf(drawnStart.AddDate(0, 0, rapid.IntRange(-3, 4).Draw(t, "starts"))), Ends: text.DayOf(drawnStart.AddDate(0, 0, rapid.IntRange(8, 30).Draw(t, "ends"))),
		Turn:   rapid.SampledFrom([]campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}).Draw(t, "turn"),
		Jitter: spans(t, "jitter", 0, 0, 12*time.Minute, 3*time.Hour), Gap: spans(t, "gap", 0, 26*time.Hour, 4*day), Renews: rapid.Bool().Draw(t, "renews"),
		Each: rapid.IntRange(0, 4).Draw(t, "each"), Whole: rapid.IntRange(0, 12).Draw(t, "whole"), KeepApart: spans(t, "apart", 0, 10*time.Minute, 95*time.Minute),
		Missed:  campaigns.Missed{What: rapid.SampledFrom([]campaigns.WhenMissed{campaigns.SkipMissed, campaigns.Within, campaigns.NextSlot}).Draw(t, "missed")},
		AtLeast: spans(t, "at least", 0, 2*time.Hour, 50*time.Hour), Zone: drawnZone(t), Lines: drawnLines(t),
	}
	if c.Missed.What == campaigns.Within {
		c.Missed.Within = spans(t, "within", 20*time.Minute, 3*time.Hour, 30*time.Hour)
	}
	if rapid.Bool().Draw(t, "total") {
		c.Total = text.Limit{Max: rapid.IntRange(1, 3).Draw(t, "most"), Per: spans(t, "per", 6*time.Hour, day, 3*day)}
	}
	c.Items = drawnItems(t, c.Do)
	return c
}

func drawnStatus(t *rapid.T) campaigns.Status {
	return rapid.SampledFrom([]campaigns.Status{campaigns.Live, campaigns.Live, campaigns.Ask, campaigns.Watch}).Draw(t, "status")
}

// drawnZone changes its clocks in the weeks that are drawn, or does not.
func drawnZone(t *rapid.T) *time.Location {
	z, err := text.ParseZone(rapid.SampledFrom([]string{"America/New_York", "Europe/Lisbon", "Australia/Lord_Howe", "Africa/Cairo", "UTC"}).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	return z.Location
}

func drawnLines(t *rapid.T) []campaigns.Line {
	var all []campaigns.Line
	for range rapid.IntRange(1, 5).Draw(t, "lines") {
		all = append(all, campaigns.Line{When: text.WhenTime{
			Weekday: time.Weekday(rapid.IntRange(0, 6).Draw(t, "weekday")), Clock: text.Clock(rapid.IntRange(0, 47).Draw(t, "clock") * 30),
		}})
	}
	return all
}

func drawnItems(t *rapid.T, do campaigns.Doing) []campaigns.Item {
	var all []campaigns.Item
	for _, id := range rapid.SliceOfNDistinct(rapid.IntRange(1, 8), 1, 5, rapid.ID[int]).Draw(t, "items") {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		it := post(id)
		switch says := fmt.Sprint("text ", id); {
		case do == campaigns.Publish:
			it = campaigns.Item{Text: says, Key: campaigns.TextKey(says)}
		case kind == 2:
			it = campaigns.Item{Key: campaigns.FoundKey("@cafe", fmt.Sprint("#", id)), From: "@cafe", Tag: fmt.Sprint("#", id)}
		}
		if kind == 1 {
			it.Status = campaigns.Ask
		}
		all = append(all, it)
	}
	return all
}

func post(id int) campaigns.Item {
	return campaigns.Item{Key: campaigns.PostKey(platform.PostID(id)), Post: platform.PostID(id)}
}

// edited is a campaign as it may be saved anew. What it promises stays.
func edited(t *rapid.T, c *campaigns.Campaign) *campaigns.Campaign {
	next := *c
	switch rapid.IntRange(0, 5).Draw(t, "edit") {
	case 0:
		next.Items = drawnItems(t, c.Do)
	case 1:
		next.Jitter = spans(t, "jitter", 0, 12*time.Minute, 3*time.Hour)
	case 2:
		next.Zone = drawnZone(t)
	case 3:
		next.Status = drawnStatus(t)
	default:
		next.Lines = drawnLines(t)
	}
	return ready(t, next)
}
