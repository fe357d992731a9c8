//go:build unix

package bot_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// toll counts requests.
type toll struct {
	*works
	next http.RoundTripper
}

// RoundTrip counts a request, and makes it.
func (c *toll) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.next.RoundTrip(r)
}

// counted counts what goes to the platform.
func (w *works) counted(next http.RoundTripper) http.RoundTripper { return &toll{w, next} }

// Two workers that would make many more requests than a host may get make no more together, from the first one on, and hardly less; people
// are answered all the same.
func TestWorkersShareABudget(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some time until workers have shared")
	}
	const rate = 24
	w := newWorks(t, 8) // with three lists each 800 ms at least, they would make 30 requests a second and more
	w.rate, w.backlog = rate, event.Unread
	board, err := board.Open(t.Context(), w.url, board.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	began := time.Now()
	within := func(what string) {
		t.Helper()
		n, most := w.requests.Load(), rate*time.Since(began).Seconds()+rate/4+2 // what may be saved up, and one of each worker
		if t.Logf("%s: %d requests of %.0f", what, n, most); float64(n) > most {
			t.Errorf("%s: %d requests, and %.0f are allowed", what, n, most)
		}
	}
	first := w.run(ctx, "a", func(*bot.Working) {})
	second := w.run(ctx, "b", func(*bot.Working) {})
	for shared := 0; shared < 2; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the workers do not share")
		}
		v, err := board.ReadHosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shared = 0
		for host, h := range v.Hosts {
			sum := 0.0
			for _, a := range h.Asks {
				if sum += a.Share; a.Share > 0 {
					shared++
				}
			}
			if sum > rate*(1+1e-9) {
				t.Errorf("of %s, they have %v together", host, sum)
			}
		}
	}
	within("when both have a share")
	at, before := time.Now(), w.requests.Load()
	w.say("is anybody there?")
	w.answered("under a budget")
	for time.Since(at) < 2*time.Second || w.requests.Load()-before < rate {
		if time.Since(at) > time.Minute {
			t.Fatalf("%d requests in a minute", w.requests.Load()-before)
		}
		time.Sleep(20 * time.Millisecond)
	}
	within("in the end")
	stop()
	for _, ended := range []<-chan error{first, second} {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	v, err := board.ReadView(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Workers {
		if v.Workers[i].State != lease.StateGone {
			t.Errorf("%s has not gone", v.Workers[i].Name)
		}
	}
}
