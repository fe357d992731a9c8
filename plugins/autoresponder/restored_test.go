package autoresponder_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
)

const restoredFile = `version: 1
name: test
status: live
rules:
  - id: hello
    when: message
    if: { text: { any_word: hello } }
    then: [{ reply: "Hello {{first_name|you}}, we are here all day." }]
    limits: { per_person: 99 per 1h }
  - id: price
    when: message
    if: { text: { any_word: price } }
    then: [{ reply: [ "It costs 5 euros.", "Five euros, as always." ] }]
    limits: { per_person: 99 per 1h }
`

// After a copy was put back, what a rule in force says counts as the bot's, with whatever it says of a person; what the owner wrote as hers; and
// whoever has asked for silence since the copy is left alone.
func TestRulesOfACopy(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", restoredFile, "settings.yaml", "version: 1\nstop_words: [stop]\n")
	runHours(t, dir, tuesday, func(w *bottest.World) {
		ana, leo, mia := w.Person("ana"), w.Person("leo"), w.Person("mia")
		w.Stop()
		copied := w.Backup()
		w.Start()
		ana.Says("hello, what is the price?")
		leo.Says("hello")
		mia.Says("price?")
		w.Advance(10 * time.Minute)
		for _, p := range []*bottest.Person{ana, leo, mia} {
			p.Hears()
		}
		mia.Says("stop")
		w.Account("bot").Tells(leo, "Leo, this is Ines myself")
		w.Advance(10 * time.Minute)
		mia.Hears()
		w.Stop()
		w.PutBack(copied, true)
		w.Start()
		w.Advance(10 * time.Minute)
		ana.Says("hello again")
		leo.Says("hello again")
		mia.Says("hello again")
		w.Advance(10 * time.Minute)
		if heard := ana.Hears(); !strings.HasPrefix(heard, "Hello ") {
			t.Errorf("ana has heard %q", heard)
		}
		ana.ExpectsNothing(time.Hour)
		leo.ExpectsNothing(time.Hour)
		mia.ExpectsNothing(time.Hour)
		if c := w.Conversation(leo); c.Owner == "" {
			t.Error("nobody has the conversation with leo")
		}
		nothingFailed(t, w)
	})
}
