package campaigns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// While a repost of ours is on its way nobody has taken it back by hand: its next slot waits until it is known, and comes.
func TestRepostOnItsWayIsNotTakenBack(t *testing.T) {
	t.Parallel()
	inMarket(t, 0, func(d *market) campaigns.Campaign {
		d.posts = append(d.posts, d.Platform().Post(d.Account("bot").ID(), "our own dish"))
		c := menu(d)
		c.Lines = []campaigns.Line{line(t, "Sat 09:30"), line(t, "Sat 09:31")}
		c.Each, c.Renews, c.Gap, c.Jitter, c.KeepApart = 0, true, time.Minute, 0, time.Minute
		return c
	}, func(d *market) {
		if err := d.plugin.UseWithin(campaigns.Budget{Most: text.Limit{}, Apart: time.Minute}, "bot", d.force); err != nil {
			t.Fatal(err)
		}
		d.Account("bot").Tell("campaigns/lifts", "yes")
		d.until("03-13 09:29")
		d.Platform().Disturb("publication_repost", emulator.Late)
		d.until("03-13 09:40")
		if got := d.happened(); len(got) != 3 || strings.Contains(d.book()+d.told(), "by hand") {
			t.Errorf("%q\n%s\n%s", got, d.book(), d.told())
		}
	})
}

// What people did by hand is seen once the platform must show what we did.
func TestTakenBackByHandIsSeenLater(t *testing.T) {
	t.Parallel()
	inMarket(t, 0, func(d *market) campaigns.Campaign {
		d.posts = append(d.posts, d.Platform().Post(d.Account("bot").ID(), "our own dish"))
		c := menu(d)
		c.Lines = []campaigns.Line{line(t, "Sat 09:30"), line(t, "Sat 09:32"), line(t, "Sat 09:40")}
		c.Each, c.Renews, c.Gap, c.Jitter, c.KeepApart = 0, true, time.Minute, 0, time.Minute
		return c
	}, func(d *market) {
		d.until("03-13 09:31")
		d.Platform().Unrepost(d.Account("bot").ID(), d.posts[0])
		d.until("03-13 09:50")
		d.says("03-13T09:32", "so fresh that the platform may not show it yet")
		d.says("03-13T09:40", "took the repost back by hand")
	})
}
