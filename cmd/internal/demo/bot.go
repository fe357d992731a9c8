package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/bare"
	"github.com/nectar-bot/nectar/platform"
)

// How the demo's bot differs from a bot on a real platform: it may hurry, and need not wait long for
// requests that were cut.
const (
	demoDeadline       = 2 * time.Second
	demoGrace          = time.Second
	demoReconcilePause = time.Second
	demoInterval       = 50 * time.Millisecond
	demoConcurrency    = 32
	demoSessions       = 45 // a minute: its time goes by seven times as fast as that of a bot with a deadline of 15 seconds

	BotCommand = "demo-bot"
	Variable   = "NECTAR_DEMO" // how the demo tells its child what to do
	Ready      = "ready\n"
)

// Settings is what the demo tells its bot.
type Settings struct {
	BaseURL string
	Store   string
	Bare    bool
	Lively  bool
	Rules   bool
	Encrypt bool

	Campaigns  []Campaign
	Edited     []event.Account // those with edited campaigns
	EditedPath string          // their rule file
	Worker     *demoWorker

	Past     bool // it goes on with a memory of long ago, which retention deletes
	Idle     int  // accounts to which nobody writes
	Measured bool
	Meter    *Meter `json:"-"` // nil for none
}

// key is what the database is encrypted with; "" for none. The demo needs no secret one.
func (s Settings) key() platform.Secret {
	if !s.Encrypt {
		return ""
	}
	return platform.Secret(strings.Repeat("0", 64))
}

func (st *stage) botSettings() Settings {
	s := Settings{BaseURL: st.server.BaseURL(), Store: st.databasePath(), Bare: st.demo.Bare, Lively: st.demo.Lively, Rules: st.demo.Rules, Encrypt: st.demo.Encrypt, Campaigns: st.campaigns, Past: st.demo.Rate > 0}
	for _, e := range st.edited {
		s.Edited, s.EditedPath = append(s.Edited, e.Account), st.editedPath()
	}
	return s
}

// settingsVariable returns the settings as the environment of the bot has them.
func (s *Settings) settingsVariable() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("plain strings do not encode: %v", err)) // cannot happen
	}
	return Variable + "=" + string(text)
}

func (st *stage) botEnvironment() []string {
	s := st.botSettings()
	return []string{s.settingsVariable()}
}

// RunBot runs the sample bot until ctx ends; ready is called after the first poll of its last account.
func (Demo) RunBot(ctx context.Context, s Settings, ready func()) error {
	if s.Bare {
		return bare.Run(ctx, bare.Config{
			BaseURL: s.BaseURL, Email: demoEmail, Password: demoPassword, Concurrency: demoConcurrency, Pause: demoInterval / 5, Answer: demoAnswer,
		}, ready)
	}
	st, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	routes, err := s.botRoutes(ctx, st)
	if err != nil {
		return err
	}
	shops, err := s.campaignPlugin() //nolint:contextcheck // the plugin asks its store for a moment
	if err != nil {
		return err
	}
	if shops != nil {
		routes = append(routes, shops.Routes()...)
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: routes})
	if err != nil {
		return err
	}
	cfg := s.botConfig(st, router)
	if s.Meter != nil {
		s.Meter.began = s.Meter.read()
	}
	cfg.Accounts = append(s.botAccounts(), s.idleAccounts()...)
	cfg.Observe = s.Meter.notePolls(allPolled(len(cfg.Accounts), ready))
	b, err := bot.New(cfg)
	if err != nil {
		return err
	}
	if shops != nil {
		shops.Watch(b) // it limits what the accounts publish
	}
	err = s.runFollowing(ctx, b, shops)
	if cerr := st.Close(); err == nil {
		err = cerr
	}
	return err
}

// openStore opens the bot's memory. A bot with a past deletes what is old.
func (s *Settings) openStore(ctx context.Context) (bot.Store, error) {
	o := bot.StoreOptions{Path: s.Store, Key: s.key()}
	if s.Past {
		o.Keep = besideKeeps
	}
	st, err := bot.OpenStore(ctx, o)
	if err != nil || !s.Past {
		return st, err
	}
	if err := beginRetention(st); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// botConfig is what the sample bot is made of.
func (s *Settings) botConfig(st bot.Store, router *bot.Router) bot.Config {
	interval := demoInterval
	if s.Lively {
		interval = 4 * demoInterval
	}
	c := bot.Config{
		Store: st, Router: router, Pace: &event.Pace{}, Concurrency: demoConcurrency, PollInterval: interval,
		Ceiling: bot.Ceiling{Max: -1}, // its people write as fast as they can, and want answers
	}
	if !s.Measured { // nobody kills a bot that measures itself
		c.SessionsPerMinute, c.RequestTimeout, c.ReconcileGrace, c.ReconcilePause = demoSessions, demoDeadline, demoGrace, demoReconcilePause
	}
	return c
}

// allPolled calls ready once all accounts have been polled: what happens before is before the bot began.
func allPolled(accounts int, ready func()) func(event.Account, event.PollResult, error) {
	var mu sync.Mutex
	seen := map[event.Account]bool{}
	return func(account event.Account, _ event.PollResult, err error) {
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if seen[account] = true; len(seen) == accounts {
			ready()
		}
	}
}
