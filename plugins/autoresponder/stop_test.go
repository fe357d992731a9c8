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
)

const stopFile = `version: 1
name: test
status: live
rules:
  - id: offer
    when: message
    if: { text: { any_word: offer } }
    then:
      - wait: 40m
      - message: our offer
    limits: { per_person: 99 per 1h }
  - id: human
    when: message
    if: { text: { any_word: human } }
    then: [{ handoff: { to: team, bot_returns: after 2h of silence } }]
    limits: { per_person: 99 per 1h }
  - id: hello
    when: [message, mention]
    if: { text: { any_word: hello } }
    then: [{ reply: hello }]
    limits: { per_person: 99 per 1h }
  - id: silent
    when: silence
    after: 3h
    then: [{ message: somebody answers soon }]
    limits: { per_person: 99 per 1h }
`

// Whoever asks to be left alone while one of our people has the conversation hears nothing any more, neither what was
// decided before nor what comes later, until they write a start word; over a crash, too.
func TestStopWhileOwned(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := folderOf(t, "10-a.yaml", stopFile, "settings.yaml", "version: 1\nstop_words: [stop]\nwho: { team: {} }\n")
	runHours(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("what do you offer?")
		ana.Says("and somebody who knows?") // nobody answers: the rule on silence waits
		w.Advance(5 * time.Minute)
		ana.Says("a human, please")
		w.Advance(5 * time.Minute)
		ana.Says("Stop!")
		w.Advance(5 * time.Minute)
		w.Crash()
		w.Advance(3 * time.Hour)
		if c := w.Conversation(ana); c.Owner != "" {
			t.Errorf("%s has the conversation", c.Owner)
		}
		ana.Mentions("hello @bot")
		ana.ExpectsNothing(3 * time.Hour)
		if strings.Contains(w.Log(), "a problem in") {
			t.Error(w.Log())
		}
		ana.Says("hello")
		ana.ExpectsNothing(time.Hour)
		ana.Says("start, hello")
		ana.Expects("hello")
		nothingFailed(t, w)
	})
}

// Whoever asks for silence gets one answer, and no other before a start word, over a crash; people of ours hear what
// they write meanwhile, once a day.
func TestStopAndStart(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", stopFile, "settings.yaml", "version: 1\nlanguage: es\nstop_words: [baja]\nwho: { team: {} }\n")
	runHours(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("what do you offer?") // answered in 40 minutes
		w.Advance(5 * time.Minute)
		ana.Says("baja, por favor")
		ana.Expects("No enviaremos más mensajes automáticos. Escribe ALTA para volver a recibirlos.")
		w.Crash()
		ana.Says("baja")
		ana.Says("hello")
		ana.Says("hello?")
		ana.Mentions("hello @bot")
		ana.ExpectsNothing(5 * time.Hour)
		if n := strings.Count(w.Log(), "asked for silence, and is not answered: message from @ana: hello"); n != 1 {
			t.Errorf("the team is told %d times\n%s", n, w.Log())
		}
		var kept []event.Entry
		w.Inspect(func(d inspect.Inspector) {
			var err error
			if kept, err = d.Entries(context.Background(), "bot", "unanswered", "", 9); err != nil {
				t.Error(err)
			}
		})
		if len(kept) != 3 {
			t.Errorf("unanswered are %+v", kept)
		}
		ana.Says("alta")
		ana.Says("hello")
		ana.Expects("hello")
		nothingFailed(t, w)
	})
}
