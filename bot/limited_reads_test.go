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
	"github.com/nectar-bot/nectar/platform/emulator"
)

const limitedAnswer = `{"code":429,"data":[],"message":"Too many requests"}`

// often lets faults befall calls of an endpoint: so many of ten.
func often(endpoint string, ofTen int64, w faults) faults {
	var calls atomic.Int64
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, endpoint) && calls.Add(7)%10 < ofTen {
			return w(next, r)
		}
		return next.RoundTrip(r)
	}
}

// handled lets the platform handle a call, and answers by itself.
func handled(status int, body string) faults {
	own := answering(status, nil, body)
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_ = answer.Body.Close()
		r.Body = nil
		return own(next, r)
	}
}

// mentioned sends whoever mentions the account what they wrote.
func mentioned() bot.Route {
	return bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
		return t.Message("you wrote: " + m.Text)
	})
}

// A platform that asks to slow down, or does not feel well, has not said that a post is gone: whoever mentioned
// the account is answered with what they wrote, whatever shape that answer has.
func TestMentionsWhoseReadsAreRefusedForNow(t *testing.T) {
	t.Parallel()
	for name, storm := range map[string]faults{
		"code 429":              answering(http.StatusOK, nil, limitedAnswer),
		"status and code 429":   answering(http.StatusTooManyRequests, http.Header{"Retry-After": {"2"}}, limitedAnswer),
		"429 without envelope":  answering(http.StatusTooManyRequests, nil, "Too Many Requests"),
		"status 429, code 400":  answering(http.StatusTooManyRequests, nil, `{"code":400,"data":[],"message":"Slow down"}`),
		"code 503":              answering(http.StatusOK, nil, `{"code":503,"data":[],"message":"Try again later"}`),
		"a code of its own":     answering(http.StatusOK, nil, `{"code":420,"data":[],"message":"Enhance your calm"}`),
		"code 0":                answering(http.StatusOK, nil, `{"code":0,"data":[],"message":"Backend unavailable"}`),
		"credentials, for once": answering(http.StatusOK, nil, `{"code":402,"data":[],"message":"Incorrect credentials"}`),
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, bottest.Config{Routes: []bot.Route{mentioned()}, Transport: s.over}, func(w *bottest.World) {
				s.turn(often("thread_data", 3, storm))
				people := make([]*bottest.Person, 30)
				for i := range people {
					people[i] = w.Person(fmt.Sprintf("guest%02d", i))
					people[i].Mentions(fmt.Sprintf("question %d", i))
				}
				lost := 0
				for i, p := range people {
					if said := p.Hears(); !strings.HasSuffix(said, fmt.Sprintf("question %d", i)) {
						lost++
					}
				}
				if lost > 0 {
					t.Errorf("%d of %d mentions were decided without their text", lost, len(people))
				}
			})
		})
	}
}

// A clear no is believed at once: the mention is decided without its text, and the decision record says why.
func TestMentionWhosePostIsGone(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 403, 404} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, bottest.Config{Routes: []bot.Route{mentioned()}, Transport: s.over}, func(w *bottest.World) {
				s.turn(often("thread_data", 10, answering(http.StatusOK, nil, fmt.Sprintf(`{"code":%d,"data":[],"message":"no"}`, code))))
				ana := w.Person("ana")
				ana.Mentions("look")
				w.Advance(30 * time.Second)
				if decisions := w.Decisions(ana); len(decisions) != 1 || !strings.Contains(decisions[0].Note, "cannot be read") {
					t.Errorf("the traces are %v", decisions)
				}
			})
		})
	}
}

// A wish to be left alone is heeded by those who wait for a post, too.
func TestTurnWaitsAsLongAsThePlatformWishes(t *testing.T) {
	t.Parallel()
	var s network
	bottest.Run(t, bottest.Config{Routes: []bot.Route{mentioned()}, Transport: s.over}, func(w *bottest.World) {
		began := time.Now()
		s.turn(often("thread_data", 10, answering(http.StatusOK, http.Header{"Retry-After": {"120"}}, limitedAnswer)))
		ana := w.Person("ana")
		ana.Mentions("look")
		w.Advance(9 * time.Minute)
		if n := len(of("thread_data", s.since(began))); n < 4 || n > 5 {
			t.Errorf("%d calls in nine minutes, and the platform asked for two minutes each time", n)
		}
		s.turn(fair)
		ana.Expects("you wrote: @bot look")
	})
}

