package bot_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform/session"
)

// lame is a store that cannot read what one of its accounts left behind.
type lame struct {
	store.Store
	account event.Account
}

// Newest fails for the account, a moment after the others have begun.
func (s lame) Newest(ctx context.Context, account event.Account, source event.Source, limit int) ([]event.Event, error) {
	if account == s.account {
		synctest.Wait()
		return nil, errors.New("the disk fails")
	}
	return s.Store.Newest(ctx, account, source, limit)
}

// A bot that cannot take up its second account ends, and what the first one had begun ends in order.
func TestAnAccountThatCannotStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.WithoutCancel(t.Context())
		st, err := store.Open(ctx, store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		waiting := event.Event{Account: "first", ID: event.ID{Source: event.Messages, Number: 1}, Peer: 7, Kind: event.KindMessage, SeenAt: time.Now()}
		stored := make(chan error, 1)
		st.Commit(store.Write{Pending: []event.Event{waiting}, Done: func(r store.Receipt) { stored <- r.Err }})
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
		router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{on("", func(ctx context.Context, _ *bot.Turn) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
				return nil
			}
		})}})
		if err != nil {
			t.Fatal(err)
		}
		cfg := bot.Config{Store: lame{st, "second"}, Router: router}
		for _, name := range []event.Account{"first", "second"} {
			cfg.Accounts = append(cfg.Accounts, bot.Account{
				Name: name, BaseURL: "https://social.example/mobile_api", Credentials: session.Credentials{Email: string(name) + "@b.example", Password: "secret"},
			})
		}
		b, err := bot.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Run(ctx); err == nil {
			t.Error("it ran")
		}
		handled, err := st.Stored(ctx, "first", []event.ID{waiting.ID})
		if err != nil || !handled[waiting.ID] {
			t.Errorf("the turn that had begun is stored as %v, %v", handled, err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}
