package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// payment is what a cashier delivers.
type payment struct {
	Sum int `json:"sum"`
}

// cashier thanks for what is paid, and counts it in the conversation.
func cashier() bottest.Config {
	paid := bot.NewValue[int]("shop", "paid")
	return bottest.Config{
		Bot: bot.Config{Pace: fast()},
		Routes: []bot.Route{
			bot.On("paid", bot.Delivered[payment]("shop/paid"), func(_ context.Context, t *bot.Turn, p payment) error {
				sum, _, err := paid.Load(t)
				if err != nil {
					return err
				}
				if err := paid.Save(t, sum+p.Sum); err != nil {
					return err
				}
				t.Note("owned: %t", t.IsOwned())
				if t.Trigger.Key.Own() {
					return nil
				}
				return t.Reply(fmt.Sprintf("paid: %d", sum+p.Sum))
			}),
			bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("hello") }),
		},
	}
}

// pay delivers a payment.
func pay(t *testing.T, w *bottest.World, to event.Key, id string, sum int) {
	t.Helper()
	if err := w.Bot().Deliver(context.Background(), event.Delivery{To: to, Name: "shop/paid", ID: id, Data: payment{sum}}); err != nil {
		t.Fatal(err)
	}
}

// keyOf is a conversation with the account named bot.
func keyOf(p *bottest.Person) event.Key { return event.Key{Account: "bot", Peer: p.ID()} }

// What is delivered has its turn once, over crashes and restarts, however often it is delivered; in its order; and however old it is.
func TestDeliver(t *testing.T) {
	t.Parallel()
	bottest.Run(t, cashier(), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		pay(t, w, keyOf(ana), "1", 5)
		pay(t, w, keyOf(ana), "1", 5)
		pay(t, w, keyOf(ana), "2", 7)
		ana.Expects("paid: 5", "paid: 12")
		pay(t, w, keyOf(ana), "3", 1)
		w.CrashStop() // it is on disk
		w.Advance(30 * time.Hour)
		w.Start()
		ana.Expects("paid: 13")
		pay(t, w, keyOf(ana), "3", 1)
		pay(t, w, keyOf(ana), "2", 7)
		ana.ExpectsNothing(time.Minute)
		w.Restart()
		pay(t, w, keyOf(ana), "1", 5)
		ana.ExpectsNothing(time.Minute)

		pay(t, w, event.Own("bot"), "4", 1)
		w.Advance(time.Second)
		if own := w.Account("bot").OwnDecisions(); len(own) != 1 || own[0].Route != "paid" {
			t.Errorf("the account's own conversation decided %+v", own)
		}
	})
}

// A process that ends at any moment around a delivery leaves it undelivered, with an error, or its turn comes about once.
func TestDeliverAndCrash(t *testing.T) {
	t.Parallel()
	for ms := range 40 {
		t.Run(fmt.Sprint(ms, " ms"), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, cashier(), func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("hello")
				delivered := make(chan error, 1)
				d := event.Delivery{To: keyOf(ana), Name: "shop/paid", ID: "1", Data: payment{5}}
				b := w.Bot()
				go func() { delivered <- b.Deliver(context.Background(), d) }()
				w.Advance(time.Duration(ms) * time.Millisecond / 2)
				w.Crash()
				select {
				case err := <-delivered:
					if err != nil { // who sent it sends it again
						pay(t, w, keyOf(ana), "1", 5)
					}
				default:
					pay(t, w, keyOf(ana), "1", 5)
				}
				ana.Expects("paid: 5")
				ana.ExpectsNothing(2 * time.Minute)
			})
		})
	}
}