// Words that nobody understands stop a conversation for half an hour at most, whatever they are.
func TestPostThatIsRefusedForNowForGood(t *testing.T) {
	t.Parallel()
	for _, body := range []string{limitedAnswer, `{"code":420,"data":[],"message":"Enhance your calm"}`} {
		t.Run(body[:11], func(t *testing.T) {
			effort.Case(t)
			var s network
			bottest.Run(t, bottest.Config{Routes: []bot.Route{echo(), mentioned()}, Transport: s.over, Patience: time.Hour}, func(w *bottest.World) {
				s.turn(often("thread_data", 10, answering(http.StatusOK, nil, body)))
				ana := w.Person("ana")
				ana.Mentions("look")
				w.Advance(time.Minute)
				ana.Says("hello?")
				ana.ExpectsNothing(25 * time.Minute)
				ana.Expects("hello?")
				w.Inspect(func(d inspect.Inspector) {
					rows, err := d.Events(context.WithoutCancel(t.Context()), record.EventQuery{Account: "bot", State: record.EventQuarantined, Limit: 10})
					if err != nil || len(rows) != 1 || rows[0].Kind != event.KindMention {
						t.Errorf("quarantined: %v, %v", rows, err)
					}
				})
			})
		})
	}
}

// Whom somebody follows is not known while the platform does not tell.
func TestFollowerWhileThePlatformIsBusy(t *testing.T) {
	t.Parallel()
	var s network
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{bot.On("message", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			follows, err := t.Follower(ctx)
			if err != nil {
				return err
			}
			return t.Reply(fmt.Sprint(follows))
		})},
		Transport: s.over,
	}, func(w *bottest.World) {
		s.turn(often("fetch_following", 10, answering(http.StatusOK, nil, limitedAnswer)))
		ana := w.Person("ana")
		ana.Follows()
		ana.Says("do I?")
		ana.ExpectsNothing(time.Minute)
		s.turn(fair)
		ana.Expects("true")
	})
}

// A message that the platform took, with a code that nobody knows, is read back: neither is it sent again, nor is
// it taken for refused.
func TestMessageTakenWithAnUnknownCode(t *testing.T) {
	t.Parallel()
	var s network
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: s.over}, func(w *bottest.World) {
		s.turn(often("send_message", 10, handled(http.StatusOK, `{"code":999,"data":[],"message":"Queued"}`)))
		ana := w.Person("ana")
		ana.Says("one")
		ana.Expects("one")
		ana.ExpectsNothing(5 * time.Minute)
		s.turn(fair)
		ana.Says("two")
		ana.Expects("two")
		w.Advance(time.Minute)
		w.Inspect(func(d inspect.Inspector) {
			rows, err := d.Actions(context.WithoutCancel(t.Context()), record.ActionQuery{Account: "bot", Peer: ana.ID(), Limit: 10})
			if err != nil || len(rows) != 2 || rows[0].State != event.StateDone || rows[1].State != event.StateDone {
				t.Errorf("done: %v, %v", rows, err)
			}
		})
	})
}

// A deployment that answers calls it wants fewer of in every way it can: nothing is lost, doubled or guessed.
func TestBusyPlatform(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var s network
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo(), mentioned()}, Transport: s.over, Patience: time.Hour,
		Platform: emulator.Config{Seed: 5},
	}, func(w *bottest.World) {
		s.turn(often("", 3, answering(http.StatusOK, nil, limitedAnswer)))
		people := make([]*bottest.Person, 10)
		for i := range people {
			people[i] = w.Person(fmt.Sprintf("guest%02d", i))
			people[i].Mentions("question")
			people[i].Expects("you wrote: @bot question")
			people[i].Says("hello")
			people[i].Expects("hello")
		}
		s.turn(fair)
		for _, p := range people {
			p.ExpectsNothing(time.Minute)
		}
	})
}
