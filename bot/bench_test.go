package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// answers is a platform that answers at once and without a network: what is measured is ours.
type answers struct{}

func (answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body := `{"code":200,"message":"ok","data":{"id":900000001,"sent_by":1,"sent_to":2,"owner":true,"message":"x"}}`
	if strings.HasSuffix(req.URL.Path, "/login") {
		body = `{"code":200,"data":{"id":1,"user_name":"bot"},"auth":{"auth_token":"t","refresh_token":"r","auth_token_expiry":4102444800}}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: req, Header: http.Header{},
		ContentLength: int64(len(body)),
	}, nil
}

// bench starts a bot without pollers, with one account and so many others, which do nothing.
func bench(b *testing.B, others int, routes ...Route) (*Bot, *account) {
	b.Helper()
	st, err := store.Open(b.Context(), store.Options{Path: b.TempDir() + "/nectar.db"})
	if err != nil {
		b.Fatal(err)
	}
	router, err := NewRouter(RouterConfig{Routes: routes})
	if err != nil {
		b.Fatal(err)
	}
	accounts := []Account{{Name: "main", BaseURL: "https://social.example/api", Credentials: session.Credentials{Email: "a@b.example", Password: "p"}}}
	for i := range others {
		accounts = append(accounts, Account{
			Name: event.Account(fmt.Sprintf("other%05d", i)), BaseURL: "https://social.example/api",
			Credentials: session.Credentials{Email: fmt.Sprintf("other%05d@social.example", i), Password: "p"},
		})
	}
	bot, err := New(Config{
		Accounts: accounts,
		Store:    st, Router: router, Transport: answers{}, Pace: &event.Pace{}, Concurrency: 32,
	})
	if err != nil {
		b.Fatal(err)
	}
	a := bot.accounts.byName("main")
	if err := a.beginTerm(b.Context(), b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		bot.giveUp(context.Background(), a)
		if err := st.Close(); err != nil {
			b.Error(err)
		}
	})
	return bot, a
}

// batch is n messages of one peer, beginning with message id first.
func batch(peer platform.UserID, first int64, n int) poll.Batch {
	bt := poll.Batch{Cursor: record.Cursor{Account: "main", Source: event.Messages, Peer: peer, ID: first + int64(n) - 1}}
	for i := range int64(n) {
		bt.Events = append(bt.Events, event.Event{
			Account: "main", ID: event.ID{Source: event.Messages, Number: first + i}, Kind: event.KindMessage,
			Peer: peer, Name: "Ana", User: "ana", Text: "hello there, when do you open tomorrow?",
		})
	}
	return bt
}

// BenchmarkTurn is a message from the poller to the commit of its turn: without an action, and with a
// reply that is also carried and marked as done.
func BenchmarkTurn(b *testing.B) {
	for name, handle := range map[string]func(context.Context, *Turn, event.Message) error{
		"silent": func(context.Context, *Turn, event.Message) error { return nil },
		"reply":  func(_ context.Context, t *Turn, m event.Message) error { return t.Reply("You wrote: " + m.Text) },
	} {
		b.Run(name, func(b *testing.B) { turns(b, 0, handle) })
	}
}

// BenchmarkTurnBeside is a turn that replies, beside so many accounts of the bot that do nothing: it must not cost more.
func BenchmarkTurnBeside(b *testing.B) {
	for _, others := range []int{100, 10_000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			turns(b, others, func(_ context.Context, t *Turn, m event.Message) error { return t.Reply("You wrote: " + m.Text) })
		})
	}
}

// BenchmarkDeliver is a delivery of a program from Bot.Deliver, which waits for its commit, to that of its turn: of so many that deliver at once.
func BenchmarkDeliver(b *testing.B) {
	for _, senders := range []int{1, 64} {
		b.Run(fmt.Sprint(senders), func(b *testing.B) {
			bot, _ := bench(b, 0, On("paid", Delivered[int]("shop/paid"), func(context.Context, *Turn, int) error { return nil }))
			b.ReportAllocs()
			b.SetParallelism(max(1, senders/runtime.GOMAXPROCS(0)))
			b.ResetTimer()
			var n atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := n.Add(1)
					d := event.Delivery{To: event.Key{Account: "main", Peer: platform.UserID(i%1000 + 1)}, Name: "shop/paid", ID: fmt.Sprint(i), Data: i}
					for err := ErrFull; errors.Is(err, ErrFull); {
						if err = bot.Deliver(b.Context(), d); err != nil && !errors.Is(err, ErrFull) {
							b.Error(err)
						}
					}
				}
			})
			for done := bot.ingestEmpty(); done != nil; done = bot.ingestEmpty() {
				<-done
			}
		})
	}
}

// turns has b.N messages delivered and handled, ten to a peer in turn.
func turns(b *testing.B, others int, handle func(context.Context, *Turn, event.Message) error) {
	b.Helper()
	bot, a := bench(b, others, On("echo", AnyMessage(), handle))
	b.ReportAllocs()
	b.ResetTimer()
	const run = 10
	for i := 0; i < b.N; i += run {
		peer := platform.UserID(2 + i/run%1000)
		if err := a.Deliver(b.Context(), batch(peer, int64(i)+1, run)); err != nil {
			b.Fatal(err)
		}
	}
	for done := bot.ingestEmpty(); done != nil; done = bot.ingestEmpty() {
		<-done
	}
	if err := bot.store.MarkNow(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// ingestEmpty returns a channel to wait on while events are in the lanes, else nil.
func (b *Bot) ingestEmpty() <-chan struct{} {
	done := make(chan struct{})
	n := 0
	for _, a := range b.accounts.all() {
		a.ingest.mu.Lock()
		n += len(a.ingest.seen)
		a.ingest.mu.Unlock()
	}
	if n == 0 {
		return nil
	}
	b.store.Commit(store.Write{Done: func(store.Receipt) { close(done) }})
	return done
}

// BenchmarkRouter finds the handler of a message among so many routes, of which the last one matches.
func BenchmarkRouter(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var routes []Route
			for i := range n {
				want := fmt.Sprintf("word%d", i)
				routes = append(routes, On(fmt.Sprintf("route%04d", i), AnyMessage().Where(func(m event.Message) bool { return m.Text == want }),
					func(context.Context, *Turn, event.Message) error { return nil }))
			}
			r, err := NewRouter(RouterConfig{Routes: routes})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				t := &Turn{Trigger: event.Trigger{Kind: event.ByEvent}, Event: event.Event{Kind: event.KindMessage, Text: fmt.Sprintf("word%d", n-1)}}
				if err := r.Handle(b.Context(), t); err != nil || t.route == "" {
					b.Fatal(err, t.route)
				}
			}
		})
	}
}

// BenchmarkIdleAccounts reports the memory of an account that has been taken up and has nothing to do.
func BenchmarkIdleAccounts(b *testing.B) {
	const n = 10_000
	for b.Loop() {
		st, err := store.Open(b.Context(), store.Options{Path: b.TempDir() + "/nectar.db"})
		if err != nil {
			b.Fatal(err)
		}
		cfg := Config{Store: st, Router: &Router{}, Transport: answers{}, Pace: &event.Pace{}}
		for i := range n {
			cfg.Accounts = append(cfg.Accounts, Account{
				Name: event.Account(fmt.Sprintf("account%05d", i)), BaseURL: "https://social.example/api",
				Credentials: session.Credentials{Email: fmt.Sprintf("bot%05d@social.example", i), Password: "p"},
			})
		}
		before := heap()
		bot, err := New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range bot.accounts.all() {
			if err := a.beginTerm(b.Context(), b.Context(), nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heap()-before)/n, "B/account")
		runtime.KeepAlive(bot)
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
