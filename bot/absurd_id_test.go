package bot_test

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// absurd are ids far above all that a platform has given out.
var absurd = map[string]int64{"2^63-1": math.MaxInt64, "2^31-1": math.MaxInt32}

// brisk is a bot that polls often.
func brisk() bot.Config { return bot.Config{PollInterval: 250 * time.Millisecond} }

// courteous answers what people do, each in words of its own.
func courteous() []bot.Route {
	return []bot.Route{
		echo(), mentioned(),
		bot.On("follow", bot.AnyFollow(), says[event.Follow]("welcome")),
		bot.On("like", bot.AnyLike(), says[event.Like]("thank you")),
	}
}

// afterwards is what becomes of the bot behind an absurd id.
var afterwards = map[string]func(w *bottest.World){
	"goes on": func(*bottest.World) {}, "restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash,
}

// eachAbsurd runs a test for each absurd id, and each way in which the bot goes on behind it.
func eachAbsurd(t *testing.T, cfg bottest.Config, test func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World))) {
	t.Helper()
	t.Parallel()
	if len(cfg.Routes) == 0 {
		cfg.Routes = courteous()
	}
	if cfg.Bot.PollInterval == 0 {
		cfg.Bot = brisk()
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(t.Name()))                            // a hash takes everything
	one := int(hash.Sum32() % uint32(len(absurd)*len(afterwards))) // where few are enough: another one in each test
	for i, name := range slices.Sorted(maps.Keys(absurd)) {
		for k, how := range slices.Sorted(maps.Keys(afterwards)) {
			if effort.Few() && i*len(afterwards)+k != one {
				continue
			}
			t.Run(name+", "+how, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, cfg, func(w *bottest.World) { test(t, w, absurd[name], afterwards[how]) })
			})
		}
	}
}

// quiet wants the bot to do nothing more to people, also when it has been started again.
func quiet(w *bottest.World, people ...*bottest.Person) {
	for _, again := range []bool{false, true} {
		if again {
			w.Restart()
		}
		for _, p := range people {
			p.ExpectsNothing(4 * time.Minute / time.Duration(len(people)))
		}
	}
}

// A notification that shows an absurd id for a second, and then its own, is answered once, and so is what comes
// behind it.
func TestNotificationWithAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo, mia := w.Person("ana"), w.Person("leo"), w.Person("mia")
		post := w.Posts("menu")
		mia.Likes(post)
		mia.Expects("thank you")
		w.Platform().Misnumber(emulator.Misnumbered{To: w.Platform().UserID("bot"), As: id})
		ana.Follows()
		ana.Expects("welcome")
		w.Platform().Renumber(false)
		then(w)
		leo.Follows()
		leo.Expects("welcome")
		leo.Likes(post)
		leo.Expects("thank you")
		quiet(w, ana, leo, mia)
	})
}

// One that nobody sees any more afterwards is answered once, too.
func TestNotificationWithAnAbsurdIDThatVanishes(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo := w.Person("ana"), w.Person("leo")
		leo.Likes(w.Posts("menu"))
		leo.Expects("thank you")
		w.Platform().Misnumber(emulator.Misnumbered{To: w.Platform().UserID("bot"), As: id})
		ana.Follows()
		ana.Expects("welcome")
		w.Platform().Renumber(true)
		then(w)
		w.Advance(3 * time.Minute)
		leo.Follows()
		leo.Expects("welcome")
		quiet(w, ana, leo)
	})
}

// A row that was answered long ago and comes to show an absurd id is not answered again.
func TestAnsweredNotificationThatShowsAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo := w.Person("ana"), w.Person("leo")
		leo.Likes(w.Posts("menu"))
		leo.Expects("thank you")
		ana.Follows()
		ana.Expects("welcome")
		w.Advance(time.Minute)
		w.Platform().Misnumber(emulator.Misnumbered{To: w.Platform().UserID("bot"), As: id, Last: true})
		w.Advance(5 * time.Second)
		then(w)
		w.Advance(5 * time.Second)
		w.Platform().Renumber(false)
		leo.Follows()
		leo.Expects("welcome")
		quiet(w, ana, leo)
	})
}

// A mention is a notification like any other.
func TestMentionWithAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo := w.Person("ana"), w.Person("leo")
		leo.Mentions("zero")
		leo.Expects("you wrote: @bot zero")
		w.Platform().Misnumber(emulator.Misnumbered{To: w.Platform().UserID("bot"), As: id})
		ana.Mentions("one")
		ana.Expects("you wrote: @bot one")
		w.Platform().Renumber(false)
		then(w)
		leo.Mentions("two")
		leo.Expects("you wrote: @bot two")
		ana.Mentions("three")
		ana.Expects("you wrote: @bot three")
		quiet(w, ana, leo)
	})
}

// A message that shows an absurd id for a second is answered once, and its chat is as fast afterwards as it was
// before.
func TestMessageWithAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("zero")
		ana.Expects("zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Platform().UserID("bot"), As: id})
		ana.Says("one")
		ana.Expects("one")
		w.Platform().Renumber(false)
		then(w)
		for _, text := range []string{"two", "three", "three"} {
			began := time.Now()
			ana.Says(text)
			ana.Expects(text)
			leo.Says(text)
			leo.Expects(text)
			inTime(t, began)
		}
		w.Advance(time.Minute)
		began := time.Now()
		ana.Says("four")
		ana.Expects("four")
		inTime(t, began)
		quiet(w, ana, leo)
		if !slices.ContainsFunc(w.Decisions(ana), func(tr bottest.Decision) bool { return tr.Outcome == bot.OutcomeSame }) {
			t.Error("no trace tells that a message showed two ids")
		}
	})
}

