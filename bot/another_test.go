package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// another is another process of a bot on the platform of w, with a database of its own. It signs in as
// an account of w, or as a new one. The bot has polled when another returns; stop ends it.
func another(t *testing.T, w *bottest.World, name event.Account, cfg bot.Config, routes ...bot.Route) (stop func()) {
	t.Helper()
	return anotherOn(t, w, name, func(st store.Store) store.Store { return st }, cfg, routes...)
}

// anotherOn is another on a store of its own kind.
func anotherOn(t *testing.T, w *bottest.World, name event.Account, kind func(store.Store) store.Store, cfg bot.Config, routes ...bot.Route) (stop func()) {
	t.Helper()
	email, password := string(name)+"@example.com", platform.Secret("correct horse")
	if w.Platform().UserID(string(name)) == 0 {
		w.Platform().AddAccount(emulator.Person{Username: string(name)}, email, password)
	}
	pipe := emulator.NewPipe(w.Platform())
	st, err := store.Open(context.WithoutCancel(t.Context()), store.Options{Path: t.TempDir() + "/another.db", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Router, err = bot.NewRouter(bot.RouterConfig{Routes: routes})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Store, cfg.Transport = kind(st), pipe.Transport()
	cfg.Accounts = []bot.Account{{
		Name: name, BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: email, Password: password},
	}}
	b, err := bot.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	w.Advance(10 * time.Second)
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_, _ = pipe.Close(), st.Close()
	}
}
