package autoresponder

import (
	"github.com/nectar-bot/nectar/bot"
	"go.uber.org/fx"
)

// Module adds the plugin to an fx application that has bot.Module and supplies a Config.
var Module = fx.Module("autoresponder",
	fx.Provide(provide),
	bot.ProvideRoutes((*Plugin).Routes),
	fx.Invoke(func(p *Plugin, b *bot.Bot) { p.Watch(b) }),
)

func provide(lc fx.Lifecycle, cfg Config, st bot.Store, settings bot.Config) (*Plugin, error) {
	if cfg.Log == nil {
		cfg.Log = settings.Log
	}
	if cfg.Accounts == nil {
		for i := range settings.Accounts {
			cfg.Accounts = append(cfg.Accounts, settings.Accounts[i].Name)
		}
	}
	p, err := New(cfg, st)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.Hook{OnStart: p.Start, OnStop: p.Stop})
	return p, nil
}
