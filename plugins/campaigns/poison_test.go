package campaigns_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A post of which the platform never tells anything costs its slot, and no other one: neither of its campaign nor of another.
func TestPostThatIsNeverRead(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inMarket(t, 5, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Jitter, c.Items, c.KeepApart = 0, c.Items[:3], 0
		return c
	}, func(d *market) {
		other := menu(d)
		other.ID, other.Items, other.Jitter, other.KeepApart = "other", other.Items[3:], 0, 0
		other.Lines = []campaigns.Line{line(t, "Sat 09:40"), line(t, "Sat 12:50")}
		d.force = append(d.force, d.ready(other))
		if err := d.plugin.Use("bot", d.force); err != nil {
			t.Fatal(err)
		}
		d.until("03-13 09:28")
		d.Disturb("thread_data", slices.Repeat([]emulator.Fault{emulator.Err500Before}, 7)...)
		d.until("03-13 14:00")
		got := d.happened()
		if len(got) != 3 || !strings.HasPrefix(got[0], "03-13 14:40") || !strings.HasSuffix(got[1], fmt.Sprintf("repost %d", d.posts[1])) {
			t.Errorf("%q\n%s", got, d.book())
		}
		d.says("03-13T09:30", "skip: it could leave until")
	})
}

// Turns that fail again and again stop campaigns for as long as they do, not until the next start: an hour later they are looked at
// anew.
func TestTurnThatFails(t *testing.T) {
	t.Parallel()
	var repaired atomic.Bool
	inMarket(t, 3, menu, func(d *market) {
		planned := d.planned()
		d.until("03-13 11:00")
		d.same()
		repaired.Store(true)
		d.until("03-13 14:00")
		d.same(planned[1])
	}, func(cfg *bottest.Config) {
		cfg.Middleware = []bot.Middleware{func(next bot.Handler) bot.Handler { return breaking{next, &repaired} }}
	})
}

// breaking panics in turns of the account's timer for slots.
type breaking struct {
	bot.Handler
	repaired *atomic.Bool
}

// Handle panics, or does what is to be done.
func (b breaking) Handle(ctx context.Context, t *bot.Turn) error {
	if !b.repaired.Load() && t.Trigger.Kind == event.ByTimer && t.Trigger.Timer.Name == "campaigns/next" {
		panic("broken")
	}
	return b.Handler.Handle(ctx, t)
}

// A campaign that cannot be decided does not run, which people are told; the others go on.
func TestCampaignThatPanics(t *testing.T) {
	t.Parallel()
	inMarket(t, 3, menu, func(d *market) {
		planned := d.planned()
		bad := menu(d)
		bad.ID, bad.Jitter = "bad", 0
		broken := d.ready(bad)
		broken.Lines = nil // nobody makes one like this: what it was made ready with does not fit any more
		d.force = append([]*campaigns.Campaign{broken}, d.force...)
		if err := d.plugin.Use("bot", d.force); err != nil {
			t.Fatal(err)
		}
		d.until("03-13 13:30")
		d.same(planned[:2]...)
		if n := strings.Count(d.told(), "The campaign bad cannot be decided"); n != 1 {
			t.Errorf("it is told %d times:\n%s", n, d.told())
		}
	})
}

// panicking is a network on which the reading of one post panics, as a fault of ours would.
type panicking struct {
	http.RoundTripper
	post func() platform.PostID
}

// RoundTrip panics, or does what is to be done.
func (p panicking) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "thread_data") && strings.Contains(r.URL.String(), fmt.Sprint("=", p.post())) {
		panic("broken")
	}
	return p.RoundTripper.RoundTrip(r)
}

// A campaign that panics when it is decided, in whatever is done for it, does not run, which people are told once; the others go on. Once its file is written anew, it is tried again.
func TestDecisionThatPanics(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	d := (*market)(nil)
	inMarket(t, 4, func(made *market) campaigns.Campaign {
		d = made
		c := menu(d)
		c.Items, c.Jitter = c.Items[1:], 0
		return c
	}, func(d *market) {
		bad := menu(d)
		bad.ID, bad.Jitter, bad.KeepApart, bad.Items = "bad", 0, 0, bad.Items[:1]
		bad.Lines = []campaigns.Line{line(t, "Sat 09:29"), line(t, "Sat 12:44"), line(t, "Sat 15:00")}
		d.force = append([]*campaigns.Campaign{d.ready(bad)}, d.force...)
		if err := d.plugin.Use("bot", d.force); err != nil {
			t.Fatal(err)
		}
		d.until("03-13 13:30")
		d.same(d.reposts("14:30", 1), d.reposts("17:45", 2))
		d.Restart()
		d.until("03-13 13:45")
		if n := strings.Count(d.told(), "The campaign bad cannot be decided"); n != 1 {
			t.Errorf("it is told %d times:\n%s", n, d.told())
		}
	}, func(cfg *bottest.Config) {
		cfg.Transport = func(next http.RoundTripper) http.RoundTripper {
			return panicking{next, func() platform.PostID { return d.posts[0] }}
		}
	})
}
