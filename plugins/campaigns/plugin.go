package campaigns

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Config says how campaigns run. Zero fields take their defaults.
type Config struct {
	// Budget is how much an account publishes at most. Defaults to campaigns.DefaultBudget.
	Budget *campaigns.Budget
	// Log takes a line for what comes into force. Defaults to nothing.
	Log *slog.Logger
}

// Nudger begins turns of accounts; a bot.Bot is one.
type Nudger interface {
	Nudge(account event.Account, name string, data any) error
}

// Plugin runs campaigns. Give it campaigns with Use, also while the bot runs.
type Plugin struct {
	cfg Config

	mu    sync.Mutex
	force map[event.Account][]*campaigns.Campaign
	bot   Nudger
}

// New makes a plugin that has no campaigns yet.
func New(cfg Config) *Plugin {
	if cfg.Budget == nil {
		cfg.Budget = &campaigns.DefaultBudget
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Plugin{cfg: cfg, force: map[event.Account][]*campaigns.Campaign{}}
}

// The names of routes, timers and nudges.
const (
	group   = "campaigns"
	started = "campaigns/start"
	changed = "campaigns/change"
	next    = "campaigns/next"
)

// Routes returns the routes of the plugin: turns of the accounts themselves.
func (p *Plugin) Routes() []bot.Route {
	nudged := func(ctx context.Context, t *bot.Turn, _ event.Nudge) error { return p.look(ctx, t) }
	return bot.Group(group, nil,
		bot.On("start", bot.Started(started), nudged).MindingPauses(),
		bot.On("change", bot.Nudged(changed), nudged).MindingPauses(),
		bot.On("next", bot.Timer(next), func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return p.look(ctx, t) }).
			AtOnce(next).MindingPauses(),
	)
}

// Use puts campaigns in force for an account, in the place of those before. The bot looks at them at once; those that are gone
// publish nothing more.
func (p *Plugin) Use(account event.Account, all []*campaigns.Campaign) error {
	p.mu.Lock()
	p.force[account] = slices.Clone(all)
	to := p.bot
	p.mu.Unlock()
	if to == nil {
		return nil // it looks when it starts
	}
	if err := to.Nudge(account, changed, nil); err != nil {
		return fmt.Errorf("let new campaigns be looked at: %w", err)
	}
	return nil
}

// Watch tells the plugin which bot it is part of, so that changes are looked at when they come. Without it they are seen when
// something is due.
func (p *Plugin) Watch(b Nudger) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bot = b
}

// inForce returns the campaigns of an account.
func (p *Plugin) inForce(account event.Account) []*campaigns.Campaign {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.force[account]
}

// Accounts returns the accounts that have campaigns.
func (p *Plugin) Accounts() []event.Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.force))
}

// Start begins nothing: the bot starts the turns.
func (p *Plugin) Start(context.Context) error { return nil }

// Stop ends nothing: what is on its way is the bot's.
func (p *Plugin) Stop(context.Context) error { return nil }
