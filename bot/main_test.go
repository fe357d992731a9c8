package bot_test

import (
	"context"
	"flag"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	set := map[string]string{"rapid.seed": "1"} // the same histories in each run; -rapid.seed=0 draws others
	if racing {
		set["rapid.checks"] = "15"
	}
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// sampled tells whether the n-th of many cases is run: with the race detector each fifth.
func sampled(n int) bool { return !racing || n%5 == 0 }

// some tells whether the case of that name is run: with the race detector about one in three, always
// the same ones.
func some(name string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	return !racing || h.Sum32()%3 == 0
}

// dialects are those of the platform; with the race detector some of them.
func dialects() []emulator.NamedDialect {
	all := emulator.Dialects()
	if !racing {
		return all
	}
	return slices.DeleteFunc(all, func(d emulator.NamedDialect) bool { return len(d.Name)%5 != 0 })
}

// rarely is a bot that polls rarely, for tests in which hours pass.
func rarely() bot.Config { return bot.Config{PollInterval: 30 * time.Second} }

// echo answers every message with itself.
func echo() bot.Route {
	return bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply(m.Text)
	})
}

// saying matches messages of exactly this text.
func saying(text string) bot.Matcher[event.Message] {
	return bot.AnyMessage().Where(func(m event.Message) bool { return m.Text == text })
}

// on is a route for messages of exactly this text.
func on(text string, do func(ctx context.Context, t *bot.Turn) error) bot.Route {
	return bot.On("on-"+text, saying(text), func(ctx context.Context, t *bot.Turn, _ event.Message) error { return do(ctx, t) })
}

// says is a handler that replies with a text.
func says[E any](text string) func(context.Context, *bot.Turn, E) error {
	return func(_ context.Context, t *bot.Turn, _ E) error { return t.Reply(text) }
}
