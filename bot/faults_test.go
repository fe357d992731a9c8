package bot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// climate is a kind of faults, and what it may cost.
type climate struct {
	faults
	calls int // at most in five minutes, once the bot has noticed
	lines int // of the log, at most, when it comes: as many again when it goes
}

const (
	outage     = time.Hour
	noticing   = 10 * time.Minute // pauses have grown to their longest by then
	stormPace  = 2.0              // sends per second
	stormBurst = 5
	lanesOpen  = 4 // requests in flight
)

// Whatever faults there are for an hour: nothing is lost or doubled, the bot waits quietly, and does
// not storm the platform when it is back.
func TestFaults(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	const failed = `{"code":500,"data":[],"message":"An error occurred"}`
	for name, c := range map[string]climate{
		"network down":    {down, 60, 5},
		"TLS errors":      {untrusted, 60, 5},
		"cut off":         {cut, 60, 5},
		"answers lost":    {oneWay, 60, 5},
		"no DNS":          {nameless, 60, 5},
		"code 500":        {answering(http.StatusOK, nil, failed), 60, 5},
		"status 500":      {answering(http.StatusInternalServerError, nil, failed), 60, 5},
		"bad gateway":     {answering(http.StatusBadGateway, nil, "<html>Bad Gateway</html>"), 60, 5},
		"429, try later":  {answering(http.StatusTooManyRequests, http.Header{"Retry-After": {"300"}}, "Too Many Requests"), 4, 5},
		"429, no word":    {answering(http.StatusTooManyRequests, nil, `{"code":429,"data":[],"message":"Too many requests"}`), 60, 5},
		"wrong host":      {answering(http.StatusOK, nil, "<html>Log in to the hotel's network</html>"), 60, 5},
		"ten times slow":  {slowly(400 * time.Millisecond), 0, 0},
		"too slow by far": {slowly(time.Minute), 60, 5},
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, bottest.Config{
				Routes: answers(func() error { return nil }), Transport: s.over, Patience: time.Hour,
				Bot: bot.Config{
					PollInterval: time.Second, Concurrency: lanesOpen,
					Pace: &event.Pace{Account: event.Rate{PerSecond: stormPace, Burst: stormBurst}},
				},
			}, func(w *bottest.World) { c.befall(t, w, &s) })
		})
	}
}

// befall lets faults begin while people write, and end after an hour.
func (c climate) befall(t *testing.T, w *bottest.World, s *network) {
	t.Helper()
	since, before := w.Platform().Ledger().Len(), len(lines(w.Log()))
	people := make([]*bottest.Person, 12)
	menu := w.Posts("spring menu")
	for i := range people {
		people[i] = w.Person(fmt.Sprintf("guest%02d", i))
		people[i].Says("early")
	}
	people[len(people)/2].Hears()
	w.Advance(50 * time.Millisecond) // some answers are on their way, others wait
	s.turn(c.faults)
	began := time.Now()
	for i := range 60 { // a minute each
		p := people[i%len(people)]
		p.Says(fmt.Sprintf("at minute %d", i))
		if i%9 == 0 {
			p.Mentions(fmt.Sprintf("look %d", i))
		}
		if i%20 == 0 {
			p.Reposts(menu)
		}
		w.Advance(time.Minute)
	}
	if !c.fine() {
		c.quiet(t, w, s, began, before)
	}
	s.turn(fair)
	over := time.Now()
	w.Advance(10 * time.Minute)
	first := s.since(over)
	if n := perSecond(of("send_message", first)); n > int(stormPace)+stormBurst+1 { // one may leave later than its token came
		t.Errorf("%d messages within a second of the time after", n)
	}
	if n := s.together(); n > lanesOpen+1 { // one that signs in
		t.Errorf("%d calls at a time", n)
	}
	if n := len(lines(w.Log())) - before; n > 2*c.lines {
		t.Errorf("%d lines in the log:\n%s", n, strings.Join(lines(w.Log())[before:], "\n"))
	}
	if v := judge.Platform(w.Platform(), livelyExpect(w, since)); !v.OK() {
		t.Errorf("%v\n%s\n%s", v, strings.Join(v.Details, "\n"), strings.Join(lines(w.Log()), "\n"))
	}
	t.Logf("%d calls in the outage, %d per second after it", len(s.since(began))-len(first), perSecond(first))
}

// fine reports whether the bot can work amid these faults.
func (c climate) fine() bool { return c.lines == 0 }

// quiet checks that the bot waits without working.
func (c climate) quiet(t *testing.T, w *bottest.World, s *network, began time.Time, before int) {
	t.Helper()
	const span = 5 * time.Minute
	calls := map[time.Duration]int{}
	for _, call := range s.since(began.Add(noticing)) {
		calls[call.at.Sub(began).Truncate(span)]++
	}
	for from, n := range calls {
		if n > c.calls {
			t.Errorf("%d calls in the %v from %v on, want at most %d", n, span, from, c.calls)
		}
	}
	if n := len(lines(w.Log())) - before; n > c.lines {
		t.Errorf("%d lines in the log:\n%s", n, strings.Join(lines(w.Log())[before:], "\n"))
	}
}

// What waits for faults to end needs as much of the machine after an hour as after ten minutes. (Not in
// parallel: goroutines are counted.)
func TestWaitingCostsNoMemory(t *testing.T) {
	effort.Shared(t)
	for name, bad := range map[string]faults{"network down": down, "bad gateway": answering(http.StatusBadGateway, nil, "<html>")} {
		t.Run(name, func(t *testing.T) {
			var s network
			bottest.Run(t, bottest.Config{
				Routes: []bot.Route{bot.On("profile", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
					profile, err := t.Profile(ctx)
					return errors.Join(err, t.Reply("hello "+profile.FirstName))
				})},
				Transport: s.over,
				Bot:       bot.Config{PollInterval: time.Second, Concurrency: lanesOpen, Pace: &event.Pace{}},
			}, func(w *bottest.World) {
				began, people := time.Now(), make([]*bottest.Person, 50)
				for i := range people {
					people[i] = w.Person(fmt.Sprintf("guest%02d", i))
					people[i].Says("hi")
				}
				for len(of("profile", s.since(time.Time{}))) < 20 && time.Since(began) < time.Minute {
					w.Advance(10 * time.Millisecond)
				}
				s.turn(bad) // some wait for a profile, some for room to send
				w.Advance(noticing)
				early := runtime.NumGoroutine()
				w.Advance(outage - noticing)
				if late := runtime.NumGoroutine(); late > early+2 {
					t.Errorf("%d goroutines, and %d early in the outage", late, early)
				}
				counts, err := w.Bot().Counts(t.Context())
				if err != nil || counts.Lanes == 0 || counts.Lanes > len(people) || counts.Waiting > len(people) {
					t.Errorf("%d conversations with %d events at work: %v", counts.Lanes, counts.Waiting, err)
				}
				s.turn(fair)
				w.Advance(10 * time.Minute)
				for i, p := range people {
					p.Expects(fmt.Sprintf("hello Guest%02d", i))
				}
				if counts, err := w.Bot().Counts(t.Context()); err != nil || counts.Lanes+counts.Waiting > 0 {
					t.Errorf("%d conversations with %d events at work: %v", counts.Lanes, counts.Waiting, err)
				}
			})
		})
	}
}
