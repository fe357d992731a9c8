package bot_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// unstorable decides something that no store takes.
func unstorable(t *bot.Turn) error {
	if err := t.Reply("never seen"); err != nil {
		return err
	}
	t.Amend(func(_ *bot.Turn, a *record.Action) { a.Priority = 200 })
	return nil
}

// poisons are what a handler may do to the runtime. The channel ends what hangs.
func poisons(release *chan struct{}) map[string]func(ctx context.Context, t *bot.Turn) error {
	return map[string]func(context.Context, *bot.Turn) error{
		"error":      func(context.Context, *bot.Turn) error { return errors.New("no idea") },
		"panic":      func(context.Context, *bot.Turn) error { panic("no idea") },
		"takes long": func(ctx context.Context, _ *bot.Turn) error { <-ctx.Done(); return ctx.Err() },
		"hangs":      func(context.Context, *bot.Turn) error { <-*release; return nil },
		"unstorable": func(_ context.Context, t *bot.Turn) error { return unstorable(t) },
	}
}

// Twenty poisoned people at once delay nobody: everybody else is answered as fast as without them. Each
// of the twenty is set aside after its tries, and hears the answer to what was said next.
func TestPoisonDelaysNobody(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	var release chan struct{}
	healthy := answerTimes(t, &release, func(context.Context, *bot.Turn) error { return nil })
	for name, poison := range poisons(&release) {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // they share the channel
			got := answerTimes(t, &release, poison)
			// Polls come at other moments when other answers go out; that makes a difference of some milliseconds.
			if slices.Max(got) > slices.Max(healthy)*11/10 || p99(got) > p99(healthy)*11/10 {
				t.Errorf("answers took up to %v (p99 %v), without poison up to %v (%v)", slices.Max(got), p99(got), slices.Max(healthy), p99(healthy))
			}
		})
	}
}

// What was set aside stays so: no restart tries it again.
func TestQuarantineLasts(t *testing.T) {
	t.Parallel()
	tries := 0
	boom := func(context.Context, *bot.Turn) error { tries++; return errors.New("no idea") }
	bottest.Run(t, troubled(boom), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("boom", "next")
		ana.Expects("next")
		for _, again := range []func(){w.Restart, w.Crash} {
			again()
			w.Advance(5 * time.Minute)
		}
		if tries != 5 {
			t.Errorf("it was tried %d times", tries)
		}
		w.Inspect(func(d inspect.Inspector) { // and people were called for it
			notices, err := d.Unsent(context.Background(), 9)
			notices = slices.DeleteFunc(notices, func(n event.Notice) bool { return n.Kind == event.CallCrashed })
			if err != nil || len(notices) != 1 || notices[0].Kind != event.CallQuarantine || notices[0].Peer == 0 ||
				!strings.HasPrefix(notices[0].Detailed().Do, "nectar events retry message:") {
				t.Errorf("%v: %+v", err, notices)
			}
		})
		ana.Says("hi")
		ana.Expects("hi")
	})
}

func p99(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)*99/100]
}

// answerTimes plays the same five minutes, in which twenty people say what the handler is for, and
// returns how long the others waited for their answers.
func answerTimes(t *testing.T, release *chan struct{}, poison func(context.Context, *bot.Turn) error) (times []time.Duration) {
	t.Helper()
	bottest.Run(t, bottest.Config{
		Before: func(*bottest.World) { *release = make(chan struct{}) },
		Routes: []bot.Route{on("boom", poison), echo().Ordered(1)},
		Bot:    bot.Config{PollInterval: time.Second, Ceiling: bot.Ceiling{Max: -1}, Pace: fast()},
	}, func(w *bottest.World) {
		var poisoned, others []*bottest.Person
		for i := range 20 {
			poisoned = append(poisoned, w.Person(fmt.Sprint("poisoned", i)))
		}
		for i := range 10 {
			others = append(others, w.Person(fmt.Sprint("other", i)))
		}
		for round := range 30 {
			if round == 2 {
				for _, p := range poisoned {
					p.Says("boom", "next")
				}
			}
			for _, p := range others {
				p.Says(fmt.Sprint("round ", round))
			}
			w.Advance(10 * time.Second)
		}
		for _, p := range poisoned {
			p.Expects("next")
		}
		close(*release)
		times = waits(w)
		if want := 30 * len(others); len(times) != want {
			t.Errorf("%d answers of %d came", len(times), want)
		}
	})
	return times
}

