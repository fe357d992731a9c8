package metrics

import (
	"github.com/nectar-bot/nectar/bot"
	"go.uber.org/fx"
)

// Module adds the endpoint to an fx application that has bot.Module. It is off unless the application
// supplies a Config with an address. When the address is not free, the application does not start.
var Module = fx.Module("metrics",
	fx.Provide(fx.Annotate(provide, fx.ParamTags("", "", "", `optional:"true"`))),
	fx.Invoke(func(*Server) {}),
)

func provide(lc fx.Lifecycle, b *bot.Bot, settings bot.Config, cfg Config) *Server {
	s := New(cfg, b, settings.Log)
	if cfg.Addr != "" {
		lc.Append(fx.Hook{OnStart: s.Start, OnStop: s.Stop})
	}
	return s
}