// inTime complains when what began then took longer than a few polls.
func inTime(t *testing.T, began time.Time) {
	t.Helper()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the answers took %v", took)
	}
}

// So is one that vanishes.
func TestMessageWithAnAbsurdIDThatVanishes(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana := w.Person("ana")
		ana.Says("zero")
		ana.Expects("zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Platform().UserID("bot"), As: id})
		ana.Says("one")
		ana.Expects("one")
		w.Platform().Renumber(true)
		then(w)
		began := time.Now()
		ana.Says("two")
		ana.Expects("two")
		inTime(t, began)
		quiet(w, ana)
	})
}

// And one that shows it for good, beside what is said later.
func TestMessageThatKeepsAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana := w.Person("ana")
		ana.Says("zero")
		ana.Expects("zero")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Platform().UserID("bot"), As: id})
		ana.Says("one")
		ana.Expects("one")
		then(w)
		for _, text := range []string{"two", "three"} {
			began := time.Now()
			ana.Says(text)
			ana.Expects(text)
			inTime(t, began)
		}
		quiet(w, ana)
	})
}

// A message that was answered and comes to show an absurd id is not answered again.
func TestAnsweredMessageThatShowsAnAbsurdID(t *testing.T) {
	eachAbsurd(t, bottest.Config{}, func(t *testing.T, w *bottest.World, id int64, then func(w *bottest.World)) {
		t.Helper()
		ana := w.Person("ana")
		ana.Says("zero", "one")
		ana.Expects("zero", "one")
		w.Platform().Misnumber(emulator.Misnumbered{From: ana.ID(), To: w.Platform().UserID("bot"), As: id, Last: true})
		ana.ExpectsNothing(2 * time.Minute)
		then(w)
		ana.ExpectsNothing(time.Minute)
		w.Platform().Renumber(false)
		began := time.Now()
		ana.Says("two")
		ana.Expects("two")
		inTime(t, began)
		quiet(w, ana)
	})
}

// An absurd id on the day of the first start hides nobody.
func TestFirstStartWithAnAbsurdID(t *testing.T) {
	before := func(w *bottest.World) {
		bot := w.Platform().UserID("bot")
		for _, name := range []string{"ana", "leo", "mia"} {
			w.Person(name).Says("before the bot")
			w.Person(name).Mentions("before the bot")
		}
		w.Platform().Misnumber(emulator.Misnumbered{From: w.Person("mia").ID(), To: bot, As: math.MaxInt64})
		w.Person("mia").Says("strange")
		w.Platform().Misnumber(emulator.Misnumbered{To: bot, As: math.MaxInt64})
		w.Person("mia").Follows()
	}
	eachAbsurd(t, bottest.Config{Before: before}, func(t *testing.T, w *bottest.World, _ int64, then func(w *bottest.World)) {
		t.Helper()
		ana, leo, mia, tom := w.Person("ana"), w.Person("leo"), w.Person("mia"), w.Person("tom")
		w.Advance(time.Second)
		w.Platform().Renumber(false)
		then(w)
		for _, p := range []*bottest.Person{tom, ana, leo, mia} {
			began := time.Now()
			p.Says("hello")
			p.Expects("hello")
			inTime(t, began)
		}
		ana.Follows()
		ana.Expects("welcome")
		leo.Mentions("you")
		leo.Expects("you wrote: @bot you")
		quiet(w, ana, leo, mia, tom)
	})
}

// Ids that have really grown a lot, in a month in which nobody looked, are read like any others.
func TestIDsThatHaveGrown(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: courteous(), Bot: brisk()}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("zero")
		ana.Expects("zero")
		leo.Follows()
		leo.Expects("welcome")
		w.Stop()
		w.Advance(time.Hour)
		w.Platform().SkipIDs(5_000_000_000)
		post := w.Posts("menu")
		for i := range 30 {
			ana.Says(fmt.Sprint(i))
			w.Person(fmt.Sprint("guest", i)).Likes(post)
		}
		w.Start()
		for i := range 30 {
			ana.Expects(fmt.Sprint(i))
			w.Person(fmt.Sprint("guest", i)).Expects("thank you")
		}
		for i := range 5 {
			leo.Says(fmt.Sprint(i))
			leo.Expects(fmt.Sprint(i))
			w.Person(fmt.Sprint("late", i)).Follows()
			w.Person(fmt.Sprint("late", i)).Expects("welcome")
			w.Advance(time.Minute)
		}
		cursors := cursorsOf(t, w)
		for _, source := range []event.Source{event.Messages, event.Notifs} {
			if cursors[source] < 5_000_000_000 {
				t.Errorf("the cursor of %v stands at %d", source, cursors[source])
			}
		}
		quiet(w, ana, leo)
	})
}

// cursorsOf returns the highest cursor of each source, as it is stored.
func cursorsOf(t *testing.T, w *bottest.World) map[event.Source]int64 {
	t.Helper()
	cursors := map[event.Source]int64{}
	db, err := sql.Open("sqlite", w.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), "SELECT source, max(number) FROM cursor GROUP BY source")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var source event.Source
		var number int64
		if err := rows.Scan(&source, &number); err != nil {
			t.Fatal(err)
		}
		cursors[source] = number
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return cursors
}
