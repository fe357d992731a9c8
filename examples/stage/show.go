package stage

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
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
	"github.com/nectar-bot/nectar/platform/session"
	"go.uber.org/fx"
)

// Show is an example.
type Show struct {
	// Bot is what it shows: routes, flows, plugins.
	Bot fx.Option
	// Scene is what visitors do and expect. They find one post of the bot's account.
	Scene func(post platform.PostID) []script.Step
}

// Run is the main function of an example.
func Run(show Show) {
	vars, err := config.Source{}.Variables()
	if vars["NECTAR_BASE_URL"] != "" || vars["NECTAR_ACCOUNTS"] != "" {
		fx.New(config.Module, bot.Module, show.Bot).Run()
	} else if err == nil {
		err = show.play(context.Background(), os.Stdout, false)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play plays the scene on a platform in memory and writes what happens to w as it happens.
func (s Show) play(ctx context.Context, w io.Writer, plain bool) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	town := emulator.New(emulator.Config{})
	credentials := session.Credentials{Email: "bot@emulator.localhost", Password: "emulated"}
	account := town.AddAccount(emulator.Person{Username: "bot", FirstName: "Bot"}, credentials.Email, credentials.Password)
	post := town.Post(account, "spring menu")
	pipe := emulator.NewPipe(town)
	defer func() { err = errors.Join(err, pipe.Close()) }()

	polled := make(chan struct{})
	var once sync.Once
	stop, err := s.start(ctx, bot.Config{
		Accounts:  []bot.Account{{Name: "bot", BaseURL: pipe.BaseURL(), Credentials: credentials}},
		Transport: pipe.Transport(), Pace: &event.Pace{}, PollInterval: 100 * time.Millisecond,
		Observe: func(event.Account, event.PollResult, error) { once.Do(func() { close(polled) }) },
	})
	if err != nil {
		return err
	}
	<-polled // what was there before is skipped

	var writer sync.WaitGroup
	var written error
	since := town.Ledger().Len()
	writer.Go(func() {
		written = transcript.Follow(ctx, town, w, transcript.Config{Account: account, Since: since, Plain: plain})
	})
	played := script.Play(ctx, town, script.Script{Account: account, Steps: s.Scene(post)})
	stopped := stop()
	cancel()
	writer.Wait()
	return errors.Join(played, stopped, written)
}

// start starts the bot on a database of its own. What it returns stops the bot and removes that.
func (s Show) start(ctx context.Context, cfg bot.Config) (stop func() error, err error) {
	dir, err := os.MkdirTemp("", "nectar-example-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the database: %w", err)
	}
	remove := func() error { return os.RemoveAll(dir) }
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: filepath.Join(dir, "nectar.db"), Fast: true})
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	app := fx.New(fx.NopLogger, fx.Supply(cfg), fx.Provide(func() bot.Store { return st }), bot.Module, s.Bot)
	if err := app.Start(ctx); err != nil {
		return nil, errors.Join(err, st.Close(), remove())
	}
	return func() error { return errors.Join(app.Stop(ctx), st.Close(), remove()) }, nil
}