// What a turn delivers is stored with the turn: it comes once, or the turn has not come about.
func TestTurnDelivers(t *testing.T) {
	t.Parallel()
	for ms := range 60 {
		t.Run(fmt.Sprint(ms, " ms"), func(t *testing.T) {
			effort.Case(t)
			var bea atomic.Int64
			cfg := cashier()
			cfg.Bot.PollInterval = 200 * time.Millisecond
			cfg.Routes = append(cfg.Routes, bot.On("gift", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
				for sum := range 2 {
					if err := t.Deliver(event.Delivery{To: event.Key{Peer: m.From.ID}, Name: "shop/paid", ID: fmt.Sprint(m.ID, "/own/", sum), Data: payment{sum + 1}}); err != nil {
						return err
					}
				}
				to := event.Key{Account: "bot", Peer: platform.UserID(bea.Load())}
				if err := t.Deliver(event.Delivery{To: to, Name: "shop/paid", ID: fmt.Sprint(m.ID), Data: payment{9}}); err != nil {
					return err
				}
				return t.Reply("sent")
			}).With(onlyFor("gift")))
			cfg.Routes[len(cfg.Routes)-1].Order = -1
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana, to := w.Person("ana"), w.Person("bea")
				bea.Store(int64(to.ID()))
				to.Says("hi")
				to.Expects("hello")
				ana.Says("gift")
				w.Advance(time.Duration(ms) * 10 * time.Millisecond)
				w.Crash()
				to.Expects("paid: 9")
				ana.Expects("sent", "paid: 1", "paid: 3")
				to.ExpectsNothing(2 * time.Minute)
				ana.ExpectsNothing(0)
			})
		})
	}
}

// onlyFor lets a route have messages of one text, and leaves the others to the next one.
func onlyFor(text string) bot.Middleware {
	return func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			if t.Text() != text {
				return bot.Decline
			}
			return next.Handle(ctx, t)
		})
	}
}

// A delivery does not speak where nobody asked for it: over a person of ours, after a stop word, to a stranger, for a paused account. What it keeps is kept.
func TestDeliveryIsSilent(t *testing.T) {
	t.Parallel()
	handOver := func(w *bottest.World, p *bottest.Person) {
		w.Ask(event.Request{Key: keyOf(p), Wish: event.WishTakeOver, Owner: "ines", Until: time.Now().Add(time.Hour)})
	}
	for name, tc := range map[string]struct {
		before func(w *bottest.World, p *bottest.Person)
		quiet  bool // nobody has spoken before
		change func(cfg *bottest.Config)
		why    event.ReasonCode // "": it says it
		owned  bool
	}{
		"somebody who spoke": {},
		"owned":              {before: handOver, why: reason.Owned, owned: true},
		"asked for silence": {why: reason.Silent, change: func(cfg *bottest.Config) { cfg.Bot.StopWords = []string{"stop"} }, before: func(_ *bottest.World, p *bottest.Person) {
			p.Says("stop")
		}},
		"stranger":                {quiet: true, why: reason.NeverSpoke},
		"stranger to whom we may": {quiet: true, change: func(cfg *bottest.Config) { cfg.Bot.SpeakFirst = true }},
		"paused": {why: reason.AccountPaused, before: func(w *bottest.World, _ *bottest.Person) {
			w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishPause})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			cfg := cashier()
			if tc.change != nil {
				tc.change(&cfg)
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				if !tc.quiet {
					ana.Says("hi")
					ana.Expects("hello")
				}
				if tc.before != nil {
					tc.before(w, ana)
					w.Advance(20 * time.Second)
				}
				pay(t, w, keyOf(ana), "1", 5)
				if tc.why == "" {
					ana.Expects("paid: 5")
				} else {
					ana.ExpectsNothing(time.Minute)
				}
				last := w.Decisions(ana)[len(w.Decisions(ana))-1]
				if want := fmt.Sprintf("owned: %t", tc.owned); !strings.Contains(last.Note, want) {
					t.Errorf("the note says %q, and not %q", last.Note, want)
				}
				w.Inspect(func(d inspect.Inspector) {
					rows, err := d.Actions(context.Background(), record.ActionQuery{Account: "bot", Peer: ana.ID(), Limit: 1})
					if err != nil || len(rows) != 1 || rows[0].Why.Code() != tc.why {
						t.Errorf("what it says has become %+v, %v: it was not held back because of %q", rows, err, tc.why)
					}
				})
				if kept := string(w.Conversation(ana).Values["shop/paid"]); kept != "5" {
					t.Errorf("%q is kept, and not 5", kept)
				}
			})
		})
	}
}

