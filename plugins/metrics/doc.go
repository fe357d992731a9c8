// Package metrics serves what a bot does to Prometheus, at /metrics: polls, events, actions, sessions,
// what waits, what is held, and which sources are unhealthy. Nothing in it names a person or holds a secret.
//
//	fx.New(config.Module, bot.Module, metrics.Module, fx.Supply(metrics.Config{Addr: "127.0.0.1:9464"})).Run()
package metrics
