package bot_test

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	_ "github.com/nectar-bot/nectar/bot/postgres" // the driver of the database that they share
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// A bot of your own as a worker: start the program as often as you like, each with a NAME of its own, and they share the accounts.
func ExampleRunWorker() { //nolint:testableexamples // it needs a database, and runs until it is interrupted
	hello := func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("Hello, " + m.From.Name + "!")
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{bot.On("hello", handlers.Words("hello", "hi"), hello)}})
	if err != nil {
		log.Fatal(err)
	}
	accounts := map[event.Account]session.Credentials{
		"shop": {Email: "shop@social.example", Password: platform.Secret(os.Getenv("SHOP_PASSWORD"))},
		"cafe": {Email: "cafe@social.example", Password: platform.Secret(os.Getenv("CAFE_PASSWORD"))},
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err = bot.RunWorker(ctx, bot.WorkerConfig{
		Name:  os.Getenv("NAME"),
		Store: bot.StoreOptions{Path: os.Getenv("DATABASE"), Key: platform.Secret(os.Getenv("KEY"))},
		Accounts: func(_ context.Context, shard int) (all []bot.Account, _ error) {
			for name, who := range accounts {
				if name.Shard() == shard {
					all = append(all, bot.Account{Name: name, BaseURL: "https://social.example/mobile_api", Credentials: who})
				}
			}
			return all, nil
		},
		Serve: func(ctx context.Context, w *bot.Working) error {
			b, err := bot.New(bot.Config{MayBeIdle: true, Store: w.Store, Transport: w.Transport, Router: router})
			if err != nil {
				return err
			}
			w.Use(b)
			return b.Run(ctx)
		},
	})
	if err != nil {
		log.Print(err)
	}
}
