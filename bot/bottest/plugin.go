package bottest

import (
	"context"

	"github.com/nectar-bot/nectar/bot"
)

// Plugin is what lives and dies with the bot: it is started before the bot, and stopped after it. A crash
// stops it, too: what it does then reaches nobody.
type Plugin interface {
	Routes() []bot.Route
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
}

// makePlugins makes the plugins of an incarnation.
func (w *World) makePlugins(l *incarnation) (err error) {
	if w.cfg.Plugins != nil {
		l.plugins, err = w.cfg.Plugins(l.store, l.log())
	}
	return err
}

// botRoutes returns what the bot of an incarnation does.
func (w *World) botRoutes(l *incarnation) []bot.Route {
	routes := append([]bot.Route{}, w.cfg.Routes...)
	for _, p := range l.plugins {
		routes = append(routes, p.Routes()...)
	}
	return routes
}

func (in *incarnation) startPlugins(ctx context.Context) error {
	for _, p := range in.plugins {
		if err := p.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stopPlugins stops the plugins, also those that could not start.
func (in *incarnation) stopPlugins() {
	over := context.Background() // the incarnation's own context has ended
	for _, p := range in.plugins {
		_ = p.Stop(over) // nobody is left who could do anything about it
	}
	in.plugins = nil
}
