package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// tally is what a plugin counts over all people.
var tally = bot.NewAccountValue[int]("test", "tally")

// ticket gives each message the next number of the account, whoever writes it. Between reading and writing the number it
// takes its time, so that others come in between.
func ticket(slow func(m event.Message) time.Duration) bot.Route {
	return bot.On("ticket", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
		n, _, err := tally.Load(ctx, t)
		if err != nil {
			return err
		}
		select {
		case <-time.After(slow(m)):
		case <-ctx.Done():
			return ctx.Err()
		}
		return errors.Join(tally.Save(ctx, t, n+1), t.Reply(strconv.Itoa(n+1)))
	})
}

// tickets returns the numbers that people got, sorted.
func tickets(w *bottest.World) (got []int) {
	for _, e := range w.Platform().Ledger().Since(0) {
		if n, err := strconv.Atoi(e.Text); err == nil && e.Kind == emulator.Arrived && e.ByAPI {
			got = append(got, n)
		}
	}
	slices.Sort(got)
	return got
}

// upTo returns the numbers from 1 to n.
func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// Whoever writes at the same time, whichever commits the disk refuses and whenever the bot crashes: no change of a value of
// the account is lost, and none is made twice.
func TestAccountValuesLoseNothing(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) laneStep {
			return laneStep{
				Person: rapid.IntRange(0, 4).Draw(rt, "person"), Lines: rapid.IntRange(0, 4).Draw(rt, "lines"),
				Pass:  time.Duration(rapid.IntRange(0, 2000).Draw(rt, "pass")) * time.Millisecond,
				Crash: rapid.IntRange(0, 12).Draw(rt, "crash") == 0,
			}
		}), 1, 10).Draw(rt, "steps")
		refused := set(rapid.SliceOfN(rapid.Int64Range(1, 60), 0, 12).Draw(rt, "refused commits"))
		waits := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 6).Draw(rt, "waits")
		if diff := countTogether(t, steps, refused, waits); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func countTogether(t *testing.T, steps []laneStep, refused map[int64]bool, waits []int) (diff string) {
	t.Helper()
	var commits, said atomic.Int64
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{ticket(func(event.Message) time.Duration {
			return time.Duration(waits[int(said.Add(1))%len(waits)]) * time.Millisecond
		})},
		Bot: bot.Config{PollInterval: time.Second, Pace: &event.Pace{}},
		Commit: func(commit func() error) error {
			if refused[commits.Add(1)-10] { // not while it starts
				return errors.New("the disk refuses")
			}
			return commit()
		},
	}, func(w *bottest.World) {
		lines := 0
		for i, s := range steps {
			for k := range s.Lines {
				w.Person(fmt.Sprintf("p%d", s.Person)).Says(fmt.Sprintf("line %d.%d", i, k))
				lines++
			}
			w.Advance(s.Pass)
			if s.Crash {
				w.Crash()
			}
		}
		w.Advance(5 * time.Minute)
		diff = cmp.Diff(upTo(lines), tickets(w))
	})
	return diff
}

// Many people at once get a number each, and nobody waits for long.
func TestAccountValueOfManyAtOnce(t *testing.T) {
	t.Parallel()
	const people, lines = 20, 5
	var turns atomic.Int64
	bottest.Run(t, bottest.Config{
		CommitTime: 200 * time.Millisecond, Bot: bot.Config{Pace: &event.Pace{}, PollInterval: time.Second},
		Routes: []bot.Route{ticket(func(event.Message) time.Duration { turns.Add(1); return 0 })},
	}, func(w *bottest.World) {
		for i := range people {
			for k := range lines {
				w.Person(fmt.Sprintf("p%d", i)).Says(fmt.Sprint("me ", k))
			}
		}
		w.Advance(30 * time.Second)
		if diff := cmp.Diff(upTo(people*lines), tickets(w)); diff != "" {
			t.Error(diff)
		}
	})
	if n := turns.Load(); n > 5*people*lines {
		t.Errorf("%d turns for %d messages", n, people*lines)
	}
}

