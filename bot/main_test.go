package bot_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"sync"
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
	goleak.VerifyTestMain(choosing{m})
}

// few reports whether a part of what repeats is enough: with the race detector and with -short.
func few() bool { return racing || testing.Short() }

// long leaves a test out of -short that takes long, and has relatives that do not.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long")
	}
}

// sampled reports whether the n-th of many cases is run: each fifth where few are enough.
func sampled(n int) bool { return !few() || n%5 == 0 }

// some reports whether the case of that name is run: about one in three where few are enough, always the
// same ones.
func some(name string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	chosen := !few() || h.Sum32()%3 == 0
	_, file, line, _ := runtime.Caller(1)
	choices.Lock()
	defer choices.Unlock()
	place := fmt.Sprintf("%s:%d", file, line)
	choices.chosen[place] = choices.chosen[place] || chosen
	return chosen
}

// oneOf reports whether the n-th of several cases is run where one is enough: which it is depends on the test.
func oneOf(t *testing.T, n, cases int) bool {
	t.Helper()
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.Name()))
	return !few() || int(h.Sum32()%uint32(cases)) == n
}

// choices remembers who asked some, and whether a case was chosen there.
var choices = struct {
	sync.Mutex
	chosen map[string]bool
}{chosen: map[string]bool{}}

// choosing fails when all cases of a test are left out.
type choosing struct{ *testing.M }

func (m choosing) Run() int {
	code := m.M.Run()
	for place, chosen := range choices.chosen {
		if !chosen {
			fmt.Fprintf(os.Stderr, "%s: no case is run where few are enough: call one otherwise\n", place)
			code = max(code, 1)
		}
	}
	return code
}

// dialects are those of the platform; some of them where few are enough.
func dialects() []emulator.NamedDialect {
	all := emulator.Dialects()
	if !few() {
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
