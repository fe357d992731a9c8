package autoresponder_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// A timer of the rules that comes due while none are in force, or in a program without the plugin, is not used up: it
// has its turn when they are back, however late when a person wants that, and its decision can be told again.
func TestTimersWhileNoRulesAreInForce(t *testing.T) {
	t.Parallel()
	const late = "version: 1\nname: late\nstatus: live\ndefaults: { answer_within: 1h }\nrules:\n  - id: late\n    when: silence\n    after: 1h\n" +
		"    then: [{ reply: Somebody answers soon. }]\n    limits: { per_person: 9 per 1h }\n"
	v, report := check.Check(rules.Sources{"10-late.yaml": []byte(late)})
	if v == nil {
		t.Fatal(report.Problems)
	}
	inForce := func() []bot.Route {
		h := rules.NewHandler()
		h.Use(v)
		return h.Routes()
	}
	for name, c := range map[string]struct {
		without []bot.Route
		retried bool
	}{
		"none in force": {rules.NewHandler().Routes(), true},
		"no plugin":     {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Start: tuesday, Routes: inForce(), Bot: bot.Config{PollInterval: time.Minute}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hello")
				w.Advance(30 * time.Minute)
				w.Deploy(func(b *bottest.Config) { b.Routes = c.without })
				ana.ExpectsNothing(time.Hour)
				if c.retried {
					w.Advance(4 * time.Hour)
					w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishRetry})
				}
				w.Deploy(func(b *bottest.Config) { b.Routes = inForce() })
				ana.Expects("Somebody answers soon.")
				ana.ExpectsNothing(2 * time.Hour)
				decisions := w.Decisions(ana)
				w.Inspect(func(d inspect.Inspector) {
					r, ok, err := d.Why(context.Background(), "bot", decisions[len(decisions)-1].Trigger)
					if err != nil || !ok {
						t.Fatal(ok, err)
					}
					x, ok, err := replay.Explain(v, &r)
					if err != nil || !ok || len(x.Differs) > 0 || x.Decision.Outcome != decision.Answered {
						t.Errorf("decided again, it ends as %q: %v, %v, %v", x.Decision.Outcome, x.Differs, ok, err)
					}
				})
			})
		})
	}
}
