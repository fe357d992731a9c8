package campaigns

import (
	"github.com/nectar-bot/nectar/bot"
	"go.uber.org/fx"
)

// Module adds the plugin to an fx application that has bot.Module. It takes a Config, where one is supplied. Which campaigns
// run is for the application to say, with Plugin.Use or, where they stand in rule files, by Plugin.InForce:
//
//	fx.Provide(func(p *campaigns.Plugin) autoresponder.Config { return autoresponder.Config{Path: "rules", InForce: p.InForce} })
var Module = fx.Module("campaigns",
	fx.Provide(provide),
	bot.ProvideRoutes((*Plugin).Routes),
	fx.Invoke(func(p *Plugin, b *bot.Bot) { p.Watch(b) }),
)

type wiring struct {
	fx.In
	Config   Config `optional:"true"`
	Settings bot.Config
	Store    bot.Store
}

func provide(w wiring) *Plugin {
	cfg := w.Config
	if cfg.Log == nil {
		cfg.Log = w.Settings.Log
	}
	if cfg.Store == nil {
		cfg.Store = w.Store
	}
	if cfg.Accounts == nil {
		for i := range w.Settings.Accounts {
			cfg.Accounts = append(cfg.Accounts, w.Settings.Accounts[i].Name)
		}
	}
	return New(cfg)
}
