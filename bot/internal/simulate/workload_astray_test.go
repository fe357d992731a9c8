package simulate_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// astray sets the clock that the platform shows, as if the one of the bot's machine were wrong, and then set. It has no people of its own:
// what everybody else is owed does not depend on what time it is, and the log says by how much the clocks differ.
type astray struct {
	s    *simulation
	told atomic.Int64 // what the log of the incarnation said last
}

// astrayLong is how long it takes at most until two answers in a row have told what time it is.
const astrayLong = 3 * time.Minute

func drawAstray(dice *rand.Rand) []string {
	steps := make([]string, 2+dice.IntN(4))
	for i := range steps {
		by := []time.Duration{0, 50 * time.Second, -3 * time.Hour, time.Hour, 40 * 24 * time.Hour, -400 * 24 * time.Hour}[dice.IntN(6)]
		steps[i] = strconv.Itoa(int(by / time.Second))
	}
	return steps
}

func newAstray(s *simulation) workload { return &astray{s: s} }

func (*astray) begin() {}

// configure reads what the log of an incarnation says of the clock: by how much it is wrong, or that it is not any more.
func (g *astray) configure(cfg *bot.Config) {
	g.told.Store(0)
	cfg.Log = slog.New(clockLines{&g.told})
}

func (*astray) routes() []bot.Route { return nil }

func (g *astray) do(_ context.Context, what string) error {
	seconds, err := strconv.Atoi(what)
	if err == nil {
		g.s.platform.SetClock(time.Duration(seconds) * time.Second)
	}
	return err
}

func (*astray) knows(emulator.Entry) bool { return false }

func (*astray) judge([]emulator.Entry) []string { return nil }

// after sets the clock once more, and looks at what is told.
func (g *astray) after(ctx context.Context) error {
	for _, by := range []time.Duration{-5 * time.Hour, 0} {
		g.s.platform.SetClock(by)
		time.Sleep(astrayLong)
		if told := time.Duration(g.told.Load()); (told - by.Abs()).Abs() > 2*time.Second { // an answer takes its time
			return fmt.Errorf("the clocks differ by %v, and the log says %v", by, told)
		}
	}
	return ctx.Err()
}

// clockLines takes the lines of a log that have the attribute "platform": those of the clock, with "by" while it is wrong.
type clockLines struct{ told *atomic.Int64 }

func (clockLines) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l clockLines) Handle(_ context.Context, r slog.Record) error {
	var platform bool
	var by time.Duration
	var err error
	r.Attrs(func(a slog.Attr) bool {
		platform = platform || a.Key == "platform"
		if a.Key == "by" && platform {
			by, err = time.ParseDuration(a.Value.String())
		}
		return true
	})
	if platform && err == nil {
		l.told.Store(int64(by))
	}
	return err
}

func (l clockLines) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l clockLines) WithGroup(string) slog.Handler { return l }
