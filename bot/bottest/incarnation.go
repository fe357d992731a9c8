package bottest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// incarnation is the bot from a start to a stop or a crash.
type incarnation struct {
	bot   *bot.Bot
	store *store.Database
	pipe  *emulator.Server
	link  *link
	page  *page
	began time.Time

	plugins []Plugin

	stop   context.CancelFunc
	ended  chan struct{} // Run has returned
	err    error         // what it returned
	polled chan struct{} // all accounts were polled once
}

// newIncarnation starts the bot on the database at path.
func (w *World) newIncarnation(ctx context.Context, path string) (*incarnation, error) {
	l := &incarnation{page: &page{book: w.book}, began: time.Now(), ended: make(chan struct{}), polled: make(chan struct{})}
	err := setUp(ctx, path)
	if err != nil {
		return nil, err
	}
	options := store.Options{Path: path, Key: w.cfg.Key, Fast: true, Log: l.log(), Around: w.around, Keep: w.cfg.Keep, Machine: recorder.Machine{
		Boot: "bottest", Steady: func() time.Duration { return time.Since(time.Time{}.AddDate(1999, 0, 0)) },
	}}
	if l.store, err = store.Open(ctx, options); err != nil {
		return nil, err
	}
	l.pipe = emulator.NewPipe(w.platform)
	l.link = &link{next: w.cfg.Transport(l.pipe.Transport()), wait: w.cfg.Latency, cut: make(chan struct{})}
	if err = w.makePlugins(l); err == nil {
		l.bot, err = w.newBot(l)
	}
	if err == nil {
		err = l.startPlugins(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, l.close()) //nolint:contextcheck // what is stopped must not end with ctx
	}
	run, stop := context.WithCancel(ctx)
	l.stop = stop
	go func() {
		defer close(l.ended)
		l.err = l.bot.Run(run)
	}()
	return l, nil
}

// around lets a commit take its time.
func (w *World) around(commit func() error) error {
	err := w.cfg.Commit(commit)
	if w.cfg.CommitTime > 0 {
		time.Sleep(w.cfg.CommitTime)
	}
	return err
}

func (in *incarnation) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(in.page, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// newBot makes the bot of an incarnation.
func (w *World) newBot(l *incarnation) (*bot.Bot, error) {
	router, err := bot.NewRouter(bot.RouterConfig{
		Routes: w.botRoutes(l), Flows: w.cfg.Flows, Middleware: w.cfg.Middleware, Fallback: w.cfg.Fallback,
	})
	if err != nil {
		return nil, err
	}
	cfg := w.cfg.Bot
	cfg.Router, cfg.Store, cfg.Transport, cfg.Log = router, watched{l.store, l.page}, l.link, l.log()
	cfg.Accounts = nil
	for _, a := range w.accounts {
		cfg.Accounts = append(cfg.Accounts, l.accountConfig(a))
	}
	cfg.Observe = l.observe(w.cfg.Bot.Observe, len(w.accounts))
	return bot.New(cfg)
}

// observe waits for a good poll of each of n accounts.
func (in *incarnation) observe(also func(event.Account, event.PollResult, error), n int) func(event.Account, event.PollResult, error) {
	var mu sync.Mutex
	good := map[event.Account]bool{}
	return func(account event.Account, r event.PollResult, err error) {
		if also != nil {
			also(account, r, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if err == nil && len(good) < n {
			if good[account] = true; len(good) == n {
				close(in.polled)
			}
		}
	}
}

// stopBot stops the bot and waits for it to drain.
func (in *incarnation) stopBot() error {
	in.stop()
	<-in.ended
	if err := in.close(); err != nil {
		return err
	}
	if in.err != nil {
		return fmt.Errorf("the bot ended with an error: %w", in.err)
	}
	return nil
}

// kill cuts the bot off from the platform and from the book. What is left of it ends by itself.
func (in *incarnation) kill(left *sync.WaitGroup) {
	in.page.ended.Store(true)
	close(in.link.cut)
	_ = in.pipe.Close() // with all its connections, which is the point
	left.Go(func() {
		_ = in.stopBot() // it cannot drain any more; nobody asks how it ended
	})
}

// close ends the plugins, the pipe and the store.
func (in *incarnation) close() error {
	in.stopPlugins()
	return errors.Join(in.pipe.Close(), in.store.Close())
}
