package campaigns_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// onAsk is the menu, of which people approve each slot half an hour before.
func onAsk(d *market) campaigns.Campaign {
	c := menu(d)
	c.Status = campaigns.Ask
	return c
}

// An approval counts from when a person gave it, whenever the bot reads it: in time it keeps the minute, after the deadline it is none,
// and once the slot is over nothing comes of it.
func TestApprovedWhileDown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		given, back string
		leaves      bool
		says        string
	}{
		"in time, read after the deadline": {"03-13 08:55", "03-13 09:10", true, "go"},
		"after the deadline":               {"03-13 09:05", "03-13 09:10", false, "skip: nobody approved it by Sat 13 March 09:00"},
		"in time, read after the slot":     {"03-13 08:55", "03-13 11:00", false, "skip: it could leave until"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 4, onAsk, func(d *market) {
				planned := d.planned()
				d.until("03-13 08:30")
				held := d.held()
				d.Stop()
				d.until(test.given)
				for _, a := range held {
					if strings.HasSuffix(a.Key, "T09:30") {
						d.Ask(event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key, By: "ines"})
					}
				}
				d.until(test.back)
				d.Start()
				d.until("03-13 12:00")
				if d.says("03-13T09:30", test.says); test.leaves {
					d.same(planned[0])
				} else {
					d.same()
				}
			})
		})
	}
}

// A post that reads otherwise at its slot than when it was approved is left out, and its team is told. The slots after it go on.
func TestReworded(t *testing.T) {
	t.Parallel()
	var reword atomic.Bool
	inMarket(t, 4, func(d *market) campaigns.Campaign {
		c := onAsk(d)
		c.Team = "marketing"
		return c
	}, func(d *market) {
		planned := d.planned()
		d.until("03-13 08:30")
		d.approve()
		reword.Store(true)
		d.until("03-13 11:00")
		d.same()
		d.says("03-13T09:30", "skip", "reads otherwise than when it was shown")
		d.counts(1, "reads otherwise than when it was shown")
		d.until("03-13 14:00")
		d.same(planned[1])
	}, func(cfg *bottest.Config) {
		cfg.Transport = func(next http.RoundTripper) http.RoundTripper { return rewording{next, &reword} }
	})
}

// rewording is a platform on which somebody writes the first dish anew.
type rewording struct {
	http.RoundTripper
	on *atomic.Bool
}

// RoundTrip changes what an answer says.
func (w rewording) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := w.RoundTripper.RoundTrip(r)
	if err != nil || !w.on.Load() {
		return a, err
	}
	raw, err := io.ReadAll(a.Body)
	_ = a.Body.Close()
	raw = bytes.ReplaceAll(raw, []byte("dish 1 of"), []byte("NO 1 of"))
	a.Body, a.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	a.Header.Del("Content-Length")
	return a, err
}

// A zone that is written anew moves the minute of what was approved: it waits, and once it is in force it is asked for again, at the
// minute that is shown then.
func TestZoneEditVoidsAnApproval(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inMarket(t, 4, onAsk, func(d *market) {
		d.until("03-13 07:30")
		d.approve()
		d.Advance(time.Minute)
		c := onAsk(d)
		c.Zone = zone(t, "America/Chicago")
		d.uses(c)
		planned := d.planned()
		d.Advance(time.Minute)
		if n := len(d.held()); n != 3 {
			t.Errorf("%d slots wait for approval", n)
		}
		d.until("03-13 09:20")
		d.same()
		for _, a := range d.held() {
			if strings.Contains(a.Key, "T09:30") {
				d.Ask(event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key})
			}
		}
		d.until("03-13 11:30")
		d.same(planned[0])
	})
}