// A turn that relied on a value, and did not change it, runs again, too, when the value changes before its commit.
func TestAccountValueThatIsOnlyRead(t *testing.T) {
	t.Parallel()
	open := bot.NewAccountValue[bool]("test", "closed")
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("close", func(ctx context.Context, t *bot.Turn) error {
			return errors.Join(open.Save(ctx, t, true), t.Reply("closed"))
		}),
		on("order", func(ctx context.Context, t *bot.Turn) error {
			closed, _, err := open.Load(ctx, t)
			time.Sleep(3 * time.Second)
			return errors.Join(err, t.Reply(fmt.Sprintf("closed: %v", closed)))
		}),
	}, Bot: bot.Config{PollInterval: time.Second}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("order")
		w.Advance(1500 * time.Millisecond)
		leo.Says("close")
		leo.Expects("closed")
		ana.Expects("closed: true")
	})
}

// What a turn that fails, is paused or goes back to a checkpoint has changed is as it was.
func TestAccountValueOfNoTurn(t *testing.T) {
	t.Parallel()
	count := func(ctx context.Context, t *bot.Turn) error {
		n, _, err := tally.Load(ctx, t)
		return errors.Join(err, tally.Save(ctx, t, n+1))
	}
	failed := false
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("fail", func(ctx context.Context, t *bot.Turn) error {
			if err := count(ctx, t); err != nil || failed {
				return err
			}
			failed = true
			return errors.New("not yet")
		}),
		on("back", func(ctx context.Context, t *bot.Turn) error {
			restore := t.Checkpoint()
			err := count(ctx, t)
			restore()
			return err
		}),
		on("count", count),
		on("gone", func(ctx context.Context, t *bot.Turn) error { return tally.Delete(ctx, t) }),
		on("what", func(ctx context.Context, t *bot.Turn) error {
			n, ok, err := tally.Load(ctx, t)
			return errors.Join(err, t.Reply(fmt.Sprint(n, ok)))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		for _, x := range []struct{ say, want string }{{"count", "1 true"}, {"fail", "2 true"}, {"back", "2 true"}, {"gone", "0 false"}, {"gone", "0 false"}, {"count", "1 true"}} {
			ana.Says(x.say)
			w.Advance(10 * time.Second)
			w.Restart()
			ana.Says("what")
			ana.Expects(x.want)
		}
		decides(t, w, aboutRule(event.WishPause, ""), bot.OutcomeHandled, "the account is paused")
		ana.Says("count")
		w.Advance(10 * time.Second)
		decides(t, w, aboutRule(event.WishGoOn, ""), bot.OutcomeHandled, "goes on")
		ana.Says("what")
		ana.Expects("1 true")
	})
}

