package bot_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What the bot itself has sent may show an absurd id: nobody of ours has written it.
func TestOwnMessageWithAnAbsurdID(t *testing.T) {
	effort.Long(t)
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana := w.Person("ana")
		ana.Says("zero")
		ana.Expects("zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: w.Platform().UserID("bot"), To: ana.ID(), As: id})
		ana.Says("one")
		ana.Expects("one")
		w.Advance(time.Second)
		w.Platform().Renumber(false)
		then(w)
		for _, text := range []string{"two", "three"} {
			began := time.Now()
			ana.Says(text)
			ana.Expects(text)
			inTime(t, began)
		}
		w.Advance(2 * time.Minute)
		if c := w.Conversation(ana); c.Owner != "" {
			t.Errorf("the conversation belongs to %q", c.Owner)
		}
		quiet(w, ana)
	})
}

// An answer that was lost behind an absurd id is found by reading, and not sent again.
func TestLostAnswerBehindAnAbsurdID(t *testing.T) {
	effort.Long(t)
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana := w.Person("ana")
		ana.Says("zero")
		ana.Expects("zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Platform().UserID("bot"), As: id})
		w.Disturb("send_message", emulator.CutAfter)
		ana.Says("one")
		ana.Expects("one")
		w.Platform().Renumber(false)
		then(w)
		ana.ExpectsNothing(5 * time.Minute)
		w.Disturb("send_message", emulator.CutAfter)
		ana.Says("two")
		ana.Expects("two")
		quiet(w, ana)
	})
}

// Where the chat list is all that is known, an answer with an absurd id hides none of the bot's own words.
func TestSnapshotOfOwnWordsBehindAnAbsurdID(t *testing.T) {
	listed := listed(listOnly[0], &line{}, func(said string) string { return "re: " + said })
	eachAbsurd(t, listed, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo := w.Person("ana"), w.Person("leo")
		leo.Says("zero")
		leo.Expects("re: zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: w.Platform().UserID("bot"), To: leo.ID(), As: id})
		leo.Says("one")
		leo.Expects("re: one")
		w.Advance(2 * time.Minute)
		w.Platform().Renumber(false)
		ana.Says("two")
		for len(w.Decisions(ana)) == 0 {
			w.Advance(100 * time.Millisecond)
		}
		then(w) // before a list shows what was answered
		ana.Expects("re: two")
		quiet(w, ana, leo)
	})
}
