// Package metrics serves what a bot does to Prometheus, at /metrics: polls, events, actions, sessions,
// what waits, what is held, and which sources are unhealthy. Nothing in it names a person or holds a secret.
//
//	fx.New(config.Module, bot.Module, metrics.Module).Run() // at NECTAR_METRICS; or fx.Supply(metrics.Config{Addr: "127.0.0.1:9464"})
//
// Beside it /healthz says that the process lives, and /readyz whether the bot is at work. A supervisor that restarts processes should ask the
// first one: a restart does not bring a platform or a database back.
//
// Read collector.go, where each metric is named and told, and many.go for bots of many accounts; server.go and host.go are the way to them.
//
// What holds:
//
//   - The bot is read when somebody asks. Between two scrapes metrics cost nothing, and nothing in a turn waits for them.
//   - Labels name accounts, sources, kinds, hosts and states, never people. The number of series must not grow with the number of conversations.
//   - Above 500 accounts they are told together, under "(all)", and by name only the worst. What only grows is never told of one account then: it
//     would seem to begin anew whenever that account is named.
//   - Without a host in the address only this machine is served, and a request has to ask by a name that is known. Otherwise a web page could let
//     its own name point here, and read the metrics through somebody's browser.
//   - A store that does not answer makes some metrics invalid, and the others are served all the same: it is then that people look.
//
// nectar run serves them where NECTAR_METRICS is set, and so does a program with config.Module.
package metrics
