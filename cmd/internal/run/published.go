package run

import (
	"context"
	"slices"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// An account that acts by a set is taken up once there is something to act by: what people write until then waits on the platform. A
// worker that cannot act by what is published leaves the account to others that can, as far as there are any.

// tellUnpublished says for which accounts nothing is published, and nothing was in force before: a line for each set.
func (r *Reloader) tellUnpublished(ctx context.Context, st bot.Store) error {
	cfg := r.wanted
	if cfg.Accounts = cfg.Serving(); len(cfg.Accounts) == 0 {
		return nil
	}
	folders, err := cfg.RuleFolders()
	if err != nil {
		return err
	}
	sets, err := inspect.Of(st).Sets(ctx)
	if err != nil {
		return err
	}
	for _, f := range folders {
		name, published := record.SetOf(f.Path)
		if !published || slices.Contains(sources.SetList(sets), name) {
			continue
		}
		before, err := inspect.Of(st).RulesOf(ctx, f.Accounts)
		if err != nil {
			return err
		}
		// An account that acted by something before goes on with that, and need not be told of.
		waiting := slices.DeleteFunc(slices.Clone(f.Accounts), func(a event.Account) bool { _, known := before[a]; return known })
		if len(waiting) > 0 {
			r.Log.ErrorContext(ctx, sources.NotPublished(name, sets).Error()+"; its accounts are taken up when something is", //nolint:sloglint // it reads as a sentence
				"accounts", sources.AccountNames(waiting))
		}
	}
	return nil
}

// waitsForRules reports whether an account has nothing to act by yet.
func (r *Reloader) waitsForRules(a *config.Account) bool {
	_, published := record.SetOf(a.Rules)
	return published && r.answers != nil && r.answers.Version(a.Name) == nil
}

// wakeOnRules lets accounts that wait be taken up as soon as there are rules for them.
func (r *Reloader) wakeOnRules(cfg autoresponder.Config) autoresponder.Config {
	tell := cfg.InForce
	cfg.InForce = func(account event.Account, v *rules.Version) {
		tell(account, v)
		select {
		case r.ruled <- struct{}{}:
		default: // it is about to look
		}
	}
	return cfg
}

// rulesCame takes accounts up for which there are rules now.
func (r *Reloader) rulesCame(ctx context.Context) {
	if r.working == nil {
		return
	}
	if r.shared.leftOut.Swap(false) {
		r.Log.InfoContext(ctx, "accounts that waited for rules are taken up")
		if err := r.working.Refresh(ctx); err != nil { // settings can always be read
			r.Log.ErrorContext(ctx, "accounts cannot be taken up", "err", err)
		}
	}
	r.working.Changed()
}

// workerReport is what this worker tells the others: which accounts it can serve, by which rules, and what its shards cost.
func (r *Reloader) workerReport() record.WorkerReport {
	has := r.shared.has()
	w := r.loaded.Load()
	if w == nil { // it is about to be wired
		return record.WorkerReport{Has: has}
	}
	if r.answers != nil {
		lacks := map[string]bool{}
		for _, account := range r.answers.Lacks() {
			lacks[record.HasAccount(account)] = true
		}
		has = slices.DeleteFunc(has, func(h string) bool { return lacks[h] })
		has = append(has, r.answers.Published()...)
	}
	return record.WorkerReport{Has: has, Loads: w.Loads()}
}
