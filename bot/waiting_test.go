package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// mute is a platform that never answers requests whose path ends so, while it is silent.
type mute struct {
	next   http.RoundTripper
	suffix string
	silent *atomic.Bool
}

func (m mute) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.silent.Load() && strings.HasSuffix(r.URL.Path, m.suffix) {
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	}
	return m.next.RoundTrip(r)
}

// Turns that have to read the platform wait for it, also when so many of them do that most get no turn at
// asking before their time is over. That is not their handlers' fault.
func TestManyTurnsWaitForASilentPlatform(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	silent.Store(true)
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{bot.On("follow", bot.AnyFollow(), func(ctx context.Context, t *bot.Turn, _ event.Follow) error {
			p, err := t.Profile(ctx)
			if err != nil {
				return err
			}
			return t.Message("welcome, " + p.FirstName)
		})},
		Transport: func(next http.RoundTripper) http.RoundTripper { return mute{next, "profile", &silent} },
		Patience:  time.Hour,
	}, func(w *bottest.World) {
		people := make([]*bottest.Person, 12)
		for i := range people {
			people[i] = w.Person(fmt.Sprintf("guest%02d", i))
			people[i].Follows()
		}
		w.Advance(10 * time.Minute)
		silent.Store(false)
		for i, p := range people {
			p.Expects(fmt.Sprintf("welcome, Guest%02d", i))
			for _, rec := range w.Decisions(p) {
				if rec.Outcome != bot.OutcomeHandled {
					t.Errorf("the trace is %v", rec)
				}
			}
		}
	})
}

// What the platform never tells, while it answers everything else, stops its conversation for a while only: the
// event is quarantineNotice, and the conversation goes on.
func TestPostThatCanNeverBeRead(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo(), bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			return t.Reply(m.Text)
		})},
		Transport: func(next http.RoundTripper) http.RoundTripper {
			return trip(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.URL.Path, "thread_data") {
					return serverError(nil, next, r)
				}
				return next.RoundTrip(r)
			})
		},
		Patience: time.Hour,
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Mentions("look")
		w.Advance(time.Minute)
		ana.Says("hello?")
		ana.ExpectsNothing(25 * time.Minute) // the platform may still be out of order
		ana.Expects("hello?")
		w.Inspect(func(d inspect.Inspector) {
			rows, err := d.Events(context.WithoutCancel(t.Context()), record.EventQuery{Account: "bot", State: record.EventQuarantined, Limit: 10})
			if err != nil || len(rows) != 1 || rows[0].Kind != event.KindMention {
				t.Errorf("quarantined: %v, %v", rows, err)
			}
		})
	})
}

// An outage, however long, is none of that: then nothing is quarantined.
func TestOutageIsNobodysFault(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	const ahead, out, over = 0, 1, 2
	var faults atomic.Int64
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			return t.Reply(m.Text)
		})},
		Transport: func(next http.RoundTripper) http.RoundTripper {
			return trip(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.URL.Path, "thread_data") {
					faults.CompareAndSwap(ahead, out)
				}
				if faults.Load() == out {
					return serverError(nil, next, r)
				}
				return next.RoundTrip(r)
			})
		},
		Patience: time.Hour,
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Mentions("look")
		w.Advance(5 * time.Hour)
		if !faults.CompareAndSwap(out, over) {
			t.Fatal("nobody reads the post")
		}
		w.Advance(2 * time.Minute)
		if decisions := w.Decisions(ana); len(decisions) != 1 || decisions[0].Outcome != bot.OutcomeHandled {
			t.Errorf("the traces are %v", decisions)
		}
	})
}

// Turns of the account itself wait for no conversation to be heard: they try on in an outage, and are decided when it is over.
func TestOutageIsNoFaultOfTheAccountsOwnTurns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	var out atomic.Bool
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			bot.On("start", bot.Started("start"), func(_ context.Context, t *bot.Turn, _ event.Nudge) error {
				t.After(time.Hour, "look")
				return nil
			}),
			bot.On("look", bot.Timer("look"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error {
				_, err := t.OwnPage(ctx, 10)
				return err
			}),
		},
		Transport: func(next http.RoundTripper) http.RoundTripper {
			return trip(func(r *http.Request) (*http.Response, error) {
				if out.Load() {
					return serverError(nil, next, r)
				}
				return next.RoundTrip(r)
			})
		},
	}, func(w *bottest.World) {
		w.Advance(59 * time.Minute)
		out.Store(true)
		w.Advance(5 * time.Hour)
		if d := w.Account("bot").OwnDecisions(); len(d) != 1 {
			t.Fatalf("in the outage: %v", d)
		}
		out.Store(false)
		w.Advance(10 * time.Minute)
		if d := w.Account("bot").OwnDecisions(); len(d) != 2 || d[1].Outcome != bot.OutcomeHandled {
			t.Errorf("after the outage: %v", d)
		}
	})
}
