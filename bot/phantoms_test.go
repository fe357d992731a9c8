package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// For half a minute the list shows people who are not there. Real ones are answered meanwhile, nothing of it is left when
// it is over, and the log has a line.
func TestPhantoms(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, restless := range []bool{false, true} {
		if effort.Few() && !restless {
			continue
		}
		bottest.Run(t, bottest.Config{Bot: hurried(0), Routes: []bot.Route{echo()}, Patience: 30 * time.Second}, func(w *bottest.World) {
			ana, leo, mia, zoe := w.Person("ana"), w.Person("leo"), w.Person("mia"), w.Person("zoe")
			leo.Says("long ago")
			leo.Expects("long ago")
			w.Advance(time.Hour)
			ana.Says("just before")
			w.Platform().TroubleLists(emulator.ListTrouble{Phantoms: 6000, Restless: restless})
			w.Advance(2 * time.Second)
			mia.Says("in between")
			w.Advance(30 * time.Second)
			w.Platform().TroubleLists(emulator.ListTrouble{})
			zoe.Says("just after")
			zoe.Expects("just after")
			for _, p := range []*bottest.Person{ana, mia} {
				p.Hears()
			}
			w.Advance(20 * time.Second)
			reads := w.Platform().Calls("get_messages")
			leo.Says("later")
			leo.Expects("later")
			w.Advance(10 * time.Minute)
			if n := w.Platform().Calls("get_messages") - reads; n > 60 {
				t.Errorf("%d chats were read when it was over", n)
			}
			if n := strings.Count(w.Log(), "level=WARN"); n > 2 {
				t.Errorf("the log has %d warnings:\n%s", n, w.Log())
			}
		})
	}
}

// Phantoms that stay are tried more and more rarely, and never many of them at once.
func TestPhantomsThatStay(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: hurried(0), Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello")
		ana.Expects("hello")
		w.Platform().TroubleLists(emulator.ListTrouble{Phantoms: 1000})
		w.Advance(10 * time.Minute)
		lists, reads := w.Platform().Calls("get_chats"), w.Platform().Calls("get_messages")
		rounds := 10
		if effort.Few() {
			rounds = 3
		}
		for i := range rounds {
			w.Advance(5 * time.Minute)
			asked := time.Now()
			ana.Says(fmt.Sprint("hi ", i))
			ana.Expects(fmt.Sprint("hi ", i))
			if took := time.Since(asked); took > 30*time.Second {
				t.Errorf("message %d is answered after %v", i, took)
			}
		}
		lists, reads = w.Platform().Calls("get_chats")-lists, w.Platform().Calls("get_messages")-reads
		if reads > 9*lists+200 {
			t.Errorf("%d chats were read in %d lists", reads, lists)
		}
		if n := strings.Count(w.Log(), "a chat cannot be read"); n < 1 || n > 7 {
			t.Errorf("the log says %d times that chats cannot be read:\n%s", n, w.Log())
		}
	})
}

// An account that began without chats knows after a restart that get_messages is there, whatever it refuses.
func TestPhantomsAfterARestart(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: hurried(0), Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello")
		ana.Expects("hello")
		w.Stop()
		w.Platform().TroubleLists(emulator.ListTrouble{Phantoms: 50})
		w.Start()
		ana.Says("one", "two", "three")
		ana.Expects("one", "two", "three")
		if strings.Contains(w.Log(), "get_messages does not exist") {
			t.Errorf("the log:\n%s", w.Log())
		}
	})
}
