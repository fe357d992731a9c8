package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// What was prepared and approved is one publication with what its slot publishes in its place: where the account publishes one thing a
// day, it is that one. So it is when the bot ends at any moment between the two.
func TestApprovedWithinTheLimit(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(d *market){
		"nothing happens": func(*market) {},
		"the bot is killed before": func(d *market) {
			d.until("03-13 09:28")
			d.Crash()
		},
		"it is killed often": func(d *market) {
			d.until("03-13 09:28")
			for range 30 {
				d.Advance(10 * time.Second)
				d.Crash()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 1, func(d *market) campaigns.Campaign {
				c := menu(d)
				c.Status, c.Jitter, c.KeepApart, c.Lines = campaigns.Ask, 0, 0, c.Lines[:1]
				return c
			}, func(d *market) {
				d.Advance(time.Minute)
				d.approve()
				meanwhile(d)
				d.until("03-13 11:00")
				d.same(d.reposts("14:30", 0))
				d.says("03-13T09:30#end done")
			}, func(cfg *bottest.Config) {
				cfg.Bot.Publishing = &bot.Publishing{Most: 1, Within: 24 * time.Hour, Apart: 2 * time.Minute}
			})
		})
	}
}
