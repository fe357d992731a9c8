package metrics

import (
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"go.uber.org/fx"
)

// Module adds the endpoint to an fx application that has bot.Module. Its address is that of a Config that the application supplies; beside config.Module,
// NECTAR_METRICS and NECTAR_METRICS_HOSTS say it where the Config does not. Without an address it is off. When the address is not free, the
// application does not start.
var Module = fx.Module("metrics",
	fx.Provide(fx.Annotate(provide, fx.ParamTags("", "", "", `optional:"true"`, `optional:"true"`))),
	fx.Invoke(func(*Server) {}),
)

func provide(lc fx.Lifecycle, b *bot.Bot, settings bot.Config, cfg Config, variables config.Config) *Server {
	if cfg.Addr == "" {
		cfg.Addr = variables.Metrics
	}
	if cfg.Hosts == nil {
		cfg.Hosts = variables.MetricsHosts
	}
	s := New(cfg, b, settings.Log)
	if cfg.Addr != "" {
		lc.Append(fx.Hook{OnStart: s.Start, OnStop: s.Stop})
	}
	return s
}
