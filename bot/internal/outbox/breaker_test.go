package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// When the platform says for how long to wait, nothing leaves any more before that: neither what waited for a slot
// then, nor what is decided after the answer to a call came that had left before.
func TestRetryAfterOnTheWay(t *testing.T) {
	t.Parallel()
	for _, concurrency := range []int{1, 2, 8} {
		t.Run(fmt.Sprint("requests at a time: ", concurrency), func(t *testing.T) {
			effort.Case(t)
			var begun time.Time
			var early atomic.Int64 // calls that left although it was said to wait
			wrap := func(p outbox.Platform) outbox.Platform {
				return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
					if m.Text == "too many" {
						time.Sleep(100 * time.Millisecond)
						return platform.Message{}, &platform.Refused{Endpoint: "send_message", Code: 429, RetryAfter: time.Minute}
					}
					if left := time.Since(begun); left >= 100*time.Millisecond && left < time.Minute {
						early.Add(1)
					}
					time.Sleep(time.Second)
					return p.SendMessage(ctx, m)
				}}
			}
			inWorld(t, setup{wrap: wrap, concurrency: concurrency}, func(w *world) {
				begun = time.Now().Add(-time.Hour)
				w.decide(w.message(w.person("early"), "signs in"))
				w.rest(time.Minute)
				last := w.person("last")
				begun = time.Now()
				w.decide(w.message(w.person("first"), "too many"))
				time.Sleep(50 * time.Millisecond)
				for i := range 20 {
					w.decide(w.message(w.person(fmt.Sprint("p", i)), "hello"))
				}
				time.Sleep(5 * time.Second)
				w.decide(w.message(last, "hello"))
				time.Sleep(50 * time.Second)
				w.same("too early", int64(0), early.Load())
				w.same("those that had left", concurrency, len(w.entries(emulator.Arrived)))
			})
		})
	}
}

// A platform cannot keep what is due for ever with one header.
func TestRetryAfterForEver(t *testing.T) {
	t.Parallel()
	calls := 0
	wrap := func(p outbox.Platform) outbox.Platform {
		return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
			if calls++; calls == 1 {
				return platform.Message{}, &platform.Refused{Endpoint: "send_message", Code: 429, RetryAfter: 2147483647 * time.Second}
			}
			return p.SendMessage(ctx, m)
		}}
	}
	inWorld(t, setup{wrap: wrap}, func(w *world) {
		begun := time.Now()
		w.decide(w.message(w.person("ana"), "hello"))
		w.rest(2 * time.Hour)
		arrived := w.entries(emulator.Arrived)
		if len(arrived) != 1 {
			w.Fatalf("%d messages arrived, want 1", len(arrived))
		}
		if took := arrived[0].At.Sub(begun); took < time.Hour || took > time.Hour+time.Second {
			w.Errorf("it arrived after %v, want an hour", took)
		}
	})
}

// A platform that wants fewer calls after an outage is asked again when it says, and not when an outage of that length would have been over.
func TestTooManyAfterAnOutage(t *testing.T) {
	t.Parallel()
	for says, want := range map[time.Duration]time.Duration{3 * time.Second: 3 * time.Second, 0: time.Second} {
		t.Run(says.String(), func(t *testing.T) {
			effort.Case(t)
			calls, limited, took := 0, time.Time{}, time.Duration(0)
			wrap := func(p outbox.Platform) outbox.Platform {
				return &stub{Platform: p, send: func(ctx context.Context, m platform.SendMessageParams) (platform.Message, error) {
					switch calls++; {
					case calls < 12:
						return platform.Message{}, &platform.Unreachable{Endpoint: "send_message", Err: errors.New("no route to host")}
					case calls == 12:
						limited = time.Now()
						return platform.Message{}, &platform.Refused{Endpoint: "send_message", Code: 429, RetryAfter: says}
					case calls == 13:
						took = time.Since(limited)
					}
					return p.SendMessage(ctx, m)
				}}
			}
			inWorld(t, setup{wrap: wrap, concurrency: 1}, func(w *world) {
				for i := range 8 {
					w.decide(w.message(w.person(fmt.Sprint("p", i)), "hello"))
				}
				w.rest(time.Hour)
				if took < want || took > want+time.Second/2 {
					w.Errorf("it was asked again after %v, want %v", took, want)
				}
				w.same("messages", 8, len(w.entries(emulator.Arrived)))
			})
		})
	}
}
