package handlers_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/handlers"
)

func TestFromNotAny(t *testing.T) {
	t.Parallel()
	yes, no := handlers.From("@ANA", "leo"), handlers.From("leo")
	for name, c := range map[string]struct {
		condition bot.Condition
		want      bool
	}{
		"from": {yes, true}, "not from": {no, false}, "nobody": {handlers.From(), false},
		"not": {handlers.Not(no), true}, "not not": {handlers.Not(handlers.Not(no)), false},
		"any": {handlers.Any(no, yes), true}, "any of none": {handlers.Any(), false}, "none of any": {handlers.Any(no, no), false},
	} {
		if got := holds(t, c.condition, "hi"); got != c.want {
			t.Errorf("%s is %v", name, got)
		}
	}
}

func TestHours(t *testing.T) {
	t.Parallel()
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	weekdays := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	shop := handlers.Hours{Zone: madrid, Openings: []handlers.Opening{
		{Days: weekdays, From: handlers.At(9, 0), To: handlers.At(13, 30)},
		{Days: []time.Weekday{time.Saturday}, From: handlers.At(22, 0), To: handlers.At(2, 0)}, // into Sunday
	}}
	all := handlers.Hours{Openings: []handlers.Opening{{To: handlers.At(24, 0)}}}
	for _, c := range []struct {
		hours handlers.Hours
		at    string
		want  bool
	}{
		{shop, "2025-03-03 09:00", true},
		{shop, "2025-03-03 08:59", false},
		{shop, "2025-03-03 13:29", true},
		{shop, "2025-03-03 13:30", false},
		{shop, "2025-03-08 09:00", false},
		{shop, "2025-03-08 22:00", true},
		{shop, "2025-03-08 23:59", true},
		{shop, "2025-03-09 00:00", true},
		{shop, "2025-03-09 01:59", true},
		{shop, "2025-03-09 02:00", false},
		{shop, "2025-03-10 01:00", false},
		{shop, "2025-03-30 09:00", false},
		{shop, "2025-03-31 09:00", true}, // the clocks went forward on the 30th
		{all, "2025-03-03 00:00", true},
		{all, "2025-03-03 23:59", true},
		{handlers.Hours{}, "2025-03-03 12:00", false},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, madrid)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.hours.Open(at.UTC()); got != c.want {
			t.Errorf("open at %s: %v", c.at, got)
		}
	}
}

func TestDuring(t *testing.T) {
	t.Parallel()
	h := handlers.Hours{Openings: []handlers.Opening{{From: handlers.At(9, 0), To: handlers.At(17, 0)}}}
	bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: 30 * time.Second, RequestPause: time.Minute}, Routes: []bot.Route{
		handlers.On("open", bot.AnyMessage().If(handlers.During(h)), handlers.Reply("we are here")),
		handlers.On("closed", bot.AnyMessage().If(handlers.Not(handlers.During(h))), handlers.Reply("we are asleep")),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("we are here")
		w.Advance(8 * time.Hour)
		ana.Says("hi")
		ana.Expects("we are asleep")
		w.Advance(16 * time.Hour)
		ana.Says("hi")
		ana.Expects("we are here")
	})
}