func fast() *event.Pace { return &event.Pace{} }

// waits returns how long after each round its answers arrived.
func waits(w *bottest.World) (times []time.Duration) {
	asked := map[platform.UserID]time.Time{}
	for _, e := range w.Platform().Ledger().Since(0) {
		switch {
		case e.Kind == emulator.Said && len(e.Text) > 5 && e.Text[:5] == "round":
			asked[e.From] = e.At
		case e.Kind == emulator.Arrived && len(e.Text) > 5 && e.Text[:5] == "round":
			times = append(times, e.At.Sub(asked[e.To]))
		}
	}
	return times
}

// A handler that loops for ever, and takes a processor with it, is left behind like one that hangs: the
// others go on. It is real time that it burns.
func TestHandlerThatLoops(t *testing.T) {
	if testing.Short() {
		t.Skip("it loops for seconds, on a whole core")
	}
	t.Parallel()
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, "bot@example.com", "correct horse")
	pipe := emulator.NewPipe(p)
	st, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{on("boom", func(context.Context, *bot.Turn) error {
		for !over.Load() {
			runtime.Gosched()
		}
		return nil
	}), echo().Ordered(1)}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bot.New(bot.Config{
		Accounts: []bot.Account{{
			Name: "bot", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@example.com", Password: "correct horse"},
		}},
		Store: st, Router: router, Transport: pipe.Transport(), PollInterval: 50 * time.Millisecond, HandlerTimeout: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	begun(t, p, "get_notifications")
	p.Say(p.AddPerson(emulator.Person{Username: "ana"}), account, "boom")
	leo := p.AddPerson(emulator.Person{Username: "leo"})
	for abandoned(t, b) == 0 { // leo says something until the other handler has been left behind
		answered := p.Ledger().Len() + 1
		p.Say(leo, account, "hi")
		if err := p.Ledger().Wait(ctx, answered); err != nil {
			t.Fatal(err)
		}
	}
	over.Store(true)
	stop()
	if err := errors.Join(<-ended, pipe.Close(), st.Close()); err != nil {
		t.Error(err)
	}
}

// begun waits until the first poll is over.
func begun(t *testing.T, p *emulator.Platform, last string) {
	t.Helper()
	for p.Calls(last) < 3 {
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
		runtime.Gosched()
	}
}

// What the platform refuses for ever ends, and its conversation goes on, in order.
func TestRefusedForEver(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("go", func(_ context.Context, t *bot.Turn) error {
			t.Like(987654321)
			t.DeletePost(987654321)
			return errors.Join(t.Reply("first"), t.Reply("second"))
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			return errors.Join(t.Reply("in public", bot.In(time.Minute)), t.Message("in private", bot.In(2*time.Minute)))
		}),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("go")
		ana.Expects("first", "second")
		post := ana.Mentions("look")
		w.Advance(20 * time.Second)
		w.Platform().DeletePost(ana.ID(), post) // no reply is possible any more
		ana.Expects("in private")
		ana.Says("hi")
		ana.Expects("hi")
		ana.ExpectsNothing(time.Hour)
		for endpoint, most := range map[string]int64{"like_post": 0, "delete_post": 1, "publish_post": 1} {
			if n := w.Platform().Calls(endpoint); n > most {
				t.Errorf("%s was called %d times", endpoint, n)
			}
		}
	})
}
