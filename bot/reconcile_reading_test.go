package bot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Twins in flight are told from each other by their number, whatever became of each.
func TestReconciledTwins(t *testing.T) {
	t.Parallel()
	faults := []emulator.Fault{emulator.NoFault, emulator.CutAfter, emulator.CutBefore}
	for n := range 27 {
		some := []emulator.Fault{faults[n%3], faults[n/3%3], faults[n/9]}
		if !effort.Sampled(n) {
			continue
		}
		t.Run(fmt.Sprintf("%v", some), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				on("go", func(_ context.Context, t *bot.Turn) error { return errors.Join(t.Reply("twin"), t.Reply("twin")) }),
				echo().Ordered(1),
			}}, func(w *bottest.World) {
				ana := w.Person("ana")
				w.Disturb("send_message", some...)
				ana.Says("go", "go", "next")
				ana.Expects("twin")
				w.Advance(100 * time.Millisecond) // what has been answered is stored, and the rest on its way
				w.Crash()
				ana.Expects("twin", "twin", "twin", "next")
				ana.ExpectsNothing(5 * time.Minute)
			})
		})
	}
}

// What the platform makes of a text is recognised in every dialect: nothing is sent twice.
func TestReconciledTexts(t *testing.T) {
	t.Parallel()
	const text = ` "tea" <b>&amp; cake</b>, 5 < 6 `
	for _, d := range dialects() {
		if d.Dialect.Messages != emulator.Present {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				bot.On("reply", bot.AnyMention(), says[event.Mention](text)),
				bot.On("answer", saying("go"), says[event.Message](text)),
				echo().Ordered(1),
			}, Platform: emulator.Config{Dialect: d.Dialect}}, func(w *bottest.World) {
				ana := w.Person("ana")
				w.Disturb("send_message", emulator.CutAfter)
				w.Disturb("publish_post", emulator.Err500After)
				ana.Says("go")
				ana.Mentions("look")
				w.Advance(2 * time.Minute)
				for endpoint, kind := range map[string]emulator.EntryKind{"send_message": emulator.Arrived, "publish_post": emulator.Published} {
					if n := w.Platform().Calls(endpoint); n != 1 || entries(w, kind) != 1 {
						t.Errorf("%s was called %d times and happened %d times", endpoint, n, entries(w, kind))
					}
				}
			})
		})
	}
}

// entries counts what the bot did of a kind.
func entries(w *bottest.World, kind emulator.EntryKind) (n int) {
	for _, e := range w.Platform().Ledger().Since(0) {
		if e.ByAPI && e.Kind == kind {
			n++
		}
	}
	return n
}

// What cannot be read back is held with its reason, and the rest goes on. The readings are few, and far
// between. Nobody else waits.
func TestReconciledByAPerson(t *testing.T) {
	t.Parallel()
	line := &line{endpoint: "none"}
	blind := func(next http.RoundTripper) http.RoundTripper { // what reconciles reads 100 rows at a time
		return line.on(roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("page_size") == "100" {
				r.URL.Path = path.Dir(r.URL.Path) + "/nowhere"
			}
			return next.RoundTrip(r)
		}))
	}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: blind, Patience: time.Hour}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("hi")
		ana.Expects("hi")
		w.Disturb("send_message", emulator.CutAfter)
		line.watch(w)
		began := time.Now()
		ana.Says("one", "two")
		ana.Expects("one")
		leo.Says("hello")
		leo.Expects("hello")
		if took := time.Since(began); took > time.Minute {
			t.Errorf("somebody else waited for %v", took)
		}
		ana.Expects("two")
		if took := time.Since(began); took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("the conversation went on after %v", took)
		}
		if !strings.Contains(w.Log(), "actions are held") || !strings.Contains(w.Log(), "nobody knows whether it happened") {
			t.Errorf("the log does not tell:\n%s", w.Log())
		}
		readings := line.of("get_messages", "100")
		if len(readings) < 5 || len(readings) > 40 {
			t.Errorf("it was read %d times", len(readings))
		}
		for i := range readings[1:] {
			if gap := readings[i+1].Sub(readings[i]); gap < 500*time.Millisecond {
				t.Errorf("two readings within %v", gap)
			}
		}
		w.Crash() // held stays held
		ana.ExpectsNothing(time.Hour)
	})
}

// of returns when calls of an endpoint passed that ask for pages of this size.
func (l *line) of(endpoint, page string) (times []time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		if c.endpoint == endpoint && c.page == page {
			times = append(times, c.at)
		}
	}
	return times
}

// What is answered is not read back: an answer costs nothing but itself, and a toggle one reading of
// how it stands.
func TestReconcilingCostsNothing(t *testing.T) {
	t.Parallel()
	line := &line{endpoint: "none"}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("go", func(_ context.Context, t *bot.Turn) error {
			t.Follow()
			return t.Reply("gone")
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return t.Reply("seen")
		}),
		echo().Ordered(1),
	}, Transport: line.on}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		line.watch(w)
		for i := range 10 {
			ana.Says(fmt.Sprint("message ", i))
			ana.Hears()
		}
		ana.Says("go")
		ana.Expects("gone")
		ana.ExpectsFollow()
		ana.Mentions("look")
		ana.ExpectsReply("seen")
		ana.ExpectsLike()
		w.Advance(time.Minute)
		got := map[string]int{}
		for _, c := range line.calls {
			got[c.endpoint]++
			if c.endpoint == "get_messages" && c.page != "100" { // the poller's
				got[c.endpoint]--
			}
		}
		for _, polled := range []string{"get_chats", "get_notifications"} {
			delete(got, polled)
		}
		want := map[string]int{
			"send_message": 11, "publish_post": 1, "like_post": 1, "follow": 1, "profile": 1, "get_messages": 0,
			"thread_data": 2, // one is the turn's, for the text of the mention
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the calls are %v, want %v", got, want)
		}
	})
}

// A deletion waits for what may have made its target: found and made again, it would not be gone.
func TestDeletedBeforeItIsReconciled(t *testing.T) {
	t.Parallel()
	var slip platform.PostID
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("go", func(_ context.Context, t *bot.Turn) error { return t.Publish("a slip") }),
		bot.On("oops", bot.AnyReply(), func(_ context.Context, t *bot.Turn, _ event.Reply) error {
			t.DeletePost(slip)
			return nil
		}),
		echo().Ordered(1),
	}, Bot: bot.Config{PollInterval: 100 * time.Millisecond}}, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Disturb("publish_post", emulator.CutAfter)
		w.Disturb("feeds", emulator.Err500Before, emulator.Err500Before) // it is reconciled seconds later
		ana.Says("go")
		slip = w.Account("bot").ExpectsPost("a slip")
		ana.Replies(slip, "is that right?")
		w.Advance(5 * time.Minute)
		if made, gone := entries(w, emulator.Published), entries(w, emulator.Deleted); made != 1 || gone != 1 {
			t.Errorf("it was published %d times and deleted %d times", made, gone)
		}
	})
}
