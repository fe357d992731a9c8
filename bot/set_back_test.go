package bot_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// change changes the database of a stopped bot.
func change(t *testing.T, w *bottest.World, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", w.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, s := range statements {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), s); err != nil {
			t.Fatal(err)
		}
	}
}

// setBacks returns how often a cursor was set back, by the log, in which lines begin since.
func setBacks(w *bottest.World) int {
	return strings.Count(w.Log(), "a cursor stood above what the platform shows")
}

// poisonings are what an earlier version, that believed every id, may have left in the database.
var poisonings = map[string]string{
	"notifications":                  `UPDATE cursor SET number = 9223372036854775807 WHERE source = 2`,
	"mentions":                       `UPDATE cursor SET number = 9223372036854775807 WHERE source = 3`,
	"chats":                          `UPDATE cursor SET number = 9223372036854775807 WHERE source = 1 AND peer > 0`,
	"the beginning of the messages":  `UPDATE cursor SET number = 9223372036854775807 WHERE source = 1 AND peer = 0`,
	"everything":                     `UPDATE cursor SET number = 9223372036854775807`,
	"everything, not absurd by much": `UPDATE cursor SET number = number + 500`,
	"everything, a billion":          `UPDATE cursor SET number = number + 1000000000`,
	"the lists' beginnings, too":     `UPDATE cursor SET number = 9223372036854775807, mark = 9223372036854775807 WHERE source = 2 OR source = 3`,
	"cursors, and the rows":          `UPDATE cursor SET number = 9223372036854775807; INSERT INTO event SELECT shard, account, source, 9223372036854775807, peer, kind, name, username, 'strange', image, 0, subject, seen_at, not_before, state, tries, handled_at, route, outcome, note, late, rule, rules_version, before, why, said_at FROM event WHERE number IN (SELECT min(number) FROM event GROUP BY source)`,
}

// A database that was left with cursors above all that the platform shows heals by itself: what people do from then on,
// and what they did while nobody heard them, is answered once. The log says so, and it is counted.
func TestPoisonedDatabase(t *testing.T) {
	t.Parallel()
	for name, poison := range poisonings {
		for _, missed := range []bool{false, true} {
			name := fmt.Sprintf("%s, missed %v", name, missed)
			if !effort.Some(name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{Routes: courteous(), Bot: brisk()}, func(w *bottest.World) { heals(t, w, poison, missed) })
			})
		}
	}
}

// everybody are those who deal with the bot, with what each does.
func everybody(w *bottest.World) (all []*bottest.Person, act, hear func(text string)) {
	post := w.Posts("menu")
	ana, leo := w.Person("ana"), w.Person("leo")
	n := 0
	act = func(text string) {
		n++
		ana.Says(text)
		leo.Mentions(text)
		w.Person(fmt.Sprint("liker", n)).Likes(post)
		w.Person(fmt.Sprint("new", n)).Says(text)
	}
	hear = func(text string) {
		ana.Expects(text)
		leo.Expects("you wrote: @bot " + text)
		w.Person(fmt.Sprint("liker", n)).Expects("thank you")
		w.Person(fmt.Sprint("new", n)).Expects(text)
	}
	return []*bottest.Person{ana, leo}, act, hear
}

func heals(t *testing.T, w *bottest.World, poison string, missed bool) {
	t.Helper()
	people, act, hear := everybody(w)
	for _, text := range []string{"one", "two", "three"} {
		act(text)
		hear(text)
	}
	w.Advance(time.Minute)
	w.Stop()
	if missed {
		act("missed")
	}
	change(t, w, poison)
	w.Start()
	if missed {
		hear("missed")
	}
	for _, text := range []string{"four", "five"} {
		began := time.Now()
		act(text)
		hear(text)
		inTime(t, began)
		w.Advance(time.Minute)
	}
	counted := 0
	for _, h := range w.Bot().Health() {
		counted += h.SetBack
	}
	if lines := setBacks(w); lines == 0 || counted != lines {
		t.Errorf("%d lines tell that a cursor was set back, %d were counted", lines, counted)
	}
	before := setBacks(w)
	w.Restart()
	act("six")
	hear("six")
	quiet(w, people...)
	if again := setBacks(w) - before; again != 0 {
		t.Errorf("healed %d times more", again)
	}
}

// Where nothing is wrong, nothing is set back, over restarts and crashes, rows that vanish and messages that are deleted.
func TestNothingIsSetBack(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: courteous(), Bot: brisk()}, func(w *bottest.World) {
		people, act, hear := everybody(w)
		for i, text := range []string{"one", "two", "three", "four", "five", "six"} {
			act(text)
			hear(text)
			mia := w.Person(fmt.Sprint("mia", i))
			mia.Follows()
			mia.Expects("welcome")
			w.Advance(time.Minute)
			mia.Unfollows()
			switch i {
			case 1:
				w.Restart()
			case 3:
				w.Crash()
			}
		}
		quiet(w, people...)
		if n := setBacks(w); n != 0 {
			t.Errorf("%d times", n)
		}
	})
}

// So many rows with absurd ids that they are believed, which vanish, make nobody unheard for long.
func TestManyAbsurdIDs(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	for how, then := range afterwards {
		t.Run(how, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: courteous(), Bot: brisk()}, func(w *bottest.World) {
				account := w.Platform().UserID("bot")
				people, act, hear := everybody(w)
				act("one")
				hear("one")
				for i := range 10 {
					w.Platform().Misnumber(emulator.Misnumbered{To: account, As: int64(1<<61 + i)})
					visitor := w.Person(fmt.Sprint("guest", i))
					visitor.Follows()
					w.Platform().Misnumber(emulator.Misnumbered{From: people[0].ID(), To: account, As: int64(1<<61 + i)})
					people[0].Says(fmt.Sprint("strange ", i))
				}
				for i := range 10 {
					w.Person(fmt.Sprint("guest", i)).Expects("welcome")
					people[0].Expects(fmt.Sprint("strange ", i))
				}
				w.Advance(2 * time.Minute)
				w.Platform().Renumber(true)
				then(w)
				for _, text := range []string{"two", "three"} {
					began := time.Now()
					act(text)
					hear(text)
					inTime(t, began)
					w.Advance(time.Minute)
				}
				quiet(w, people...)
				if setBacks(w) == 0 {
					t.Error("nothing was set back")
				}
			})
		})
	}
}
