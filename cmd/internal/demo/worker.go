package demo

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// demoWorker is what the demo tells its bot that is a worker. All of them have all accounts, and serve those for which they have the
// lease.
type demoWorker struct {
	Name     string
	Platform string // where its way to the platform begins
	Accounts []event.Account
}

// What a worker says to the demo, a line each.
const (
	workerPolled = "polled" // an account, for the first time
	workerDoubts = "doubts" // an account that it takes over, and when an action has left there that has no answer
)

// workerAccount is an account of a worker. Its requests are told from those of others by its address.
func (s *Settings) workerAccount(name event.Account) bot.Account {
	return bot.Account{
		Name: name, BaseURL: strings.Replace(s.BaseURL, "/mobile_api", "/"+string(name)+"/mobile_api", 1),
		Credentials: session.Credentials{Email: shopEmail(name), Password: demoPassword},
	}
}

// RunWorker runs the sample bot as a worker until ctx ends.
func (s *Settings) RunWorker(ctx context.Context, out io.Writer) error {
	w := s.Worker
	var mu sync.Mutex
	say := func(what ...any) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintln(out, what...) // the reader may be gone
	}
	transport := platform.NewTransport()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, w.Platform)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	var st atomic.Pointer[bot.Store]
	return bot.RunWorker(ctx, bot.WorkerConfig{
		Name: w.Name, Store: bot.StoreOptions{Path: s.Store, Key: s.key()}, Transport: transport, RequestTimeout: demoDeadline, Log: log,
		Accounts: func(ctx context.Context, shard int) (all []bot.Account, _ error) {
			for _, name := range w.Accounts {
				if name.Shard() == shard {
					tellDoubts(ctx, *st.Load(), name, say)
					all = append(all, s.workerAccount(name))
				}
			}
			return all, nil
		},
		Serve: func(ctx context.Context, w *bot.Working) error {
			st.Store(&w.Store)
			router, err := bot.NewRouter(bot.RouterConfig{Routes: demoRoutes()})
			if err != nil {
				return err
			}
			cfg := s.botConfig(w.Store, router)
			cfg.MayBeIdle, cfg.Transport, cfg.Log, cfg.Observe = true, w.Transport, log, firstPolls(say)
			b, err := bot.New(cfg)
			if err != nil {
				return err
			}
			w.Use(b)
			say(strings.TrimSpace(Ready))
			return b.Run(ctx)
		},
	})
}

// tellDoubts says which actions of an account may be on their way, as the worker before has left it: since when. What makes something new
// has not left before it is known from where on to look for it.
func tellDoubts(ctx context.Context, st bot.Store, account event.Account, say func(...any)) {
	open, _ := st.Open(ctx, account) // the bot reads it, too, and says so when that fails
	for i := range open {
		if a := &open[i]; a.State == event.StateSending && (a.ReconcileFrom != 0 || !a.Verb.Makes() && a.Verb != event.VerbRenew) {
			say(workerDoubts, account, a.LeftAt.UnixMicro())
		}
	}
}

// firstPolls says which accounts have been polled.
func firstPolls(say func(...any)) func(event.Account, event.PollResult, error) {
	var mu sync.Mutex
	seen := map[event.Account]bool{}
	return func(account event.Account, _ event.PollResult, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil && !seen[account] {
			seen[account] = true
			say(workerPolled, account)
		}
	}
}
