package autoresponder_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// A rule that stopped itself goes on when a person says so, and begins to count anew.
func TestPausedRuleGoesOn(t *testing.T) {
	t.Parallel()
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
	run(t, dir, tuesday, func(w *bottest.World) {
		follower := func(n int) *bottest.Person {
			p := w.Person(fmt.Sprint("guest", n))
			p.Follows()
			return p
		}
		for n := range 2 {
			follower(n).ExpectsPart("Welcome")
		}
		follower(2).ExpectsNothing(10 * time.Minute)
		w.AtDesk(func(d *store.Desk) {
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