// Each name is a value of its own, as each account and plugin is.
func TestAccountValueNames(t *testing.T) {
	t.Parallel()
	const many = 1000
	bottest.Run(t, bottest.Config{Accounts: []event.Account{"bot", "shop"}, Routes: []bot.Route{
		on("all", func(ctx context.Context, t *bot.Turn) error {
			for i := range many {
				if err := bot.NewAccountValue[int]("test", fmt.Sprint("n", i)).Save(ctx, t, i); err != nil {
					return err
				}
			}
			return bot.NewAccountValue[string]("other", "n7").Save(ctx, t, "seven")
		}),
		on("one", func(ctx context.Context, t *bot.Turn) error {
			return bot.NewAccountValue[int]("test", "n7").Save(ctx, t, -7)
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("all")
		w.Advance(10 * time.Second)
		kept := func(account event.Account, plugin string) (all map[string]record.AccountValue) {
			all = map[string]record.AccountValue{}
			w.Inspect(func(d inspect.Inspector) {
				values, err := d.AccountValues(context.Background(), account, plugin, "", 2*many)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range values {
					all[v.Name] = v
				}
			})
			return all
		}
		before := kept("bot", "test")
		ana.Says("one")
		w.Advance(10 * time.Second)
		after := kept("bot", "test")
		for name, v := range before {
			if changed := v.Version != after[name].Version; changed != (name == "n7") {
				t.Errorf("%s was changed: %v", name, changed)
			}
		}
		if got := string(after["n7"].Value); got != "-7" || len(after) != many {
			t.Errorf("n7 is %s, of %d", got, len(after))
		}
		if got := kept("bot", "other"); len(got) != 1 || string(got["n7"].Value) != `"seven"` {
			t.Errorf("the other plugin has %v", got)
		}
		if got := kept("shop", "test"); len(got) > 0 {
			t.Errorf("the other account has %v", got)
		}
	})
}

// blade ends an incarnation at a commit: before it is made, or before anybody hears of it.
type blade struct {
	until  atomic.Int64 // commits; 0 for never
	made   bool
	struck chan struct{}
	free   chan struct{}
}

// commit is a bottest.Config.Commit.
func (b *blade) commit(commit func() error) error {
	if n := b.until.Add(-1); n != 0 {
		return commit()
	}
	err := errors.New("the power is gone")
	if b.made {
		err = commit()
	}
	close(b.struck)
	<-b.free
	return err
}

// falls lets the n-th commit from now on be the incarnation's last, and starts the next incarnation, unless there are not so many within a
// while.
func (b *blade) falls(w *bottest.World, n int, do func()) {
	b.struck, b.free = make(chan struct{}), make(chan struct{})
	b.until.Store(int64(n))
	do()
	select {
	case <-b.struck:
	case <-time.After(time.Minute):
		b.until.Store(0)
		return
	}
	w.CrashStop()
	b.until.Store(0)
	close(b.free)
	w.Start()
}

// Wherever the bot is killed, before or after each commit of a turn of the account that publishes and counts: it has
// happened once, as a whole.
func TestKilledAtEachCommitOfAnOwnTurn(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		for n := 1; n <= 6; n++ {
			t.Run(fmt.Sprintf("commit %d, made %v", n, made), func(t *testing.T) {
				effort.Case(t)
				b := &blade{made: made}
				bottest.Run(t, bottest.Config{Commit: b.commit, Bot: bot.Config{Pace: &event.Pace{}}, Routes: []bot.Route{
					bot.On("say", bot.Asked("say"), func(ctx context.Context, t *bot.Turn, a event.Told) error {
						n, _, err := tally.Load(ctx, t)
						t.SetTimer("again", t.Now.Add(20*time.Second), nil)
						return errors.Join(err, tally.Save(ctx, t, n+1), t.Publish(fmt.Sprintf("%s %d", a.Text, n+1)))
					}),
					bot.On("again", bot.Timer("again"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error {
						n, _, err := tally.Load(ctx, t)
						return errors.Join(err, tally.Save(ctx, t, n+1), t.Publish(fmt.Sprintf("again %d", n+1)))
					}),
				}}, func(w *bottest.World) {
					var asked []event.Request
					b.falls(w, n, func() {
						asked = w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "say", Text: "hello"})
					})
					w.Advance(5 * time.Minute)
					if diff := cmp.Diff([]string{"hello 1", "again 2"}, postsOf(w)); diff != "" {
						t.Error(diff)
					}
					if got := w.Answer(asked[0]); got.Outcome != bot.OutcomeHandled {
						t.Errorf("the answer is %+v", got)
					}
					w.Inspect(func(d inspect.Inspector) {
						v, err := d.AccountValue(context.Background(), "bot", "test", "tally")
						if diff := cmp.Diff(json.RawMessage("2"), v.Value); diff != "" || err != nil {
							t.Errorf("the value: %s, %v", diff, err)
						}
					})
				})
			})
		}
	}
}

// The turn of a start comes with each start, also with two in one instant.
func TestStartedAtEachStart(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Latency: -1, CommitTime: -1, Bot: rarely(), Routes: []bot.Route{
		bot.On("start", bot.Started("start"), func(ctx context.Context, t *bot.Turn, _ event.Nudge) error {
			n, _, err := tally.Load(ctx, t)
			return errors.Join(err, tally.Save(ctx, t, n+1))
		}),
	}}, func(w *bottest.World) {
		for n, end := range []func(){w.Crash, w.Crash, w.Crash, w.Crash, w.Restart} {
			w.Advance(0)
			for tries := 0; len(w.Account("bot").OwnDecisions()) <= n; tries++ { // who is told to stop at once may not come to it
				if w.Advance(time.Millisecond); tries > 1000 {
					t.Fatalf("there is no turn of start %d", n+1)
				}
			}
			end()
		}
		w.Advance(time.Second)
		w.Inspect(func(d inspect.Inspector) {
			if v, err := d.AccountValue(context.Background(), "bot", "test", "tally"); err != nil || string(v.Value) != "6" {
				t.Errorf("%s starts, %v", v.Value, err)
			}
		})
		if got := w.Account("bot").OwnDecisions(); len(got) != 6 {
			t.Errorf("%v", got)
		}
	})
}
