//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A handler that ends the process, in whatever way, is set aside after some starts, and told. A hundred people beside it have their answers, once.
func TestRunOnPoison(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"exit", "goroutine", "map", "timer"} {
		t.Run(how, func(t *testing.T) {
			effort.Case(t)
			p := emulator.New(emulator.Config{})
			me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
			mal := p.AddPerson(emulator.Person{Username: "mal"})
			var people []platform.UserID
			for i := range 100 {
				people = append(people, p.AddPerson(emulator.Person{Username: fmt.Sprint("guest", i)}))
			}
			server := httptest.NewServer(p)
			defer server.Close()
			dir := settings(t, server.URL+"/mobile_api", "shop@social.example")
			var over chan struct{}
			begin := func() *child.Process {
				process, ended := child.Start(t, child.Command{As: "a poison", Args: []string{"run"}, Dir: dir}), make(chan struct{})
				over = ended
				go func() {
					defer close(ended)
					process.End()
				}()
				return process
			}
			died := func() bool {
				select {
				case <-over:
					return true
				default:
					return false
				}
			}
			process := begin()
			process.Await(t, "the bot is at work")
			for i, who := range people {
				if i == 50 {
					p.Say(mal, me, how)
				}
				p.Say(who, me, fmt.Sprint("hello ", i))
			}
			wrote, starts := time.Now(), 1
			for {
				for began := time.Now(); !died() && !strings.Contains(process.String(), "outcome=quarantined"); time.Sleep(10 * time.Millisecond) {
					if time.Since(began) > patience {
						t.Fatalf("nothing happens\n%s", process)
					}
				}
				if !died() {
					break
				}
				if starts++; starts > 10 {
					t.Fatalf("it dies again and again\n%s", process)
				}
				process = begin()
			}
			answered := func() (n, twice int) {
				for _, who := range people {
					own := 0
					for _, m := range p.Messages(me, who) {
						if m.Own {
							own++
						}
					}
					n += min(own, 1)
					twice += max(own-1, 0)
				}
				return n, twice
			}
			for n, _ := answered(); n < len(people) && time.Since(wrote) < patience; n, _ = answered() {
				time.Sleep(50 * time.Millisecond)
			}
			n, twice := answered()
			if n != len(people) || twice != 0 {
				t.Errorf("%d of %d were answered, and %d twice\n%s", n, len(people), twice, process)
			}
			t.Logf("%d starts; all were answered after %v", starts, time.Since(wrote))
			process.Signal(syscall.SIGTERM)
			<-over
			if !strings.Contains(process.String(), "the bot has stopped") {
				t.Errorf("it does not say that it has stopped\n%s", process)
			}
			store := []string{"NECTAR_STORE=sqlite:" + filepath.Join(dir, "nectar.db")}
			list := nectarIn(t, store, "events", "--quarantined", "--json").stdout
			if strings.Count(list, `"why":"crash.repeated?tries=5"`) != 1 || strings.Count(list, "\n") != 1 {
				t.Errorf("what is quarantined: %s", list)
			}
			var row struct{ ID string }
			if err := json.Unmarshal([]byte(list), &row); err != nil {
				t.Fatal(err)
			}
			if why := nectarIn(t, store, "why", row.ID); !strings.Contains(why.stdout, "died 5 times") {
				t.Errorf("why %s: %+v", row.ID, why)
			}
		})
	}
}
