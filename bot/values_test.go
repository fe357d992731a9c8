package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// words is a value of any length.
var words = bot.NewAccountValue[string]("test", "words")

// What a turn reads of a value is what the last one has left, short or long, changed, deleted, or changed and taken back.
func TestAccountValueAsItWasLeft(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("what", func(ctx context.Context, t *bot.Turn) error {
			s, ok, err := words.Load(ctx, t)
			return errors.Join(err, t.Reply(fmt.Sprint(len(s), " ", ok)))
		}),
		on("gone", func(ctx context.Context, t *bot.Turn) error { return words.Delete(ctx, t) }),
		on("back", func(ctx context.Context, t *bot.Turn) error {
			restore := t.Checkpoint()
			err := words.Save(ctx, t, "other")
			restore()
			s, ok, lerr := words.Load(ctx, t)
			return errors.Join(err, lerr, t.Reply(fmt.Sprint("back ", len(s), " ", ok)))
		}),
		on("many", func(ctx context.Context, t *bot.Turn) error {
			for i := range 100 {
				if err := bot.NewAccountValue[int]("test", fmt.Sprint("n", i)).Save(ctx, t, i); err != nil {
					return err
				}
			}
			return nil
		}),
		bot.On("set", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error { return words.Save(ctx, t, m.Text) }),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		long := strings.Repeat("long", 150)
		for _, x := range []struct{ say, want string }{
			{"what", "0 false"}, {"short", "5 true"}, {long, "600 true"}, {"back", "600 true"}, {"many", "600 true"}, {"gone", "0 false"}, {"gone", "0 false"}, {"short", "5 true"},
		} {
			ana.Says(x.say)
			switch x.say {
			case "what":
				ana.Expects(x.want)
			case "back":
				ana.Expects("back " + x.want)
			}
			w.Advance(10 * time.Second)
			ana.Says("what")
			ana.Expects(x.want)
		}
	})
}

// asked is a store that counts how often something is read.
type asked struct {
	store.Store
	values, timers atomic.Int64
}

func (s *asked) AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error) {
	s.values.Add(1)
	return s.Store.AccountValue(ctx, account, plugin, name)
}

func (s *asked) DueTimers(ctx context.Context, now time.Time, limit int) ([]record.DueTimer, time.Time, error) {
	s.timers.Add(1)
	return s.Store.DueTimers(ctx, now, limit)
}

// onAsked runs a test with a bot whose store counts.
func onAsked(t *testing.T, routes []bot.Route, test func(b *bot.Bot, s *asked)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := emulator.New(emulator.Config{})
		p.AddAccount(emulator.Person{Username: "bot"}, "bot@example.com", "correct horse")
		pipe := emulator.NewPipe(p)
		st, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		router, err := bot.NewRouter(bot.RouterConfig{Routes: routes})
		if err != nil {
			t.Fatal(err)
		}
		s := &asked{Store: st}
		b, err := bot.New(bot.Config{Store: s, Router: router, Transport: pipe.Transport(), Accounts: []bot.Account{{
			Name: "bot", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@example.com", Password: "correct horse"},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx) }()
		<-b.Ready()
		test(b, s)
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := errors.Join(st.Close(), pipe.Close()); err != nil {
			t.Error(err)
		}
	})
}

// A value that one turn after the other changes is read from the store once.
func TestAccountValueIsReadOnce(t *testing.T) {
	t.Parallel()
	onAsked(t, []bot.Route{
		bot.On("count", bot.Nudged("count"), func(ctx context.Context, t *bot.Turn, _ event.Nudge) error {
			n, _, err := tally.Load(ctx, t)
			return errors.Join(err, tally.Save(ctx, t, n+1), words.Save(ctx, t, strings.Repeat("long ", 100)))
		}),
	}, func(b *bot.Bot, s *asked) {
		for range 20 {
			if err := b.Nudge("bot", "count", nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		n := s.values.Load()
		v, err := s.AccountValue(t.Context(), "bot", "test", "tally")
		if err != nil || string(v.Value) != "20" {
			t.Errorf("the value is %s, %v", v.Value, err)
		}
		if n != 2 {
			t.Errorf("the store was asked %d times for two values", n)
		}
	})
}

// Timers that are set for later than the next look do not let all that are due be read; one that is due before it comes in time.
func TestTimersForLaterWakeNobody(t *testing.T) {
	t.Parallel()
	var rang atomic.Int64
	onAsked(t, []bot.Route{
		bot.On("later", bot.Nudged("later"), func(_ context.Context, t *bot.Turn, _ event.Nudge) error {
			t.SetTimer("ring", t.Now.Add(time.Hour), nil)
			return nil
		}),
		bot.On("soon", bot.Nudged("soon"), func(_ context.Context, t *bot.Turn, _ event.Nudge) error {
			t.SetTimer("ring", t.Now.Add(7*time.Second), nil)
			return nil
		}),
		bot.On("ring", bot.Timer("ring"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			rang.Store(int64(t.Lateness()) + 1)
			return nil
		}).AtOnce("ring"),
	}, func(b *bot.Bot, s *asked) {
		before := s.timers.Load()
		for range 600 {
			if err := b.Nudge("bot", "later", nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		// A dozen, and some when a look and a timer come at the same instant; each second would be 600.
		if n := s.timers.Load() - before; n > 60 {
			t.Errorf("timers were read %d times in ten minutes", n)
		}
		if err := b.Nudge("bot", "soon", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(8 * time.Second)
		if late := rang.Load() - 1; late < 0 || time.Duration(late) > time.Second {
			t.Errorf("the timer was %v late", time.Duration(late))
		}
	})
}
