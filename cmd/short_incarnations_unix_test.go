//go:build unix

package cmd

import (
	"fmt"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// TestRunInShortIncarnations: a process that is ended again and again, as one in a crash loop, gets on: people whose answers were lost or late have them within
// a bound, and once.
func TestRunInShortIncarnations(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, c := range []struct {
		span time.Duration
		by   syscall.Signal
		most time.Duration
	}{
		{8 * time.Second, syscall.SIGKILL, 90 * time.Second},
		{20 * time.Second, syscall.SIGKILL, 90 * time.Second},
		{24 * time.Second, syscall.SIGKILL, 90 * time.Second},
		{24 * time.Second, syscall.SIGTERM, 60 * time.Second},
	} {
		t.Run(fmt.Sprint(c.by, " every ", c.span), func(t *testing.T) {
			effort.Case(t)
			p := emulator.New(emulator.Config{})
			me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
			people := []platform.UserID{p.AddPerson(emulator.Person{Username: "ana"}), p.AddPerson(emulator.Person{Username: "leo"}), p.AddPerson(emulator.Person{Username: "mia"})}
			server := httptest.NewServer(p)
			defer server.Close()
			dir := settings(t, server.URL+"/mobile_api", "shop@social.example")
			putRules(t, dir, "10-faq.yaml", faq)
			begin := func() *child.Process { return start(t, dir, "run") }
			answers := func(who platform.UserID) (n int) {
				for _, m := range p.Messages(me, who) {
					if m.Own {
						n++
					}
				}
				return n
			}
			bot := begin()
			bot.Await(t, "the bot is at work")
			p.Disturb("send_message", emulator.CutBefore, emulator.Late, emulator.Err500Before)
			for _, who := range people {
				if p.Say(who, me, "are you open?") == 0 {
					t.Fatal("nobody can write to the bot")
				}
			}
			wrote, born := time.Now(), time.Now().Add(time.Second-c.span) // it ends soon: nobody has noted when the requests were given up
			waits := func() bool { return answers(people[0])*answers(people[1])*answers(people[2]) == 0 }
			for waits() && time.Since(wrote) < c.most {
				if time.Since(born) >= c.span {
					bot.Signal(c.by)
					bot.End()
					bot, born = begin(), time.Now()
				}
				time.Sleep(100 * time.Millisecond)
			}
			if waits() {
				t.Errorf("after %v they have %d, %d and %d answers\n%s", c.most, answers(people[0]), answers(people[1]), answers(people[2]), bot)
			}
			t.Logf("they waited %v", time.Since(wrote))
			time.Sleep(20 * time.Second) // what is late arrives
			bot.Signal(syscall.SIGTERM)
			bot.End()
			for _, who := range people {
				if n := answers(who); n != 1 {
					t.Errorf("%d has %d answers", who, n)
				}
			}
		})
	}
}
