//go:build unix

package bot_test

import (
	"context"
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// taker is a worker that takes all shards of a quarter.
type taker struct {
	holder *bot.Holder
	bot    *bot.Bot
	ended  chan error
	stop   context.CancelFunc
}

func newTaker(b *testing.B, st *store.Database, of map[int][]bot.Account, a *canned) *taker {
	b.Helper()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeats()})
	if err != nil {
		b.Fatal(err)
	}
	x, err := bot.New(bot.Config{MayBeIdle: true, Store: st, Router: router, Transport: a, PollInterval: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	t := &taker{
		holder: bot.NewHolder(func(_ context.Context, shard int) ([]bot.Account, error) { return of[shard], nil }), bot: x, ended: make(chan error, 1),
	}
	t.holder.Use(x)
	ctx, stop := context.WithCancel(b.Context())
	t.stop = stop
	go func() { t.ended <- x.Run(ctx) }()
	<-x.Ready()
	return t
}

// take takes the shards.
func (t *taker) take(ctx context.Context, of map[int][]bot.Account) {
	shards := make([]lease.Holding, 0, len(of))
	for _, n := range slices.Sorted(maps.Keys(of)) {
		shards = append(shards, lease.Holding{Shard: n})
	}
	t.holder.TakeShards(ctx, shards)
}

// lose ends the worker as a lost lease does.
func (t *taker) lose(b *testing.B, st *store.Database) {
	b.Helper()
	t.holder.EndLost(lease.Loss{Why: lease.ErrGone})
	t.stop()
	if err := <-t.ended; err != nil {
		b.Fatal(err)
	}
	if err := st.MarkNow(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTakeUp is a worker that takes over a quarter of 10,000 accounts with 20 chats from one that died: until all are taken up, and
// until all were polled.
func BenchmarkTakeUp(b *testing.B) {
	s := pgtest.New(b)
	const accounts = 2500
	of, platform := quarter(accounts), newCanned(b, 20)
	st, err := store.Open(b.Context(), store.Options{Path: s.URL(""), Key: secretKey})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	polled := platform.await(accounts)
	first := newTaker(b, st, of, platform)
	first.take(b.Context(), of)
	<-polled
	first.lose(b, st)
	var took, cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		t := newTaker(b, st, of, platform)
		polled = platform.await(accounts)
		b.StartTimer()
		began, used := time.Now(), cpuUsed(b)
		t.take(b.Context(), of)
		took += time.Since(began)
		<-polled
		cpu += cpuUsed(b) - used
		b.StopTimer()
		t.lose(b, st)
		b.StartTimer()
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N)/accounts, "us/account")
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N)/accounts, "us-cpu/account")
}

// cpuUsed is what this process has used of processors.
func cpuUsed(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
