package main

import (
	"log/slog"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"go.uber.org/fx"
)

// acts is what the bot does: what rule files say, or what the starter bot does when it is asked for. Never both: people
// would get two answers.
func acts(cfg config.Config, log *slog.Logger, asked bool) fx.Option {
	if asked {
		log.Info(starterSays)
		return starter()
	}
	log.Info("answering by rule files", "path", whole(cfg.Rules))
	return fx.Options(
		autoresponder.Module,
		fx.Supply(autoresponder.Config{Path: whole(cfg.Rules), WebhookHosts: cfg.WebhookHosts, Lookup: cfg.Lookup, Log: log}),
	)
}
