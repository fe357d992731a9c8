package autoresponder_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// welcoming is a folder with a rule that stops itself.
func welcoming(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "10-welcome.yaml", `version: 1
status: live
rules:
  - id: welcome
    when: follow
    then:
      - message: "Welcome, {{first_name|friend}}!"
    limits: { per_person: 1 ever }
    if_too_many: { more_than: 2 in 1h, then: pause_and_notify, who: team }
`)
	write(t, dir, "settings.yaml", "version: 1\nwho: { team: {} }\n")
	return dir
}

// A rule that stopped itself goes on when a person says so, and begins to count anew.
func TestPausedRuleGoesOn(t *testing.T) {
	t.Parallel()
	run(t, welcoming(t), tuesday, func(w *bottest.World) {
		follower := func(n int) *bottest.Person {
			p := w.Person(fmt.Sprint("guest", n))
			p.Follows()
			return p
		}
		for n := range 2 {
			follower(n).ExpectsPart("Welcome")
		}
		follower(2).ExpectsNothing(10 * time.Minute)
		w.Inspect(func(d inspect.Inspector) {
			ctx := context.Background()
			if err := d.ForgetUses(ctx, "bot", rules.TooManyLimit("welcome")); err != nil {
				t.Fatal(err)
			}
			if gone, err := d.RemoveEntry(ctx, "bot", "paused", "welcome"); err != nil || !gone {
				t.Fatalf("%v: %v", gone, err)
			}
		})
		for n := 3; n < 5; n++ {
			follower(n).ExpectsPart("Welcome")
		}
		follower(5).ExpectsNothing(10 * time.Minute)
	})
}

// However many people there are at once, the team is told once that a rule stopped itself.
func TestPausedOnce(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Start: tuesday, CommitTime: 5 * time.Second, // everybody is looked at before anything is stored
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: welcoming(t), Log: log}, st)
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		for n := range 8 {
			w.Person(fmt.Sprint("early", n)).Follows()
		}
		w.Advance(time.Minute)
		for n := range 8 {
			w.Person(fmt.Sprint("late", n)).Follows()
		}
		w.Advance(time.Minute)
		if told := strings.Count(w.Log(), "and is paused"); told != 1 {
			t.Errorf("the team was told %d times:\n%s", told, w.Log())
		}
	})
}
