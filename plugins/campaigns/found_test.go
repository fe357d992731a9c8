package campaigns_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// seeking is a campaign of what is found, without an order of its own.
func seeking(d *market, newer time.Duration, slots ...string) campaigns.Campaign {
	c := menu(d)
	c.Items = []campaigns.Item{{Key: campaigns.FoundKey("partner_cafe", "#springmenu"), From: "partner_cafe", Tag: "#springmenu", NewerThan: newer}}
	c.Each, c.Lines, c.Jitter = 0, nil, 0
	for _, s := range slots {
		c.Lines = append(c.Lines, line(d.t, s))
	}
	return c
}

// prepared returns the posts that wait for approval, in the order of their slots.
func (d *market) prepared() (posts []platform.PostID) {
	held := d.held()
	slices.SortFunc(held, func(a, b event.Action) int { return a.Until.Compare(b.Until) })
	for i := range held {
		posts = append(posts, held[i].Post)
	}
	return posts
}

// What was found for one slot is not shown for another one: each has the newest post that is still free.
func TestFoundForTwoSlots(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	inMarket(t, 3, func(d *market) campaigns.Campaign { return seeking(d, 0, "Sat 12:45", "Sat 16:00") }, func(d *market) {
		d.Advance(time.Minute)
		if got := d.prepared(); !slices.Equal(got, []platform.PostID{d.posts[2], d.posts[1]}) {
			t.Fatalf("of %v these are prepared: %v", d.posts, got)
		}
		d.approve()
		d.until("03-13 17:00")
		if got := d.happened(); len(got) != 2 {
			t.Errorf("%q\n%s", got, d.book())
		}
	})
}

// What was found is read, too, before people are shown it: at its slot it says what they approved, or is left out.
func TestFoundPostReworded(t *testing.T) {
	t.Parallel()
	var reword atomic.Bool
	inMarket(t, 1, func(d *market) campaigns.Campaign { return seeking(d, 0, "Sat 12:45") }, func(d *market) {
		d.Advance(time.Minute)
		d.approve()
		reword.Store(true)
		d.until("03-13 14:00")
		d.same()
		d.says("03-13T12:45", "skip", "reads otherwise than when it was shown")
	}, func(cfg *bottest.Config) {
		cfg.Transport = func(next http.RoundTripper) http.RoundTripper { return rewording{next, &reword} }
	})
}

// A post has to be young enough at its slot, not when it is looked for a day before.
func TestFoundPostAtTheAgeOfItsSlot(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for slot, young := range map[string]bool{"Sun 10:45": true, "Sun 12:45": false} {
		t.Run(slot, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 1, func(d *market) campaigns.Campaign { return seeking(d, 27*time.Hour, slot) }, func(d *market) {
				d.until("03-13 13:30")
				if got := d.prepared(); young && len(got) != 1 || !young && len(got) != 0 {
					t.Errorf("prepared are %v\n%s", got, d.book())
				}
				if !young {
					d.says("03-14T12:45", "nothing was found")
				}
			})
		})
	}
}
