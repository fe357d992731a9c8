//go:build unix

package bot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/bot/store/storetest"
	"github.com/nectar-bot/nectar/platform/session"
)

// nowhere is a platform that cannot be reached.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nobody is there")
}

// BenchmarkTakeUp is a worker that takes over a quarter of 10,000 accounts from one that died.
func BenchmarkTakeUp(b *testing.B) {
	s, err := storetest.New()
	switch {
	case storetest.MayBeMissing(err):
		b.Skip(err)
	case err != nil:
		b.Fatal(err)
	}
	defer s.Stop()
	const accounts = 2500
	byShard := map[int][]bot.Account{}
	for i := range accounts {
		name := event.Account(fmt.Sprintf("account%05d", i))
		byShard[name.Shard()] = append(byShard[name.Shard()], bot.Account{
			Name: name, BaseURL: "https://social.example/api", Credentials: session.Credentials{Email: string(name) + "@b.example", Password: "p"},
		})
	}
	var shards []lease.Holding
	for n := range byShard {
		shards = append(shards, lease.Holding{Shard: n})
	}
	st, err := store.Open(b.Context(), store.Options{Path: s.URL(""), Key: secretKey})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeats()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		x, err := bot.New(bot.Config{MayBeIdle: true, Store: st, Router: router, Transport: nowhere{}, PollInterval: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		h := bot.NewHolder(func(_ context.Context, shard int) ([]bot.Account, error) { return byShard[shard], nil })
		h.Use(x)
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		<-x.Ready()
		b.StartTimer()
		h.Take(ctx, shards)
		b.StopTimer()
		h.Lost(lease.Loss{Why: lease.ErrGone})
		stop()
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/accounts, "us/account")
}