// Who is ignored has no turn; what is wrong with a delivery is said at once; and what its handler cannot read is quarantined.
func TestDeliveryIsRefused(t *testing.T) {
	t.Parallel()
	cfg := cashier()
	cfg.Bot.SpeakFirst = true
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.AddPerson(emulator.Person{Username: "leo"})
		w.Ask(event.Request{Key: keyOf(leo), Wish: event.WishForget, Ignore: true})
		w.Advance(time.Minute)
		pay(t, w, keyOf(leo), "1", 5)
		leo.ExpectsNothing(time.Minute)

		long := strings.Repeat("x", 201)
		good := event.Delivery{To: keyOf(ana), Name: "shop/paid", ID: "7"}
		for _, tc := range []struct {
			wrong func(d *event.Delivery)
			want  string
		}{
			{func(d *event.Delivery) { d.To.Account = "other" }, bot.ErrNotServed.Error()},
			{func(d *event.Delivery) { d.To.Account = "" }, "needs an account"},
			{func(d *event.Delivery) { d.To.Peer = w.Account("bot").ID() }, "has no turns"},
			{func(d *event.Delivery) { d.Name = "shop/lost" }, `bot.Delivered[…]("shop/lost")`},
			{func(d *event.Delivery) { d.Name = "" }, "needs a name"},
			{func(d *event.Delivery) { d.Name = "shop paid" }, "has spaces"},
			{func(d *event.Delivery) { d.Name = long }, "has 201 bytes, and may have 200"},
			{func(d *event.Delivery) { d.ID = "" }, "needs an id"},
			{func(d *event.Delivery) { d.ID = long }, "has 201 bytes, and may have 200"},
			{func(d *event.Delivery) { d.ID = "a\nb" }, "no text"},
			{func(d *event.Delivery) { d.Data = make(chan int) }, "cannot be JSON"},
			{func(d *event.Delivery) { d.Data = strings.Repeat("x", 64<<10) }, "may have 65536"},
		} {
			d := good
			tc.wrong(&d)
			if err := w.Bot().Deliver(context.Background(), d); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %v, and does not say %q in one line", err, tc.want)
			}
		}
		if err := w.Bot().Deliver(context.Background(), event.Delivery{To: keyOf(ana), Name: "shop/paid", ID: "8", Data: "five"}); err != nil {
			t.Fatal(err)
		}
		ana.ExpectsNothing(time.Minute)
		if d := w.Decisions(ana); len(d) != 1 || d[0].Outcome != "quarantined" || !strings.Contains(d[0].Note, `read the data of shop/paid "8"`) {
			t.Errorf("what cannot be read has become %+v", d)
		}
	})
}

// A command delivers as a program does.
func TestDeliveryIsAsked(t *testing.T) {
	t.Parallel()
	bottest.Run(t, cashier(), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		for range 2 {
			q, err := event.Delivery{To: keyOf(ana), Name: "shop/paid", ID: "1", Data: payment{5}}.Request()
			if err != nil {
				t.Fatal(err)
			}
			w.Ask(q)
		}
		ana.Expects("paid: 5")
		ana.ExpectsNothing(time.Minute)
		lost, err := event.Delivery{To: keyOf(ana), Name: "shop/lost", ID: "1"}.Request()
		if err != nil {
			t.Fatal(err)
		}
		q := w.Ask(lost)
		w.Advance(5 * time.Second)
		if a := w.Answer(q[0]); a.Outcome != bot.OutcomeObsolete || !strings.Contains(a.Note, "no route is for it") {
			t.Errorf("the answer is %+v", a)
		}
	})
}

