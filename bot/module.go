package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/fx"
)

// Module runs a Bot in an fx application. It needs a Config (without Store and Router), a
// Store, and any number of Routes, Flows and Wraps:
//
//	fx.New(config.Module, bot.Module, bot.Routes(…)).Run()
//
// A Handler that the application provides is the fallback. What the Config of config.Module does not say is set with fx.Decorate; see ExampleProvideFlows.
//
// The bot starts with the application and drains when it stops. When the bot cannot start, the
// application shuts down with exit code 1.
var Module = fx.Module("bot", fx.Provide(provideRouter, provideBot), fx.Invoke(runBot))

const (
	routeGroup = `group:"nectar.routes,flatten"`
	flowGroup  = `group:"nectar.flows,flatten"`
	wrapGroup  = `group:"nectar.wraps,flatten"`
)

// Routes adds routes to an fx application.
func Routes(routes ...Route) fx.Option {
	return fx.Provide(fx.Annotate(func() []Route { return routes }, fx.ResultTags(routeGroup)))
}

// ProvideRoutes adds the routes that a constructor returns; fx gives it what it asks for. The
// constructor returns []Route, and perhaps an error.
func ProvideRoutes(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(routeGroup)))
}

// Flows adds flows to an fx application.
func Flows(flows ...Machine) fx.Option {
	return fx.Provide(fx.Annotate(func() []Machine { return flows }, fx.ResultTags(flowGroup)))
}

// ProvideFlows adds the flows that a constructor returns; fx gives it what it asks for. The constructor returns []Machine, and perhaps an error.
func ProvideFlows(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(flowGroup)))
}

// Wrap is middleware of an fx application. Lower orders are further outside; names must differ.
type Wrap struct {
	Name       string
	Order      int
	Middleware Middleware
}

// Wraps adds middleware to an fx application.
func Wraps(wraps ...Wrap) fx.Option {
	return fx.Provide(fx.Annotate(func() []Wrap { return wraps }, fx.ResultTags(wrapGroup)))
}

type routing struct {
	fx.In
	Routes   []Route   `group:"nectar.routes"`
	Flows    []Machine `group:"nectar.flows"`
	Wraps    []Wrap    `group:"nectar.wraps"`
	Fallback Handler   `optional:"true"`
}

func provideRouter(r routing) (*Router, error) {
	wraps := slices.Clone(r.Wraps) // value groups come in random order
	slices.SortFunc(wraps, func(x, y Wrap) int { return cmp.Or(cmp.Compare(x.Order, y.Order), cmp.Compare(x.Name, y.Name)) })
	cfg := RouterConfig{Routes: r.Routes, Flows: r.Flows, Fallback: r.Fallback}
	names := map[string]bool{}
	for _, w := range wraps {
		switch {
		case w.Name == "":
			return nil, errors.New("a bot.Wrap has no name: give it one, since middleware of one order goes by name")
		case names[w.Name]:
			return nil, fmt.Errorf("two bot.Wraps are named %q: name them apart, or give only one of them", w.Name)
		case w.Middleware == nil:
			return nil, fmt.Errorf("the bot.Wrap %q has no Middleware", w.Name)
		}
		names[w.Name] = true
		cfg.Middleware = append(cfg.Middleware, w.Middleware)
	}
	return NewRouter(cfg)
}

func provideBot(cfg Config, st Store, router *Router) (*Bot, error) {
	cfg.Store, cfg.Router = st, router
	return New(cfg)
}

func runBot(lc fx.Lifecycle, stop fx.Shutdowner, b *Bot) {
	var cancel context.CancelFunc
	done := make(chan error, 1)
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			ctx, cancel = context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // OnStop calls it
			go func() {
				err := b.Run(ctx)
				if err != nil {
					_ = stop.Shutdown(fx.ExitCode(1)) // it only fails when the application has stopped already
				}
				done <- err // told by OnStop
			}()
			return nil
		},
		OnStop: func(ctx context.Context) error {
			cancel()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	})
}
