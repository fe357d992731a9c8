package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// holdup keeps messages back on their way, after the platform has handled them or before, as long as it is on.
type holdup struct {
	next    http.RoundTripper
	on      atomic.Bool
	handled bool
}

func (h *holdup) over(next http.RoundTripper) http.RoundTripper {
	h.next = next
	return h
}

func (h *holdup) RoundTrip(r *http.Request) (*http.Response, error) {
	if !h.on.Load() || !strings.HasSuffix(r.URL.Path, "send_message") {
		return h.next.RoundTrip(r)
	}
	if h.handled {
		if res, err := h.next.RoundTrip(r); err == nil {
			_ = res.Body.Close()
		}
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// When a process dies, only what was on the wire is in doubt: what was decided with it, and has not left, leaves at once, also where messages cannot be
// read. Nothing is said twice, whatever became of what was on the wire, and however often the process dies.
func TestWhatHasNotLeftLeavesAtOnceAfterADeath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handled bool
		without event.Mode
	}{
		"lost":            {false, event.Auto},
		"answer lost":     {true, event.Auto},
		"no get_messages": {true, event.Always},
	} {
		t.Run(name, func(t *testing.T) {
			h := &holdup{handled: c.handled}
			bottest.Run(t, bottest.Config{
				Routes: answers(func() error { return nil }), Transport: h.over, Patience: 5 * time.Minute,
				Bot: bot.Config{Pace: &event.Pace{}, Concurrency: 1, PollInterval: time.Second, NoMessages: c.without},
			}, func(w *bottest.World) {
				var people []*bottest.Person
				for i := range 10 {
					people = append(people, w.Person(fmt.Sprint("guest", i)))
				}
				h.on.Store(true)
				for _, p := range people {
					p.Says("hello")
				}
				w.Advance(5 * time.Second) // one is on the wire, nine are sending
				w.CrashStop()
				h.on.Store(false)
				w.Start()
				w.Crash() // before anything could be found out
				w.Advance(5 * time.Second)
				answered := 0
				for _, e := range w.Platform().Ledger().Since(0) {
					if e.Kind == emulator.Arrived {
						answered++
					}
				}
				if answered < 9 {
					t.Errorf("%d of 10 were answered within 5 s, while one may have been on the wire", answered)
				}
				for _, p := range people {
					p.Expects("echo: hello")
				}
				for _, p := range people {
					p.ExpectsNothing(time.Minute)
				}
			})
		})
	}
}

// Of what an account has sent in an earlier term of the same incarnation, the file of the last one says nothing.
func TestASecondTermKnowsWhatTheFirstHasSent(t *testing.T) {
	t.Parallel()
	h := &holdup{handled: true}
	bottest.Run(t, bottest.Config{
		Routes: answers(func() error { return nil }), Transport: h.over, Patience: 5 * time.Minute,
		Bot: bot.Config{Pace: &event.Pace{}, Concurrency: 1, PollInterval: time.Second},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("early")
		ana.Expects("echo: early")
		w.Crash()
		h.on.Store(true)
		ana.Says("hello")
		w.Advance(5 * time.Second)
		w.RemoveAccount("bot")
		h.on.Store(false)
		w.AddAccount("bot")
		ana.Expects("echo: hello")
		ana.ExpectsNothing(5 * time.Minute)
	})
}
