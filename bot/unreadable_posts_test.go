package bot_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Posts that cannot be read for ever, although all others can, delay nobody else: neither the first one who comes after that has shown,
// nor those after her.
func TestPostsThatCannotBeReadDelayNobodyElse(t *testing.T) {
	t.Parallel()
	for odd, most := range map[int]time.Duration{1: 30 * time.Second, 2: 30 * time.Second, 4: 30 * time.Second, 20: time.Minute} {
		for _, quiet := range []time.Duration{time.Second, 7 * time.Second, 40 * time.Second, 3 * time.Minute, 6 * time.Minute} {
			if odd > 4 && quiet < 3*time.Minute { // each of them is tried once, before who came later
				continue
			}
			t.Run(fmt.Sprintf("%d posts for %v", odd, quiet), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{Routes: append(opens(bot.In(time.Hour)), echo())}, func(w *bottest.World) {
					for i := range odd {
						w.Person(fmt.Sprint("ana", i)).Mentions("@bot are you open?")
					}
					w.Advance(time.Hour - time.Second)
					w.Faults(emulator.Faults{Unreadable: "open"})
					w.Advance(10*time.Second + quiet)
					for i := range 5 {
						leo := w.Person(fmt.Sprint("leo", i))
						begun := time.Now()
						leo.Says("hello")
						leo.Expects("hello")
						if took := time.Since(begun); took > most {
							t.Errorf("%v after that has shown, it took %v to answer person %d", quiet, took.Round(time.Second), i)
						}
						w.Advance(20 * time.Second)
					}
				})
			})
		}
	}
}

// Nor do they lower the pace of everybody: who comes meanwhile is answered at the pace of the account, but for what is tried again.
func TestPostsThatCannotBeReadKeepThePace(t *testing.T) {
	t.Parallel()
	for odd := 1; odd <= 2; odd++ {
		t.Run(fmt.Sprint(odd, " posts"), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: append(opens(bot.In(time.Hour)), echo())}, func(w *bottest.World) {
				for i := range odd {
					w.Person(fmt.Sprint("ana", i)).Mentions("@bot are you open?")
				}
				w.Advance(time.Hour - time.Second)
				w.Faults(emulator.Faults{Unreadable: "open"})
				w.Advance(2 * time.Minute)
				first := w.Person("leo")
				first.Says("hello")
				first.Expects("hello")
				w.Advance(time.Minute)
				var many []*bottest.Person
				begun := time.Now()
				for i := range 120 {
					many = append(many, w.Person(fmt.Sprint("leo", i)))
					many[i].Says("hello")
				}
				for _, leo := range many {
					leo.Expects("hello")
				}
				if took := time.Since(begun); took > 145*time.Second {
					t.Errorf("120 answers, at one a second, took %v", took.Round(time.Second))
				}
			})
		})
	}
}

// Nor do they delay who was about to be answered when her answer got lost: to read back what became of it has not failed.
func TestPostsThatCannotBeReadDelayNoLostAnswer(t *testing.T) {
	t.Parallel()
	for _, quiet := range []time.Duration{3 * time.Minute, 200 * time.Second, 6 * time.Minute} {
		t.Run(quiet.String(), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: append(opens(bot.In(time.Hour)), echo())}, func(w *bottest.World) {
				for i := range 2 {
					w.Person(fmt.Sprint("ana", i)).Mentions("@bot are you open?")
				}
				w.Advance(time.Hour - time.Second)
				w.Faults(emulator.Faults{Unreadable: "open"})
				w.Advance(10*time.Second + quiet)
				leo := w.Person("leo")
				w.Disturb("send_message", emulator.CutBefore)
				begun := time.Now()
				leo.Says("hello")
				leo.Expects("hello")
				if took := time.Since(begun); took > 70*time.Second { // 20 s of it belong to the request that was cut
					t.Errorf("it took %v to answer", took.Round(time.Second))
				}
			})
		})
	}
}
