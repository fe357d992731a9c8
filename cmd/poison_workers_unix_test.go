//go:build unix

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// shift are workers, each a process, that come back when they have died.
type shift struct {
	*practice

	over    chan struct{} // none comes back any more
	running sync.WaitGroup

	mu     sync.Mutex
	began  int
	deaths int
	said   string // all that those said that have died
	work   map[string]*child.Process
}

// keep lets a worker run, and come back.
func (s *shift) keep(name string) {
	path := filepath.Join(s.dir, name+".env")
	if err := os.WriteFile(path, []byte(strings.Join(append(slices.Clone(s.environ), "NECTAR_WORKER="+name), "\n")), 0o600); err != nil {
		s.Fatal(err)
	}
	s.running.Go(func() {
		for {
			process := child.Start(s.T, child.Command{As: "a poison", Args: []string{"run", "--env-file", path}, Dir: s.dir})
			s.mu.Lock()
			s.began++
			s.work[name] = process
			s.mu.Unlock()
			process.End()
			select {
			case <-s.over:
				return
			default:
			}
			s.mu.Lock()
			s.deaths++
			s.said += process.String()
			s.mu.Unlock()
		}
	})
}

// says returns how often workers have said something.
func (s *shift) says(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := strings.Count(s.said, text)
	for _, p := range s.work {
		n += strings.Count(p.String(), text)
	}
	return n
}

// awaitPolls waits until somebody was answered on each account: what was said before its first poll is not news.
func (s *shift) awaitPolls(accounts []platform.UserID) {
	for i, account := range accounts {
		who := s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("first", i)})
		answered := func() bool {
			return slices.ContainsFunc(s.platform.Ledger().Since(0), func(e emulator.Entry) bool { return e.Kind == emulator.Arrived && e.To == who })
		}
		for began := time.Now(); !answered(); time.Sleep(100 * time.Millisecond) {
			if time.Since(began) > patience {
				s.Fatalf("nobody is answered on account %d", account)
			}
			s.platform.Say(who, account, "are you there?")
		}
	}
}

// unanswered tells what the bot knows of the first that is not answered.
func (s *shift) unanswered(asked map[string]time.Time, answered map[string]int) string {
	var keys []string
	for key := range asked {
		if answered[key] == 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return asked[a].Compare(asked[b]) })
	var said strings.Builder
	for _, key := range keys {
		fmt.Fprintln(&said, asked[key].Format(time.TimeOnly), key)
	}
	for _, args := range [][]string{{"summary"}, {"events", "--json"}, {"outbox", "--json"}, {"notices"}, {"conversations"}} {
		fmt.Fprintln(&said, nectarIn(s.T, s.environ, args...))
	}
	return said.String()
}

// Workers on a server die of a handler one after another, until it is set aside. Everybody else has her answers, once, and who dies is told.
func TestWorkersOnPoison(t *testing.T) {
	t.Parallel()
	if effort.Few() {
		t.Skip("six leases run out: NECTAR_TEST=all runs it")
	}
	s := &shift{practice: newPractice(t), over: make(chan struct{}), work: map[string]*child.Process{}}
	ids := []platform.UserID{s.me}
	var accounts strings.Builder
	accounts.WriteString("accounts:\n  shop: { email: shop@social.example, password: '" + hunter2 + "' }\n")
	for i := range 5 {
		name := fmt.Sprint("shop", i)
		ids = append(ids, s.platform.AddAccount(emulator.Person{Username: name}, name+"@social.example", hunter2))
		fmt.Fprintf(&accounts, "  %s: { email: %[1]s@social.example, password: '%[2]s' }\n", name, hunter2)
	}
	file := filepath.Join(s.dir, "accounts.yaml")
	if err := os.WriteFile(file, []byte(accounts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.environ = slices.DeleteFunc(append(s.environ, "NECTAR_ACCOUNTS="+file), func(v string) bool {
		return strings.HasPrefix(v, "NECTAR_EMAIL=") || strings.HasPrefix(v, "NECTAR_PASSWORD=")
	})
	writeEnv(t, s.dir, s.environ)
	s.does(0, "was made", "migrate")
	defer s.running.Wait()
	defer func() {
		close(s.over)
		for _, p := range s.work {
			p.Kill()
		}
	}()
	for _, name := range []string{"one", "two", "three"} {
		s.keep(name)
	}
	for began := time.Now(); s.says("the bot is at work") < 3 || s.says("new session") < len(ids); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("they do not begin\n%s\n%s", s.said, s.work["one"])
		}
	}
	s.awaitPolls(ids)
	mal := s.platform.AddPerson(emulator.Person{Username: "mal"})
	var people []platform.UserID
	for i := range 60 {
		people = append(people, s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest", i)}))
	}
	said, longest := 0, time.Duration(0)
	talk := func() {
		for i, who := range people {
			s.platform.Say(who, ids[i%len(ids)], fmt.Sprint("hello ", said))
		}
		said++
	}
	talk()
	s.platform.Say(mal, ids[0], "goroutine")
	for began := time.Now(); s.says("outcome=quarantined") == 0; time.Sleep(4 * time.Second) {
		talk()
		if time.Since(began) > 5*time.Minute {
			t.Fatalf("it is not set aside; %d have died", s.deaths)
		}
	}
	dead := s.deaths
	time.Sleep(10 * time.Second)
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		asked, n := map[string]time.Time{}, map[string]int{}
		longest = 0
		for _, e := range s.platform.Ledger().Since(0) {
			switch key := fmt.Sprint(e.From, e.To, e.Text); {
			case e.Kind == emulator.Said && strings.HasPrefix(e.Text, "hello"):
				asked[key] = e.At
			case e.Kind == emulator.Arrived && strings.HasPrefix(e.Text, "echo: hello"):
				key = fmt.Sprint(e.To, e.From, strings.TrimPrefix(e.Text, "echo: "))
				n[key]++
				longest = max(longest, e.At.Sub(asked[key]))
			}
		}
		if len(n) == len(people)*said || time.Since(began) > patience {
			if len(n) != len(people)*said {
				t.Errorf("%d of %d were answered\n%s", len(n), len(people)*said, s.unanswered(asked, n))
			}
			for key, times := range n {
				if times != 1 {
					t.Errorf("%s was answered %d times", key, times)
				}
			}
			break
		}
	}
	t.Logf("%d workers have died, others waited for up to %v", dead, longest)
	if dead < 6 || dead > 8 || s.deaths != dead {
		t.Errorf("%d workers have died, %d after it was set aside", dead, s.deaths-dead)
	}
	calls := s.does(0, "", "notices", "--json").stdout
	for _, kind := range []string{event.CallQuarantine, event.CallCrashed} {
		if n := strings.Count(calls, `"kind":"`+kind+`"`); n != 1 {
			t.Errorf("people were called %d times for %s:\n%s", n, kind, calls)
		}
	}
	list := s.does(0, "", "events", "--quarantined", "--json").stdout
	if strings.Count(list, `"why":"crash.repeated?tries=5"`) != 1 || strings.Count(list, "\n") != 1 {
		t.Errorf("what is quarantined: %s", list)
	}
}
