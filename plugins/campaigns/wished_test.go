package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// What is decided already, and waits for its minute, a person may still take out while the bot is down.
func TestDecidedAndWishedWhileDown(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{-5 * time.Second, time.Second, 40 * time.Second} {
		t.Run(late.String(), func(t *testing.T) {
			t.Parallel()
			atDesk(t, 4, menu, func(d *desk) {
				planned := d.planned()
				d.before(planned[0], 20*time.Second)
				d.Stop()
				d.Ask(event.Request{Key: event.Own("bot"), By: "rui", Wish: event.WishTell, Subject: "campaigns/skip", Text: "spring-menu@2027-03-13T09:30"})
				d.before(planned[0], -late)
				d.Start()
				d.before(planned[0], -20*time.Minute)
				d.same()
				d.says("rui has taken this slot out")
			})
		})
	}
}

// What a person wants while the bot is down goes before what the next start finds to do: also when a slot is due by then.
func TestWishedWhileDown(t *testing.T) {
	t.Parallel()
	for name, wish := range map[string]event.Request{
		"skip":              {Wish: event.WishTell, Subject: "campaigns/skip", Text: "spring-menu@2027-03-13T09:30"},
		"pause":             {Wish: event.WishTell, Subject: "campaigns/pause", Text: "spring-menu"},
		"the whole account": {Wish: event.WishPause},
	} {
		for _, late := range []time.Duration{-10 * time.Second, time.Second, 40 * time.Second} {
			t.Run(name+" "+late.String(), func(t *testing.T) {
				t.Parallel()
				atDesk(t, 4, menu, func(d *desk) {
					planned := d.planned()
					d.before(planned[0], 10*time.Minute)
					d.Stop()
					q := wish
					q.Key, q.By = event.Own("bot"), "rui"
					d.Ask(q)
					d.before(planned[0], -late)
					d.Start()
					d.before(planned[0], -20*time.Minute)
					d.same()
				})
			})
		}
	}
}
