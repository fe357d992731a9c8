package campaigns

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Config says how campaigns run. Zero fields take their defaults.
type Config struct {
	// Budget is how much an account publishes at most. Defaults to campaigns.DefaultBudget.
	Budget *campaigns.Budget
	// Store tells with each start whether an account has had campaigns that are in no file now. Without it, what was taken out of
	// the files while the bot was down is seen with the next slot, or edit.
	Store Memory
	// Accounts are those of the bot; see Plugin.SetAccounts. With more than one, a campaign in a file has to name its own; see
	// InForce.
	Accounts []event.Account
	// Log takes a line for what cannot be run. Defaults to nothing.
	Log *slog.Logger
}

// Memory is what the plugin needs of a store outside of turns.
type Memory interface {
	// AccountValue returns what a plugin keeps for an account; with Version 0 when that is nothing.
	AccountValue(ctx context.Context, account event.Account, plugin, name string) (record.AccountValue, error)
}

// Nudger begins turns of accounts; a bot.Bot is one.
type Nudger interface {
	Nudge(account event.Account, name string, data any) error
}

// Plugin runs campaigns. Give it campaigns with Use, also while the bot runs.
type Plugin struct {
	cfg Config

	mu    sync.Mutex // guards the fields below
	files map[event.Account]files
	seen  map[event.Account][]*snapshot // what is kept of them, as it was last seen
	bot   Nudger
	most  map[event.Account]*bot.Publishing // what limits what they publish
	// fallen are the campaigns of which something has panicked in this incarnation, as they are written now.
	fallen map[event.Account]map[string]error
}

// New makes a plugin that has no campaigns yet.
func New(cfg Config) *Plugin {
	if cfg.Budget == nil {
		cfg.Budget = &campaigns.DefaultBudget
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Plugin{cfg: cfg, files: map[event.Account]files{}, seen: map[event.Account][]*snapshot{}, most: map[event.Account]*bot.Publishing{}, fallen: map[event.Account]map[string]error{}}
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
	nudged := func(ctx context.Context, t *bot.Turn, _ event.Nudge) error { return p.doDue(ctx, t) }
	routes := bot.Group(group, nil, append(p.askRoutes(),
		bot.On("start", bot.StartedFor(started, p.has), nudged),
		bot.On("change", bot.Nudged(changed), nudged),
		bot.On("next", bot.Timer(next), func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return p.doDue(ctx, t) }).AtOnce(next),
		bot.On("warned", bot.WarnedFor(warned, p.heedsWarnings), p.noteWarning),
		bot.On("watch", bot.Timer(watch), p.lookAnew).AtOnce(watch),
		bot.On("replies", bot.Timer(replies), p.listen).AtOnce(replies),
	)...)
	for i, r := range routes {
		routes[i] = engine.Route(r, engine.Ways{MindsPauses: true, Clocked: true})
	}
	return routes
}

// Use puts campaigns in force for an account, in the place of those before. The bot looks at them at once; those that are gone
// publish nothing more. What names another account is left out, which the error says, and the rest is used.
func (p *Plugin) Use(account event.Account, all []*campaigns.Campaign) error {
	return p.useCampaigns(account, all)
}

// useCampaigns is Use with what else is said of how they come into force.
func (p *Plugin) useCampaigns(account event.Account, all []*campaigns.Campaign, options ...func(*files)) error {
	own, refused := ownOf(account, all)
	f := files{budget: *p.cfg.Budget}
	for _, o := range options {
		o(&f)
	}
	if err := f.takeIn(own); err != nil {
		return errors.Join(refused, err)
	}
	p.mu.Lock()
	before := p.files[account]
	p.files[account] = f
	to := p.bot
	p.mu.Unlock()
	has := len(own) > 0 || p.has(account) // those that are gone from the files may be in force, which the look tells
	var ahead []time.Time
	if has {
		ahead = p.aheadSeen(account, &f)
	}
	p.limitPublishing(account, &f, has, ahead)
	if before.sum != f.sum {
		p.forgetPanics(account)
	}
	same := before.sum == f.sum && before.wait == f.wait && before.budget == f.budget
	if to == nil || same || len(before.all) == 0 && !has {
		return refused // it looks when it starts, or has nothing to look at
	}
	if err := to.Nudge(account, changed, nil); err != nil && !p.isAwaited(account, err) {
		return errors.Join(refused, fmt.Errorf("let new campaigns be looked at: %w", err))
	}
	return refused
}

// ownOf returns the campaigns that an account may run, with an error that names the others.
func ownOf(account event.Account, all []*campaigns.Campaign) ([]*campaigns.Campaign, error) {
	var own []*campaigns.Campaign
	var errs []error
	for _, c := range all {
		if c.Account != "" && c.Account != account { //mutate:campaign-account
			errs = append(errs, fmt.Errorf("the campaign %s is for the account %s: %s does not run it", c.ID, c.Account, account))
			continue
		}
		own = append(own, c)
	}
	return own, errors.Join(errs...)
}

// has reports whether there is anything to look at for an account when the bot starts: one that never had a campaign has no turn.
func (p *Plugin) has(account event.Account) bool {
	// What is wanted counts, too: during the first turn nothing is in force yet, and nothing is stored.
	if len(p.running(account)) > 0 || len(p.inForce(account).all) > 0 { //mutate:first-start
		return true
	}
	if p.cfg.Store == nil {
		return false
	}
	v, err := p.cfg.Store.AccountValue(context.Background(), account, group, knownName)
	return err != nil || v.Version != 0 // when that cannot be read, the turn finds out
}

// Watch tells the plugin which bot it is part of, so that changes are looked at when they come. Without it they are seen when
// something is due.
func (p *Plugin) Watch(b Nudger) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bot = b
	p.limitAllLocked()
}

// inForce returns what is wanted of an account.
func (p *Plugin) inForce(account event.Account) files {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, told := p.files[account]
	if !told {
		f.budget = *p.cfg.Budget
	}
	return f
}

// running returns the campaigns that are in force for an account, or before its first turn those that are wanted.
func (p *Plugin) running(account event.Account) []*campaigns.Campaign {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seen := p.seen[account]; len(seen) > 0 {
		return seen[len(seen)-1].inForce()
	}
	return p.files[account].all
}

// Start begins nothing: the bot starts the turns.
func (p *Plugin) Start(context.Context) error { return nil }

// Stop ends nothing: what is on its way is the bot's.
func (p *Plugin) Stop(context.Context) error { return nil }
