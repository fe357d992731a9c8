package run

import (
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/nectar-bot/nectar/plugins/campaigns"
	"go.uber.org/fx"
)

// actingModules is what the bot does: what rule files say, or what the starter bot does when it is asked for. Never both: people
// would get two answers. Where there is neither, the routes of the program have to do.
func (r *Reloader) actingModules() fx.Option {
	cfg, log := r.wanted, r.Log
	switch {
	case r.Starter:
		log.Info(StarterSays)
		return starterBot()
	case r.ruleless != nil:
		return r.onlyAdded()
	}
	names, own := actingAccounts(cfg)
	if folders, err := cfg.RuleFolders(); err == nil { // it has been read
		for _, f := range folders {
			says, line := "answering by rule files", []any{"path", sources.WholePath(f.Path)}
			if set, published := record.SetOf(f.Path); published {
				says, line = "answering by published rules", []any{"set", set}
			}
			if len(folders) > 1 {
				line = append(line, "accounts", sources.AccountNames(f.Accounts))
			}
			log.Info(says, line...) //nolint:sloglint // one of two
		}
	}
	path := "" // of accounts that name none
	if cfg.AccountsInStore() {
		path = sources.WholePath(cfg.Rules) // there may be none yet
	}
	return fx.Options(
		autoresponder.Module,
		campaigns.Module,
		fx.Supply(campaigns.Config{Log: log, Accounts: names}),
		fx.Provide(func(p *campaigns.Plugin) autoresponder.Config {
			return autoresponder.Config{Path: path, Accounts: names, Folders: own, WebhookHosts: cfg.WebhookHosts, Lookup: r.lookup, Log: log, InForce: p.InForce}
		}),
	)
}

// actingAccounts returns the accounts that files may be for, also those that are paused, and by which files each acts.
func actingAccounts(cfg config.Config) (names []event.Account, own map[event.Account]string) {
	own = map[event.Account]string{}
	for i := range cfg.Accounts {
		names = append(names, cfg.Accounts[i].Name)
		own[cfg.Accounts[i].Name] = sources.WholePath(cfg.Accounts[i].Rules)
	}
	return names, own
}
