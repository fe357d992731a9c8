package campaigns_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// slower is a network on which each request is under way for a while.
type slower struct {
	http.RoundTripper
	by time.Duration
}

// RoundTrip does what is to be done, later.
func (s slower) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(s.by)
	return s.RoundTripper.RoundTrip(r)
}

// double starts a second bot with the same campaigns on the account, each of whose requests is under way for so much longer. It
// returns what ends it.
func (d *market) double(behind time.Duration) func() {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	pipe := emulator.NewPipe(d.Platform())
	path := filepath.Join(d.t.TempDir(), "double.db")
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: path, Fast: true})
	if err != nil {
		d.t.Fatal(err)
	}
	p := plugin.New(plugin.Config{Store: st})
	if err := p.Use("bot", d.force); err != nil {
		d.t.Fatal(err)
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: p.Routes()})
	if err != nil {
		d.t.Fatal(err)
	}
	b, err := bot.New(bot.Config{
		Router: router, Store: st, Transport: slower{pipe.Transport(), 20*time.Millisecond + behind}, PollInterval: 30 * time.Minute, Pace: &event.Pace{},
		Accounts: []bot.Account{{Name: "bot", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@example.com", Password: "correct horse"}}},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	p.Watch(b)
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	d.Advance(10 * time.Second)
	market, err := inspect.Open(ctx, path, "")
	if err == nil {
		_, err = market.Ask(ctx, event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "campaigns/lifts", Text: "yes"})
		err = errors.Join(err, market.Close())
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.Advance(10 * time.Second)
	return func() {
		cancel()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
		_, _ = pipe.Close(), st.Close()
	}
}
