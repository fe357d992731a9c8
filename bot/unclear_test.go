package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// cable is the way to the disk: the answer of one commit is lost, and nobody can tell for a while what became of it.
type cable struct {
	made   bool          // the commit whose answer is lost is made
	silent time.Duration // how long nobody can tell

	mu    sync.Mutex
	until int // commits until then; 0: none any more
	since time.Time
}

var errCable = errors.New("the cable is loose")

// loosen loses the answer of the n-th commit from now on.
func (c *cable) loosen(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = n
}

// repair lets everything pass again.
func (c *cable) repair() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until, c.since = 0, time.Time{}
}

// commit is a bottest.Config.Commit.
func (c *cable) commit(commit func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.since.IsZero() && time.Since(c.since) < c.silent {
		return errCable
	}
	if c.until == 0 {
		return commit()
	}
	if c.until--; c.until > 0 {
		return commit()
	}
	c.since = time.Now()
	if c.made {
		return errors.Join(commit(), errCable)
	}
	return &unclear.Error{Err: errCable}
}

// talkative is a bot whose turns store all that turns store.
func talkative() []bot.Route {
	return []bot.Route{
		bot.On("talk", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			if err := t.Reply("welcome", bot.Once("welcome")); err != nil {
				return err
			}
			t.After(10*time.Second, "more")
			if err := t.Reply("later "+m.Text, bot.In(time.Minute)); err != nil {
				return err
			}
			return t.Reply("echo " + m.Text)
		}),
		bot.On("more", bot.Timer("more"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Reply("more?")
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return t.Reply("seen " + m.Text)
		}),
	}
}

// Whichever commit it is whose answer is lost, whether it was made or not, and however long nobody can tell:
// everything is said and done once, without a restart.
func TestCommitWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 16; n++ {
		for _, made := range []bool{true, false} {
			silent := []time.Duration{0, 40 * time.Second}[n%2]
			name := fmt.Sprintf("commit %d, made %v, silent for %v", n, made, silent)
			if !effort.Some(name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				effort.Case(t)
				c := &cable{made: made, silent: silent}
				bottest.Run(t, bottest.Config{
					Routes: talkative(), Commit: c.commit, Bot: bot.Config{Pace: &event.Pace{}, PollInterval: 2 * time.Second},
				}, func(w *bottest.World) { onceEach(t, w, func() { c.loosen(n) }, func() {}) })
			})
		}
	}
}

// onceEach lets two people write, and looks for what they get in half an hour.
func onceEach(t *testing.T, w *bottest.World, befall, end func()) {
	t.Helper()
	since, before := w.Platform().Ledger().Len(), len(lines(w.Log()))
	ana, leo := w.Person("ana"), w.Person("leo")
	befall()
	ana.Says("one")
	leo.Mentions("look")
	w.Advance(time.Second)
	ana.Says("two")
	w.Advance(90 * time.Second)
	end()
	w.Advance(30 * time.Minute)
	got := map[string]int{}
	for _, e := range w.Platform().Ledger().Since(since) {
		switch {
		case !e.ByAPI:
		case e.Kind == emulator.Arrived, e.Kind == emulator.Published:
			got[e.Text]++
		case e.Kind == emulator.Liked:
			got["a like"]++
		}
	}
	want := map[string]int{"welcome": 1, "echo one": 1, "echo two": 1, "later one": 1, "later two": 1, "more?": 1, "seen @bot look": 1, "a like": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("said and done (-want +got):\n%s%s", diff, w.Log())
	}
	if got := lines(w.Log())[before:]; len(got) > 4 { // the last one that the bot has stopped
		t.Errorf("%d lines in the log:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// As long as nobody can tell what became of a commit, a stop still ends, and a kill loses nothing: the next start sees
// what is there.
func TestEndWhileACommitIsUnclear(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bottest.World){
		"stopped": func(w *bottest.World) {
			w.Faults(emulator.Faults{}) // a stop cannot store how things ended: it may leave something open
			began := time.Now()
			w.Stop()
			if took := time.Since(began); took > 12*time.Second {
				t.Errorf("the stop took %v", took)
			}
		},
		"killed": (*bottest.World).CrashStop,
	} {
		for _, made := range []bool{true, false} {
			for n := 1; n <= 16; n += 3 {
				name := fmt.Sprintf("%s, made %v, commit %d", name, made, n)
				if !effort.Some(name) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					effort.Case(t)
					c := &cable{made: made, silent: time.Hour}
					bottest.Run(t, bottest.Config{
						Routes: talkative(), Commit: c.commit, Bot: bot.Config{Pace: &event.Pace{}, PollInterval: 2 * time.Second},
					}, func(w *bottest.World) {
						onceEach(t, w, func() { c.loosen(n) }, func() {
							end(w)
							c.repair()
							w.Start()
						})
					})
				})
			}
		}
	}
}

// An account that was never polled begins once: whichever commit it is whose answer is lost then, what is said while
// nobody knows that it begins is answered.
func TestFirstStartWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]event.Mode{"messages": event.Never, "rows": event.Always} {
		for n := 2; n <= 6; n++ { // the first one stores the session, before anything is read
			for _, made := range []bool{true, false} {
				name := fmt.Sprintf("%s, commit %d, made %v", name, n, made)
				if !effort.Some(name) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					effort.Case(t)
					c := &cable{made: made, silent: time.Second}
					c.loosen(n)
					bottest.Run(t, bottest.Config{
						Routes: []bot.Route{echo()}, Commit: c.commit,
						Bot: bot.Config{Pace: &event.Pace{}, PollInterval: 2 * time.Second, NoMessages: mode},
						Before: func(w *bottest.World) {
							ana := w.Person("ana")
							ana.Says("before")
							time.AfterFunc(500*time.Millisecond, func() { ana.Says("hello?") })
						},
					}, func(w *bottest.World) {
						w.Advance(time.Minute)
						var got []string
						for _, e := range w.Platform().Ledger().Since(0) {
							if e.ByAPI && e.Kind == emulator.Arrived {
								got = append(got, e.Text)
							}
						}
						if diff := cmp.Diff([]string{"hello?"}, got); diff != "" {
							t.Errorf("answers (-want +got):\n%s%s", diff, w.Log())
						}
					})
				})
			}
		}
	}
}
