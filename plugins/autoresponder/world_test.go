package autoresponder_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	effort.Rapid("20")
	goleak.VerifyTestMain(effort.Choosing(m))
}

// reference copies the reference files into a folder. changes are old and new texts, in turn.
func reference(t *testing.T, changes ...string) string {
	t.Helper()
	const from = "../../handlers/rules/testdata/reference"
	names, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, n := range names {
		content, err := os.ReadFile(filepath.Join(from, n.Name()))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, n.Name(), strings.NewReplacer(changes...).Replace(string(content)))
	}
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// live are the changes that let the files act which are on watch, or ask.
var live = []string{"status: watch ", "status: live ", "status: ask  ", "status: live "}

// tuesday is a working day in Lisbon, ten o'clock; the clock there is UTC then.
var tuesday = time.Date(2027, time.March, 2, 10, 0, 0, 0, time.UTC)

// run runs a test with a bot that answers by the files of a folder.
func run(t *testing.T, dir string, start time.Time, test func(w *bottest.World)) {
	t.Helper()
	runs(t, autoresponder.Config{Path: dir, Look: 20 * time.Second}, 30*time.Second, start, test)
}

// runHours is run for a test in which hours pass: everything is looked at less often.
func runHours(t *testing.T, dir string, start time.Time, test func(w *bottest.World)) {
	t.Helper()
	runs(t, autoresponder.Config{Path: dir, Look: 2 * time.Minute}, 2*time.Minute, start, test)
}

func runs(t *testing.T, cfg autoresponder.Config, poll time.Duration, start time.Time, test func(w *bottest.World)) {
	t.Helper()
	bottest.Run(t, bottest.Config{
		Start: start,
		Bot:   bot.Config{PollInterval: poll, RequestPause: poll / 2, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			cfg.Log = log
			p, err := autoresponder.New(cfg, st)
			return []bottest.Plugin{p}, err
		},
	}, test)
}

// held returns the actions that wait for a person.
func held(t *testing.T, w *bottest.World) (actions []event.Action) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if actions, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 100}); err != nil {
			t.Fatal(err)
		}
	})
	return actions
}

// approve releases everything that waits for a person.
func approve(t *testing.T, w *bottest.World) {
	t.Helper()
	for _, a := range held(t, w) {
		w.Ask(event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key})
	}
}
