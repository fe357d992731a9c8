package autoresponder_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// echoing is a rule file that says what was said.
func echoing(more string) string {
	return "version: 1\nname: test\nstatus: live\n" + more + "rules:\n  - id: echo\n    when: message\n    then:\n" +
		"      - reply: \"{{text|nothing}}\"\n    limits: { per_person: 999 per 1h }\n"
}

// What was held in quiet hours is said in its order.
func TestHeldInOrder(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	night := tuesday.Add(13 * time.Hour)
	runHours(t, folderOf(t, "10-a.yaml", echoing("quiet_hours: 22:00-08:00\n")), night, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		w.Advance(5 * time.Minute)
		ana.Says("two", "three")
		ana.ExpectsNothing(8 * time.Hour)
		w.Restart()
		w.Advance(2 * time.Hour)
		ana.Expects("one", "two", "three")
	})
}

// Answers that wait for a while leave in the order of the questions, over a crash, too.
func TestAnswersInTurn(t *testing.T) {
	t.Parallel()
	runHours(t, folderOf(t, "10-a.yaml", echoing("defaults: { reply_after: 1s..40m }\n")), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		var want []string
		for i := range 12 {
			want = append(want, fmt.Sprint("message ", i))
			ana.Says(want[i])
			if i%4 == 2 {
				w.Advance(5 * time.Minute)
				w.Crash()
			}
		}
		w.Advance(time.Hour)
		ana.Expects(want...)
	})
}

// While files are taken over again and again, every message is answered, once.
func TestReloadLosesNothing(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", echoing(""))
	runs(t, autoresponder.Config{Path: dir, Look: 50 * time.Millisecond}, 100*time.Millisecond, tuesday, func(w *bottest.World) {
		people := []*bottest.Person{w.Person("ana"), w.Person("leo"), w.Person("mia"), w.Person("tom")}
		var want []string
		for i := range 16 {
			write(t, dir, "10-a.yaml", echoing(fmt.Sprintf("# %d\n", i)))
			if i%5 == 3 {
				write(t, dir, "10-a.yaml", "version: [")
			}
			want = append(want, fmt.Sprint("message ", i))
			for _, p := range people {
				p.Says(want[i])
			}
			w.Advance(time.Duration(i%7) * 60 * time.Millisecond)
		}
		for _, p := range people {
			p.Expects(want...)
			p.ExpectsNothing(5 * time.Second)
		}
	})
}

// What was taken back when one of our people took the conversation over holds up nothing afterwards.
func TestOrderAfterATakeover(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	rules := "version: 1\nname: test\nstatus: live\ndefaults: { limits: { per_person: 99 per 1h } }\nrules:\n" +
		"  - id: slow\n    when: message\n    if: { text: { any_word: slow } }\n    reply_after: 5h\n    then: [{ reply: slowly }]\n" +
		"  - id: fast\n    when: message\n    if: { text: { any_word: fast } }\n    then: [{ reply: at once }]\n"
	for name, takeOver := range map[string]func(w *bottest.World, ana *bottest.Person){
		"on the phone": func(w *bottest.World, ana *bottest.Person) { w.Account("bot").Tells(ana, "this is Mia") },
		"by a command": func(w *bottest.World, ana *bottest.Person) {
			w.Ask(event.Request{Key: w.Conversation(ana).Key, Wish: event.WishTakeOver, Owner: "mia"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			runHours(t, folderOf(t, "10-a.yaml", rules), tuesday, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("slow")
				w.Advance(10 * time.Minute)
				takeOver(w, ana)
				w.Advance(10 * time.Minute)
				w.Crash()
				w.Ask(event.Request{Key: w.Conversation(ana).Key, Wish: event.WishGiveBack})
				w.Advance(10 * time.Minute)
				ana.Says("fast")
				ana.Expects("at once")
				ana.ExpectsNothing(6 * time.Hour)
			})
		})
	}
}
