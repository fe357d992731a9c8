package remote_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// This program has no driver: whatever is to be done with a URL says in one line what to import, and repeats nothing of the URL.
func TestWithoutADriver(t *testing.T) {
	t.Parallel()
	const url = "postgres://bot:geheim@db.example/nectar"
	for name, do := range map[string]func() error{
		"a store": func() error {
			_, err := bot.OpenStore(t.Context(), bot.StoreOptions{Path: url, Key: "key"})
			return err
		},
		"a worker": func() error {
			return bot.RunWorker(t.Context(), bot.WorkerConfig{
				Name: "a", Store: bot.StoreOptions{Path: url, Key: "key"},
				Accounts: func(context.Context, int) ([]bot.Account, error) { return nil, nil },
				Serve:    func(context.Context, *bot.Working) error { return errors.New("it serves") },
			})
		},
		"an inspector": func() error {
			_, err := inspect.Open(t.Context(), url, "key")
			return err
		},
		"a setting": func() error { return new(config.StoreFile).UnmarshalText([]byte(url)) },
	} {
		err := do()
		if err == nil {
			t.Errorf("%s: nothing is wrong", name)
			continue
		}
		text := err.Error()
		if !strings.HasSuffix(text, `add the line import _ "github.com/nectar-bot/nectar/bot/postgres" to it`) || strings.Contains(text, "\n") || strings.Contains(text, "geheim") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if name := remote.NameOf(url); name != "the database" {
		t.Errorf("it is called %q", name)
	}
}
