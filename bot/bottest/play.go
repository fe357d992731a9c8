package bottest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
	"github.com/nectar-bot/nectar/platform/session"
	"go.uber.org/fx"
)

// Play lets people meet a bot on a platform in memory, and writes what happens: for examples whose output go test compares.
// The bot is what an application would add to bot.Module. Time is real: leave what takes hours to Run.
func Play(w io.Writer, b fx.Option, steps ...script.Step) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	town := emulator.New(emulator.Config{})
	credentials := session.Credentials{Email: "bot@emulator.localhost", Password: "emulated"}
	account := town.AddAccount(emulator.Person{Username: "bot", FirstName: "Bot"}, credentials.Email, credentials.Password)
	pipe := emulator.NewPipe(town)
	defer func() { err = errors.Join(err, pipe.Close()) }()

	polled := make(chan struct{})
	var once sync.Once
	stop, err := application(ctx, b, bot.Config{
		Accounts:  []bot.Account{{Name: "bot", BaseURL: pipe.BaseURL(), Credentials: credentials}},
		Transport: pipe.Transport(), Pace: &event.Pace{}, PollInterval: 10 * time.Millisecond,
		Observe: func(event.Account, event.PollResult, error) { once.Do(func() { close(polled) }) },
	})
	if err != nil {
		return err
	}
	<-polled // what was there before is skipped
	played := script.Play(ctx, town, script.Script{Account: account, Steps: steps})
	return errors.Join(played, stop(), transcript.Write(town, w, transcript.Config{Account: account, Plain: true}))
}

// application starts a bot on a database of its own. What it returns stops the bot and removes that.
func application(ctx context.Context, b fx.Option, cfg bot.Config) (stop func() error, err error) {
	dir, err := os.MkdirTemp("", "nectar-play-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the database: %w", err)
	}
	remove := func() error { return os.RemoveAll(dir) }
	path := filepath.Join(dir, "nectar.db")
	if err := setUp(ctx, path); err != nil {
		return nil, errors.Join(err, remove())
	}
	st, err := store.Open(ctx, store.Options{Path: path, Fast: true})
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	app := fx.New(fx.NopLogger, fx.Supply(cfg), fx.Provide(func() bot.Store { return st }), bot.Module, b)
	if err := app.Start(ctx); err != nil {
		return nil, errors.Join(err, st.Close(), remove())
	}
	return func() error { return errors.Join(app.Stop(ctx), st.Close(), remove()) }, nil
}
