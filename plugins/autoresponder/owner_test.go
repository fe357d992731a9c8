package autoresponder_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// When a person of ours has written in the middle of the questions, nobody is reminded of them afterwards,
// and what is written then is for the rules.
func TestTakenOverInTheMiddle(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runHours(t, reference(t, live...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("wedding quote")
		ana.ExpectsPart("What date is the event?")
		w.Account("bot").Tells(ana, "Hello Ana, this is Ines. I shall call you.")
		w.Advance(5 * time.Minute)
		ana.Says("thank you")
		ana.ExpectsNothing(14 * time.Hour) // the bot speaks again by then
		if c := w.Conversation(ana); c.Owner != "" {
			t.Errorf("%s has the conversation", c.Owner)
		}
		ana.Says("what's the price of the box?")
		ana.ExpectsPart("The small box is 12")
		if c := w.Conversation(ana); c.Flow.Active() {
			t.Errorf("the conversation stands at %s", c.Flow.State)
		}
		nothingFailed(t, w)
	})
}

// What somebody wrote just before a person of ours answered is not answered when the bot speaks again.
func TestTakenOverInABurst(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	runHours(t, reference(t, append(live, "merge_messages: 6s", "merge_messages: 10m")...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("are you open?")
		w.Advance(3 * time.Minute)
		w.Account("bot").Tells(ana, "Yes, until six!")
		w.Advance(30 * time.Minute)
		w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishGiveBack})
		ana.ExpectsNothing(3 * time.Hour)
		ana.Says("what's the price of the box?")
		w.Advance(15 * time.Minute)
		ana.ExpectsPart("The small box is 12")
		nothingFailed(t, w)
	})
}

// What is prepared for approval is prepared once, whatever the person writes meanwhile.
func TestPreparedOnce(t *testing.T) {
	t.Parallel()
	run(t, reference(t, "status: watch ", "status: ask "), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		for _, said := range []string{"are you open?", "hello? are you open?", "are you open"} {
			ana.Says(said)
			w.Advance(time.Minute)
		}
		if a := held(t, w); len(a) != 1 {
			t.Fatalf("held: %+v", a)
		}
		w.Crash()
		ana.Says("are you open now?")
		w.Advance(time.Minute)
		if a := held(t, w); len(a) != 1 {
			t.Fatalf("held: %+v", a)
		}
		approve(t, w)
		ana.ExpectsPart(hoursAnswer)
		ana.Says("are you open?")
		w.Advance(time.Minute)
		if a := held(t, w); len(a) > 0 {
			t.Fatalf("held, though the limit is used up: %+v", a)
		}
	})
}

// Nothing that people write makes a turn fail, however long it is.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	says := "\"{{text|nothing}} {{name|you}}\"\n"
	dir := folderOf(t, "10-a.yaml", "version: 1\nname: test\nstatus: live\ndefaults: { limits: { per_person: 99 per 1h } }\nrules:\n"+
		"  - id: echo\n    when: [message, mention, reply]\n    then:\n      - reply: "+says)
	run(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says(strings.Repeat("{{name}} ", 300), "\u200b", "%s &#0;", strings.Repeat("é", 3000))
		ana.Mentions("@bot " + strings.Repeat("look ", 119))
		w.Advance(10 * time.Minute)
		nothingFailed(t, w)
	})
}

// nothingFailed checks that no turn failed for good.
func nothingFailed(t *testing.T, w *bottest.World) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		rows, err := d.Events(context.Background(), record.EventQuery{Account: "bot", State: record.EventQuarantined, Limit: 10})
		if err != nil || len(rows) > 0 {
			t.Errorf("failed: %+v, %v", rows, err)
		}
	})
	if log := w.Log(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "quarantine") {
		t.Errorf("the log tells of failures:\n%s", log)
	}
}
