package session_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What a probe has told of a refusal holds for some seconds for others that are the same.
func TestOneVerdictForManyRefusals(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		for range 200 {
			if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
				w.Fatalf("got %v, want the refusal", err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := w.barrier.count("feeds"); n < 3 || n > 5 {
			w.Errorf("%d probes for 200 refusals in 20 s, want one each 5 s", n)
		}
	})
}

// Not so for refusals in the words in which this platform has refused a session that had ended.
func TestNoVerdictForTheWordsOfASessionsEnd(t *testing.T) {
	inWorld(t, emulator.Config{Dialect: emulator.Dialect{Unauthorized400: true}}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.people.Expire(w.account)
		w.must(b) // its refusal has told
		w.barrier.disturb("send_message", answer(`{"code":400,"data":[],"message":"Invalid request or invalid token"}`))
		before := w.barrier.count("feeds")
		for range 5 {
			if err := w.refusedMessage(b); !errors.Is(err, platform.ErrInvalid) {
				w.Fatalf("got %v, want the refusal", err)
			}
		}
		if n := w.barrier.count("feeds") - before; n != 5 {
			w.Errorf("%d probes for 5 refusals, want one for each", n)
		}
	})
}

// Nor is a verdict what a probe has left open, or could not tell.
func TestAProbeThatTellsNothingIsNoVerdict(t *testing.T) {
	for name, probe := range map[string]hook{"an outage": fail, "no feed": answer(`{"code":404,"data":[],"message":"Not found"}`)} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{}, func(w *world) {
				b := w.broker()
				w.barrier.disturb("feeds", probe)
				for w.barrier.count("feeds") < 6 {
					before := w.barrier.count("feeds")
					if err := w.refusedMessage(b); errors.Is(err, platform.ErrInvalid) && w.barrier.count("feeds") == before {
						w.Fatalf("%v: nobody has said that the session is good", err)
					}
					time.Sleep(time.Second)
				}
			})
		})
	}
}

// Whether a session is good is asked for all: the permit of the call that was refused does not hold it back, and is not used up.
func TestAProbeNeedsNoPermit(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b, asked := w.broker(), 0
		w.must(b)
		ctx := platform.WithPermit(w.Context(), func() error {
			if asked++; asked > 1 {
				return errors.New("it has left once")
			}
			return nil
		})
		_, err := w.client.WithSession(b).SendMessage(ctx, platform.SendMessageParams{To: w.peer, Text: "hi"})
		if !errors.Is(err, platform.ErrInvalid) || asked != 1 {
			w.Errorf("got %v after asking %d times, want the refusal", err, asked)
		}
	})
}