// Deliveries that follow from one another end, and so do those for which there is no room; both are told.
func TestDeliveriesEnd(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	cfg := bottest.Config{
		Bot: bot.Config{Pace: fast()},
		Routes: []bot.Route{
			bot.On("echo", bot.Delivered[int]("echo"), func(_ context.Context, t *bot.Turn, n int) error {
				runs.Add(1)
				return t.Deliver(event.Delivery{To: t.Trigger.Key, Name: "echo", ID: fmt.Sprint(n + 1), Data: n + 1})
			}),
			bot.On("many", bot.Delivered[int]("many"), func(_ context.Context, t *bot.Turn, n int) error {
				for i := range n {
					if err := t.Deliver(event.Delivery{To: t.Trigger.Key, Name: "none", ID: fmt.Sprint(n, "/", i)}); err != nil {
						return err
					}
				}
				return nil
			}),
			bot.On("none", bot.Delivered[any]("none"), func(context.Context, *bot.Turn, any) error { return nil }),
		},
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		for _, d := range []event.Delivery{{Name: "echo", ID: "0", Data: 0}, {Name: "many", ID: "1", Data: 10_001}, {Name: "many", ID: "2", Data: 500}} {
			d.To = event.Own("bot")
			if err := w.Bot().Deliver(context.Background(), d); err != nil {
				t.Fatal(err)
			}
			w.Advance(3 * time.Minute)
		}
		if n := runs.Load(); n != 17 {
			t.Errorf("%d turns ran, and not one with 16 that followed from one another", n)
		}
		w.Inspect(func(d inspect.Inspector) {
			rows, err := d.Events(context.Background(), record.EventQuery{Account: "bot", State: record.EventQuarantined, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var notes []string
			for i := range rows {
				notes = append(notes, rows[i].Record.Note)
			}
			if all := strings.Join(notes, "\n"); len(rows) != 2 || !strings.Contains(all, "more than 16 deliveries") || !strings.Contains(all, bot.ErrFull.Error()) {
				t.Errorf("quarantined are %q", notes)
			}
			done, err := d.Events(context.Background(), record.EventQuery{Account: "bot", Source: event.Deliveries, Limit: 1000})
			if err != nil || len(done) != 1+16+2+500 {
				t.Errorf("%d deliveries are kept, %v", len(done), err)
			}
		})
	})
}

// What a delivery's turn says answers nobody: who waits for a person of ours goes on waiting, and nobody begins to.
func TestDeliveryAnswersNobody(t *testing.T) {
	t.Parallel()
	cfg := cashier()
	cfg.Routes = append(cfg.Routes, bot.On("help", bot.AnyMessage(), func(context.Context, *bot.Turn, event.Message) error { return nil }).With(onlyFor("help!")).Ordered(-1))
	bottest.Run(t, cfg, func(w *bottest.World) {
		waiting := func() (names []string) {
			w.Inspect(func(d inspect.Inspector) {
				all, _, err := inspect.WhoWaits(context.Background(), d, 10, "bot")
				if err != nil {
					t.Fatal(err)
				}
				for i := range all {
					names = append(names, fmt.Sprint(all[i].Key.Peer, " ", all[i].Why))
				}
			})
			return names
		}
		ana, bea := w.Person("ana"), w.Person("bea")
		for _, p := range []*bottest.Person{ana, bea} {
			p.Says("hi")
			p.Expects("hello")
		}
		w.Ask(event.Request{Key: keyOf(ana), Wish: event.WishTakeOver, Owner: "ines", Until: time.Now().Add(time.Minute)})
		w.Advance(5 * time.Second)
		ana.Says("help!")
		w.Advance(2 * time.Minute)
		before := waiting()
		if len(before) != 1 {
			t.Fatalf("waiting are %q", before)
		}
		pay(t, w, keyOf(ana), "1", 5)
		ana.Expects("paid: 5")
		if diff := cmp.Diff(before, waiting()); diff != "" {
			t.Errorf("who waits has changed: %s", diff)
		}
		bea.Blocks()
		pay(t, w, keyOf(bea), "2", 5)
		w.Advance(time.Minute)
		if diff := cmp.Diff(before, waiting()); diff != "" {
			t.Errorf("who waits has changed by what could not be said: %s", diff)
		}
	})
}

// A delivery that no route takes any more is set aside until one does; and who was forgotten is a stranger again.
func TestDeliveryWithoutARoute(t *testing.T) {
	t.Parallel()
	cfg := cashier()
	var declines atomic.Bool
	cfg.Routes[0] = cfg.Routes[0].With(func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			if declines.Load() {
				return bot.Decline
			}
			return next.Handle(ctx, t)
		})
	})
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		declines.Store(true)
		pay(t, w, keyOf(ana), "1", 5)
		w.Advance(time.Minute)
		if d := w.Decisions(ana); d[len(d)-1].Outcome != "quarantined" || !strings.Contains(d[len(d)-1].Note, "no route takes the delivery shop/paid") {
			t.Errorf("without a route it has become %+v", d)
		}
		declines.Store(false)
		w.Ask(event.Request{Key: keyOf(ana), Wish: event.WishRetry})
		ana.Expects("paid: 5")

		w.Ask(event.Request{Key: keyOf(ana), Wish: event.WishForget})
		w.Advance(time.Minute)
		pay(t, w, keyOf(ana), "2", 5)
		ana.ExpectsNothing(time.Minute)
	})
}

