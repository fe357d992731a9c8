package bot_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// Where lists are all there is, somebody who deletes the chat and writes again is answered, once, whatever the words
// and whatever becomes of the bot.
func TestSnapshotOfADeletedChat(t *testing.T) {
	t.Parallel()
	for n, d := range listOnly {
		for i, text := range []string{"hello", "hello again", "re: hello"} {
			for k, end := range []string{"running", "restart before", "restart meanwhile", "crash meanwhile", "crash after"} {
				if !effort.Sampled(n + i + k) {
					continue
				}
				t.Run(fmt.Sprint(n, " ", text, " ", end), func(t *testing.T) {
					effort.Case(t)
					bottest.Run(t, listed(d, &line{}, func(said string) string { return "re: " + said }), func(w *bottest.World) {
						ana, leo := w.Person("ana"), w.Person("leo")
						leo.Says("hi")
						leo.Expects("re: hi")
						ana.Says("hello")
						ana.Expects("re: hello")
						w.Advance(2 * time.Minute)
						if end == "restart before" {
							w.Restart()
							w.Advance(time.Minute)
						}
						w.Platform().DeleteChat(ana.ID(), w.Account("bot").ID())
						w.Advance(time.Minute)
						switch end {
						case "restart meanwhile":
							w.Restart()
						case "crash meanwhile":
							w.Crash()
						}
						ana.Says(text)
						if end == "crash after" {
							w.Crash()
						}
						ana.Expects("re: " + text)
						w.Restart()
						ana.ExpectsNothing(10 * time.Minute)
						leo.ExpectsNothing(time.Second)
					})
				})
			}
		}
	}
}

// It need not have been seen that the chat was gone where the words are others.
func TestSnapshotOfAChatDeletedAndWrittenAtOnce(t *testing.T) {
	t.Parallel()
	bottest.Run(t, listed(listOnly[0], &line{}, func(said string) string { return "re: " + said }), func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		for i := range 5 {
			text := fmt.Sprint("hello ", i)
			ana.Says(text)
			ana.Expects("re: " + text)
			w.Advance(20 * time.Second) // until a list shows the answer
			w.Platform().DeleteChat(ana.ID(), w.Account("bot").ID())
		}
		ana.Says("hello")
		ana.Expects("re: hello")
		ana.ExpectsNothing(10 * time.Minute)
	})
}

// It may also have been deleted while the bot was down, and written again behind another start.
func TestSnapshotOfAChatDeletedWhileDown(t *testing.T) {
	t.Parallel()
	for n, d := range listOnly {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, listed(d, &line{}, func(said string) string { return "re: " + said }), func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				leo.Says("hi")
				leo.Expects("re: hi")
				ana.Says("hello")
				w.Advance(2 * time.Minute)
				ana.Expects("re: hello")
				for range 2 {
					w.Stop()
					w.Platform().DeleteChat(ana.ID(), w.Account("bot").ID())
					w.Advance(time.Minute)
					w.Start()
					w.Advance(time.Minute) // lists show that it is gone
					w.Restart()
					ana.Says("hello")
					ana.Expects("re: hello")
				}
				w.Restart()
				ana.ExpectsNothing(10 * time.Minute)
				leo.ExpectsNothing(time.Second)
			})
		})
	}
}
