package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
)

// rereads asks for all that the platform shows of two people to be read again.
func rereads(w *bottest.World, ids map[*bottest.Person][]event.ID) []event.Request {
	var asked []event.Request
	for p, events := range ids {
		asked = append(asked, w.Ask(event.Request{
			Key: event.Key{Account: "bot", Peer: p.ID()}, Wish: event.WishReread, Events: events, AskedAt: time.Now(),
		})...)
	}
	return asked
}

// What is asked to be read again is answered once, whether the bot runs, is started for it, or dies at that moment; and
// what is asked twice comes to nothing the second time.
func TestReread(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]func(w *bottest.World, ask func()){
		"while it runs":        func(w *bottest.World, ask func()) { w.Start(); w.Advance(time.Minute); ask() },
		"before it is started": func(w *bottest.World, ask func()) { ask(); w.Start() },
		"before it dies": func(w *bottest.World, ask func()) {
			w.Start()
			w.Advance(time.Minute)
			ask()
			for range 4 {
				w.Advance(350 * time.Millisecond)
				w.Crash()
			}
		},
		"twice": func(w *bottest.World, ask func()) { ask(); w.Start(); w.Advance(time.Minute); ask() },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: courteous(), Bot: bot.Config{PollInterval: 5 * time.Second}}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				for _, text := range []string{"one", "two", "three"} {
					ana.Says(text)
					ana.Expects(text)
				}
				leo.Mentions("one")
				leo.Expects("you wrote: @bot one")
				w.Advance(20 * time.Minute) // nobody sweeps any more
				w.Stop()
				// They were never heard, and nothing shows it.
				change(t, w, `DELETE FROM event WHERE text IN ('two', 'three')`, `UPDATE action SET key = 'x' || key`)
				var ids []event.ID
				for _, m := range w.Platform().Messages(ana.ID(), w.Account("bot").ID()) {
					if m.Own && m.Text != "one" {
						ids = append(ids, event.ID{Source: event.Messages, Number: int64(m.ID)})
					}
				}
				wish := map[*bottest.Person][]event.ID{ana: ids}
				how(w, func() { rereads(w, wish) })
				ana.Expects("two", "three")
				began := time.Now()
				ana.Says("four")
				ana.Expects("four")
				leo.Mentions("three")
				leo.Expects("you wrote: @bot three")
				if took := time.Since(began); took > time.Minute {
					t.Errorf("the answers took %v", took)
				}
				quiet(w, ana, leo)
				for _, q := range rereads(w, wish) { // it is known now
					w.Advance(5 * time.Second)
					if a := w.Answer(q); a.Outcome != bot.OutcomeObsolete || a.Note != "none of it is missing any more" {
						t.Errorf("the answer is %+v", a)
					}
				}
			})
		})
	}
}

// What was missed for long is as old as it is: rules about age count from what was heard last.
func TestMissedIsOld(t *testing.T) {
	t.Parallel()
	route := echo().Within(time.Hour)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{route}, Bot: bot.Config{PollInterval: 30 * time.Second}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		ana.Expects("one")
		w.Advance(20 * time.Minute)
		w.Stop()
		change(t, w, `UPDATE cursor SET number = 9223372036854775807 WHERE source = 1`)
		id := w.Platform().Say(ana.ID(), w.Account("bot").ID(), "two")
		w.Advance(3 * time.Hour)
		w.Start()
		ana.ExpectsNothing(10 * time.Minute)
		w.Inspect(func(d inspect.Inspector) {
			row, ok, err := d.Event(context.WithoutCancel(t.Context()), "bot", event.ID{Source: event.Messages, Number: int64(id)})
			if err != nil || !ok || row.Record.Outcome != bot.OutcomeLate {
				t.Errorf("%v, %v: %+v", ok, err, row)
			}
		})
		ana.Says("three")
		ana.Expects("three")
	})
}