// What a copy of the database wanted to deliver may have been delivered since, and said: it is not said again.
func TestDeliveryOfACopy(t *testing.T) {
	t.Parallel()
	cfg := cashier()
	cfg.Bot.TakeoverFor = -1 // or the words that the copy does not know would be a person's
	cfg.Routes = append(cfg.Routes,
		bot.On("later", bot.Timer("later"), func(_ context.Context, t *bot.Turn, _ event.Timer) error {
			return t.Deliver(event.Delivery{To: t.Trigger.Key, Name: "shop/paid", ID: "1", Data: payment{5}})
		}),
		bot.On("remind", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { t.After(time.Minute, "later"); return nil }).With(onlyFor("remind me")).Ordered(-1))
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		ana.Says("remind me")
		w.Advance(20 * time.Second)
		w.Stop()
		copied := w.Backup()
		w.Start()
		ana.Expects("paid: 5")
		w.Advance(time.Hour)
		w.Stop()
		w.PutBack(copied, true)
		w.Start()
		ana.ExpectsNothing(30 * time.Minute)
	})
}

// As many wait as there is room for: then a program hears that, until some have had their turns.
func TestDeliveriesAreFull(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	var waits atomic.Bool
	var asked atomic.Int64
	waits.Store(true)
	routes := []bot.Route{
		bot.On("many", bot.Delivered[int]("many"), func(_ context.Context, t *bot.Turn, n int) error {
			for i := range n {
				if err := t.Deliver(event.Delivery{To: t.Trigger.Key, Name: "none", ID: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		}),
		bot.On("none", bot.Delivered[any]("none"), func(ctx context.Context, _ *bot.Turn, _ any) error {
			for waits.Load() && ctx.Err() == nil {
				time.Sleep(time.Second)
			}
			return ctx.Err()
		}),
		bot.On("asked", bot.Delivered[any]("asked"), func(context.Context, *bot.Turn, any) error { asked.Add(1); return nil }),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		deliver := func(name, id string, data any) error {
			return w.Bot().Deliver(context.Background(), event.Delivery{To: event.Own("bot"), Name: name, ID: id, Data: data})
		}
		if err := deliver("many", "1", 10_000); err != nil {
			t.Fatal(err)
		}
		w.Advance(2 * time.Second)
		if err := deliver("none", "more", nil); !errors.Is(err, bot.ErrFull) {
			t.Errorf("with 10,000 that wait one more is %v", err)
		}
		q, err := event.Delivery{To: keyOf(w.Person("ana")), Name: "asked", ID: "1"}.Request()
		if err != nil {
			t.Fatal(err)
		}
		q = w.Ask(q)[0]
		w.Advance(10 * time.Second)
		if a := w.Answer(q); a.Outcome != "" {
			t.Errorf("what is asked for waits until there is room, and does not come to %+v", a)
		}
		waits.Store(false)
		w.Advance(5 * time.Minute)
		if a := w.Answer(q); a.Outcome != bot.OutcomeHandled || asked.Load() != 1 {
			t.Errorf("what was asked for has come to %+v, and had %d turns", a, asked.Load())
		}
		if err := deliver("none", "more", nil); err != nil {
			t.Errorf("when all have had their turns one more is %v", err)
		}
	})
}
