package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	requestTimeout = 15 * time.Second
	grace          = 20 * time.Second // from when a request was given up
	usualBurst     = 5
)

// incarnation is the bot from a start to a stop, or until its power goes out.
type incarnation struct {
	power *power
	store *store.Database
	pipe  *emulator.Server
	stop  context.CancelFunc
	born  time.Time
	ended chan struct{} // Run has returned
	err   error         // what it returned
}

// newIncarnation starts the bot on the database of its power.
func (s *simulation) newIncarnation(ctx context.Context, p *power) (*incarnation, error) {
	l := &incarnation{power: p, born: time.Now(), ended: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	var err error
	disk := s.loose(p, p.around(ctx, s.dice, s.plan.rush))
	l.store, err = store.Open(ctx, store.Options{Path: p.from, Key: s.key, Fast: true, Log: log, Around: disk, Keep: keep, Machine: s.machine()})
	if err != nil {
		return nil, err
	}
	l.pipe = emulator.NewPipe(s.platform)
	s.pipes = append(s.pipes, l.pipe)
	wire := &wire{power: p, dice: s.dice, trace: s.trace, next: l.pipe.Transport(), rush: s.plan.rush, left: &s.left, spare: s.platform.Disturb}
	for _, g := range s.workloads {
		if watch, ok := g.(watcher); ok {
			wire.watch = append(wire.watch, watch)
		}
	}
	b, err := s.newBot(l, wire, log)
	if err != nil {
		return nil, errors.Join(err, l.store.Close())
	}
	s.power.Store(p)
	for _, g := range s.workloads {
		if joiner, ok := g.(joiner); ok {
			joiner.joins(b)
		}
	}
	run, stop := context.WithCancel(ctx)
	l.stop = stop
	go func() {
		defer close(l.ended)
		l.err = errors.Join(b.Run(run), l.store.Close())
	}()
	return l, nil
}

func (s *simulation) newBot(l *incarnation, transport http.RoundTripper, log *slog.Logger) (*bot.Bot, error) {
	all := routes(s.posts)
	for _, g := range s.workloads {
		for _, r := range g.routes() {
			all = append(all, r.Ordered(-1))
		}
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: all, Middleware: []bot.Middleware{s.unsteady}})
	if err != nil {
		return nil, err
	}
	pace := &event.Pace{}
	if s.plan.pace > 0 {
		pace.Account = event.Rate{PerSecond: s.plan.pace, Burst: usualBurst}
	}
	disk := disk{l.store, l.power, s.dice}
	cfg := bot.Config{
		Accounts: []bot.Account{accountAt(l.pipe.BaseURL(), accountName)},
		Store:    disk, Router: router, Transport: transport, Log: log,
		NoMessages: s.plan.noMessages, PollInterval: s.plan.interval, Concurrency: s.plan.concurrency, Pace: pace,
		RequestTimeout: requestTimeout, ReconcileGrace: grace, Ceiling: bot.Ceiling{Max: -1},
		Yield: func(ctx context.Context, what string) context.Context {
			_ = disk.seek(ctx, "yield %s", what) // whoever is dead finds out soon
			return context.WithValue(ctx, actor{}, what)
		},
	}
	for _, g := range s.workloads {
		g.configure(&cfg)
	}
	return bot.New(cfg)
}

// accountAt is an account of the bot, at an address of the platform.
func accountAt(base string, name event.Account) bot.Account {
	return bot.Account{Name: name, BaseURL: base, Credentials: session.Credentials{
		Email: string(name), Password: platform.Secret(name), DeviceType: "android",
	}}
}

// halt stops the incarnation and waits until it has ended.
func (l *incarnation) halt() error {
	l.stop()
	<-l.ended
	if l.err != nil && !l.power.out.Load() {
		return fmt.Errorf("the bot ended with an error: %w", l.err)
	}
	return nil
}
