package main

import (
	"log/slog"
	"os"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"go.uber.org/fx"
)

// acts is what the bot does: what rule files say where there are some, and otherwise what the starter
// bot does. Never both: people would get two answers. Only the default of NECTAR_RULES may be missing.
func acts(cfg config.Config, log *slog.Logger) fx.Option {
	if _, err := os.Stat(cfg.Rules); err != nil {
		log.Info(starterSays)
		return starter()
	}
	log.Info("answering by rule files", "path", cfg.Rules)
	return fx.Options(
		autoresponder.Module,
		fx.Supply(autoresponder.Config{Path: cfg.Rules, WebhookHosts: cfg.WebhookHosts, Lookup: cfg.Lookup, Log: log}),
	)
}
