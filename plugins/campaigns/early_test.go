package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// What an edit makes of a slot that was prepared is decided when its time has come: that an earlier renewal will have shown that it
// lifts its post is not known yet.
func TestVoidedBehindARenewal(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	ours := func(d *market) campaigns.Campaign {
		c := anew(d)
		c.Gap = 10 * time.Hour
		return c
	}
	inMarket(t, 0, func(d *market) campaigns.Campaign {
		d.posts = append(d.posts, d.Platform().Post(d.Account("bot").ID(), "our dish"))
		return ours(d)
	}, func(d *market) {
		d.until("03-13 12:00")
		d.Account("bot").Tell("campaigns/skip", "spring-menu@2027-03-14T10:30")
		d.until("03-14 11:30")
		if held := d.held(); len(held) != 1 || held[0].Verb != event.VerbRenew {
			t.Fatalf("%+v", held)
		}
		c := ours(d)
		c.Lines = []campaigns.Line{line(t, "Sat 09:30"), line(t, "Sun 10:30"), line(t, "Sun 14:00"), line(t, "Mon 11:30"), line(t, "Tue 12:30")}
		c.Zone = zone(t, "America/Chicago")
		d.uses(c)
		d.Advance(5 * time.Minute)
		for _, a := range d.held() {
			d.Ask(event.Request{Key: a.Conversation(), Wish: event.WishDrop, Action: a.Key, By: "ines"})
		}
		d.until("03-15 13:00")
		if got := d.happened(); len(got) != 1 {
			t.Errorf("%q\n%s", got, d.book())
		}
		d.says("03-15T11:30", "skip: nobody approved it")
	})
}

// Where another post comes than was to be asked for, one that nobody has to approve, its slot is decided at its minute: until then
// people may want it otherwise.
func TestAnotherThanWasToBeAskedFor(t *testing.T) {
	t.Parallel()
	inMarket(t, 3, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Items[0].Status = campaigns.Ask
		d.Platform().DeletePost(d.author, d.posts[0])
		return c
	}, func(d *market) {
		d.until("03-13 08:30")
		if book := d.book(); book != "" {
			t.Errorf("decided is %s", book)
		}
		d.Account("bot").Tell("campaigns/pause", "spring-menu")
		d.until("03-13 12:00")
		d.same()
	})
}
