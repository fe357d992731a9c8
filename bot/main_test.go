package bot_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform/emulator"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	effort.Rapid("15")
	outbox.Strict = true
	goleak.VerifyTestMain(effort.Choosing(m))
}

// dialects are those of the platform; some of them where few are enough. Where no answer names what was made, the bot's own messages are taken
// for those of a person of ours as soon as they are read: a known limit, see docs/reliability.md.
func dialects() []emulator.NamedDialect {
	all := emulator.Dialects()
	if !effort.Few() {
		return all
	}
	return slices.DeleteFunc(all, func(d emulator.NamedDialect) bool { return len(d.Name)%5 != 0 })
}

// rarely is a bot that polls rarely, for tests in which hours pass.
func rarely() bot.Config { return bot.Config{PollInterval: 30 * time.Second} }

// unasked is rarely for tests in which nobody asks the bot for anything: to look for that each second is much of what an idle hour costs.
func unasked() bot.Config {
	cfg := rarely()
	cfg.RequestPause = time.Minute
	return cfg
}

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
