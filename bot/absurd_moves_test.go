package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A message that shows one absurd id after the other, and then its own, is answered once.
func TestMessageThatShowsTwoAbsurdIDs(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana := w.Person("ana")
		account := w.Platform().UserID("bot")
		ana.Says("zero")
		ana.Expects("zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: account, As: id})
		ana.Says("one")
		ana.Expects("one")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: account, As: 1 << 50, Last: true})
		ana.Says("two")
		ana.Expects("two")
		w.Platform().Renumber(false)
		then(w)
		began := time.Now()
		ana.Says("three")
		ana.Expects("three")
		inTime(t, began)
		quiet(w, ana)
	})
}

// The first message that an account ever gets has nothing beside which its id is absurd. When others show that it is, the
// cursor is set back, and the message is not answered again.
func TestFirstMessageWithAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo := w.Person("ana"), w.Person("leo")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Platform().UserID("bot"), As: id})
		ana.Says("one")
		ana.Expects("one")
		w.Advance(time.Second) // the answer is stored: it stands above nothing that is known
		w.Platform().Renumber(false)
		then(w)
		for _, p := range []*bottest.Person{leo, ana} {
			began := time.Now()
			p.Says("two")
			p.Expects("two")
			inTime(t, began)
		}
		quiet(w, ana, leo)
	})
}

// A message that was answered under an absurd id comes to show its own where the bot does not look any more. When it looks there once more, a while later,
// it is the same message.
func TestAbsurdNumberFoundLate(t *testing.T) {
	answers := bot.On("answers", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		if m.Text == "hm" {
			return nil
		}
		return t.Reply("got " + m.Text)
	})
	eachAbsurd(t, bottest.Config{Routes: []bot.Route{answers}}, func(_ *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		ana := w.Person("ana")
		says := func(text string) {
			ana.Says(text)
			ana.Expects("got " + text)
		}
		misnumber := func(as int64) {
			w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Account("bot").ID(), As: as})
		}
		says("one")
		misnumber(id)
		says("two")
		says("three")
		w.Advance(time.Minute)
		w.Platform().Renumber(false)
		says("four")
		w.Advance(20 * time.Minute)
		misnumber(3) // the list promises what is not above the cursor: all is looked at
		ana.Says("hm")
		w.Advance(time.Minute)
		then(w)
		says("five")
		quiet(w, ana)
	})
}
