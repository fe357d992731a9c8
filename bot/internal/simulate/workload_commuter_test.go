package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// commuter takes the bot's account from it while it runs, and gives it back, whatever is under way: nobody else is to notice.
type commuter struct {
	s   *simulation
	bot *bot.Bot
	cfg bot.Account
}

func drawCommuter(dice *rand.Rand) []string {
	steps := make([]string, 4+2*dice.IntN(8))
	for i := range steps {
		steps[i] = [...]string{"goes", "comes"}[i%2]
	}
	return steps
}

func newCommuter(s *simulation) workload { return &commuter{s: s} }

func (g *commuter) begin() {}

func (g *commuter) configure(cfg *bot.Config) { g.cfg = cfg.Accounts[0] }

func (g *commuter) joins(b *bot.Bot) { g.bot = b }

func (g *commuter) routes() []bot.Route { return nil }

func (g *commuter) do(_ context.Context, what string) error {
	incarnation := g.s.incarnation
	if incarnation == nil {
		return nil
	}
	ended := make(chan error, 1)
	b := g.bot
	g.s.left.Go(func() { //nolint:contextcheck // a term outlives what has begun it
		if what == "goes" {
			ended <- b.Remove(g.cfg.Name)
		} else {
			ended <- b.Add(g.cfg)
		}
	})
	var err error
	select {
	case err = <-ended:
	case <-incarnation.power.dark: // it ends with the incarnation
		return nil
	}
	_, there := errors.AsType[*bot.ServedError](err)
	if err == nil || there || errors.Is(err, bot.ErrNotServed) || errors.Is(err, bot.ErrStopped) || incarnation.power.out.Load() {
		return nil
	}
	return fmt.Errorf("the account %s: %w", what, err)
}

func (g *commuter) comesHome(ctx context.Context) error { return g.do(ctx, "comes") }

func (g *commuter) knows(emulator.Entry) bool { return false }

func (g *commuter) judge([]emulator.Entry) []string { return nil }

func (g *commuter) after(context.Context) error { return nil }
