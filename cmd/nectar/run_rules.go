package main

import (
	"log/slog"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/nectar-bot/nectar/plugins/campaigns"
	"go.uber.org/fx"
)

// acts is what the bot does: what rule files say, or what the starter bot does when it is asked for. Never both: people
// would get two answers.
func acts(cfg config.Config, log *slog.Logger, asked bool) fx.Option {
	if asked {
		log.Info(starterSays)
		return starter()
	}
	own := map[event.Account]string{}
	for i := range cfg.Accounts {
		own[cfg.Accounts[i].Name] = whole(cfg.Accounts[i].Rules)
	}
	if folders, err := cfg.RuleFolders(); err == nil { // it has been read
		for _, f := range folders {
			line := []any{"path", whole(f.Path)}
			if len(folders) > 1 {
				line = append(line, "accounts", accountNames(f.Accounts))
			}
			log.Info("answering by rule files", line...)
		}
	}
	return fx.Options(
		autoresponder.Module,
		campaigns.Module,
		fx.Supply(campaigns.Config{Log: log}),
		fx.Provide(func(p *campaigns.Plugin) autoresponder.Config {
			return autoresponder.Config{Folders: own, WebhookHosts: cfg.WebhookHosts, Lookup: cfg.Lookup, Log: log, InForce: p.InForce}
		}),
	)
}
