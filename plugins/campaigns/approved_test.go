package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What is approved leaves when its slot has been decided, and not before: what may not come by then, or cannot be read, stays.
func TestApprovedAndDecided(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		away func(d *market, back func())
		says string // "" when it leaves
	}{
		"the bot is away": {func(d *market, back func()) { d.Stop(); back(); d.Start() }, ""},
		"the platform is away": {func(d *market, back func()) {
			d.Faults(emulator.Faults{Err500Before: 1})
			back()
			d.Faults(emulator.Faults{})
		}, ""},
		"the own page cannot be read": {func(d *market, _ func()) {
			d.Disturb("profile_posts", slices.Repeat([]emulator.Fault{emulator.Err500Before}, 500)...)
		}, "skip: it could leave until"},
		"the bot is away, and reads late": {func(d *market, back func()) {
			d.Stop()
			back()
			d.Disturb("profile_posts", emulator.Err500Before)
			d.Start()
		}, ""},
		"the account is paused": {func(d *market, back func()) {
			d.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishPause})
			back()
			d.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishGoOn})
		}, "skip: paused"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 4, func(d *market) campaigns.Campaign {
				c := menu(d)
				c.Status = campaigns.Ask
				return c
			}, func(d *market) {
				planned := d.planned()
				d.before(planned[0], 50*time.Minute)
				d.approve()
				d.before(planned[0], 2*time.Minute)
				test.away(d, func() { d.before(planned[0], -20*time.Second) })
				d.until("03-13 11:00")
				if test.says != "" {
					d.same()
					d.says("03-13T09:30", test.says)
					return
				}
				d.same(planned[0])
				d.says("03-13T09:30 go")
				d.says("03-13T09:30#end done")
			}, promptly)
		})
	}
}

// What nobody has approved was not refused by anybody, also if its post cannot be read when its time to be approved is over.
func TestNotApprovedAndNotRead(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, failing := range []int{1, 3} {
		inMarket(t, 4, func(d *market) campaigns.Campaign {
			c := menu(d)
			c.Status, c.Jitter, c.AtLeast = campaigns.Ask, 0, 0
			return c
		}, func(d *market) {
			planned := d.planned()
			d.before(planned[0], time.Minute)
			d.Disturb("thread_data", slices.Repeat([]emulator.Fault{emulator.Err500Before}, failing)...)
			d.until("03-13 11:00")
			d.same()
			d.says("03-13T09:30", "skip: nobody approved it")
		})
	}
}
