//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// pair is a platform that is as slow as two bots need it to answer one message: the first answer to somebody is not
// taken before the second one has come. Each time another one of them goes first.
type pair struct {
	next http.Handler

	mu      sync.Mutex
	over    bool // one of them is alone
	waiting map[string]chan struct{}
	turn    int
}

func (p *pair) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/send_message") {
		p.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	form, _ := url.ParseQuery(string(body))
	first, last := p.meet(form.Get("user_id"))
	if first != nil { // wait for the other one to come, and perhaps to be done
		select {
		case <-first:
		case <-r.Context().Done():
		}
	}
	p.next.ServeHTTP(w, r)
	if last != nil {
		close(last)
	}
}

// meet returns what to wait for, and what to close afterwards.
func (p *pair) meet(to string) (wait, done chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil, nil
	}
	if other := p.waiting[to]; other != nil {
		delete(p.waiting, to)
		if p.turn++; p.turn%2 == 0 {
			return nil, other // this one goes first
		}
		close(other)
		return nil, nil
	}
	p.waiting[to] = make(chan struct{})
	return p.waiting[to], nil
}

// end lets everybody through from now on.
func (p *pair) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for to, waits := range p.waiting {
		delete(p.waiting, to)
		close(waits)
	}
}

// newcomer lets somebody new write, and waits until so many answers have come.
func newcomer(t *testing.T, p *emulator.Platform, me platform.UserID, name string, answers int) platform.UserID {
	t.Helper()
	since := p.Ledger().Len()
	who := p.AddPerson(emulator.Person{Username: name, FirstName: strings.ToUpper(name[:1]) + name[1:]})
	p.Say(who, me, "is anybody there?")
	for heard := func() int { return heardBy(p, who) }; heard() < answers; {
		seen := p.Ledger().Len()
		if heard() >= answers {
			break
		}
		if err := p.Ledger().Wait(soon(t), max(seen, since)); err != nil {
			t.Fatal(err)
		}
	}
	return who
}

// heardBy counts what somebody has heard from bots.
func heardBy(p *emulator.Platform, who platform.UserID) (n int) {
	for _, e := range p.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.To == who {
			n++
		}
	}
	return n
}

// Two real processes with two databases on one account: exactly one of them goes on.
func TestTwoProcessesOnOneAccount(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	slow := &pair{next: p, waiting: map[string]chan struct{}{}}
	server := httptest.NewServer(slow)
	defer server.Close()
	dirs := []string{settings(t, server.URL+"/mobile_api", "shop@social.example"), settings(t, server.URL+"/mobile_api", "shop@social.example")}
	one, two := start(t, dirs[0], "run", "--starter"), start(t, dirs[1], "run", "--starter")
	one.Await(t, "the bot is at work")
	two.Await(t, "the bot is at work")

	const hasStopped = "this one has stopped by itself"
	var stopped *child.Process
	doubled := 0
	for ; stopped == nil && doubled < 12; doubled++ {
		who := newcomer(t, p, me, fmt.Sprint("early", doubled), 2)
		p.Say(who, me, "thank you") // so that both read what the other one said
		patience := 100 * time.Millisecond
		if doubled >= 2 {
			patience = 3 * time.Second
		}
		stopped = whoSays(patience, func(all string) bool { return strings.Contains(all, hasStopped) }, one, two)
	}
	working := map[*child.Process]*child.Process{one: two, two: one}[stopped]
	if working == nil {
		t.Fatalf("neither has stopped:\n%s\n%s", one, two)
	}
	t.Logf("%d people were answered twice", doubled)
	slow.end()
	working.Await(t, "this one goes on, the other one should stop by itself")
	late := make([]platform.UserID, 5)
	for i := range late {
		late[i] = newcomer(t, p, me, fmt.Sprint("late", i), 1)
	}
	stopped.Await(t, "answers on this account what this one holds")

	home := filepath.Join(stopped.Dir, "nectar.db")
	environ := []string{"NECTAR_STORE=sqlite:" + home}
	if got := nectarIn(t, environ, "accounts"); !strings.Contains(got.stdout, "main     stopped") || !strings.Contains(got.stdout, "nectar accounts resume main") {
		t.Errorf("nectar accounts says %s%s", got.stdout, got.stderr)
	}
	if got := nectarIn(t, environ, "outbox"); !strings.Contains(got.stdout, "nothing of the account main leaves: another bot answers on it") {
		t.Errorf("nectar outbox says %s%s", got.stdout, got.stderr)
	}
	signIn := append(environ, "NECTAR_BASE_URL="+server.URL+"/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD="+hunter2)
	if got := nectarIn(t, signIn, "doctor"); got.status != 1 || !strings.Contains(got.stdout, "FAILED   other bots") {
		t.Errorf("nectar doctor says %s%s", got.stdout, got.stderr)
	}
	if got := nectarIn(t, []string{"NECTAR_STORE=sqlite:" + filepath.Join(working.Dir, "nectar.db")}, "accounts"); !strings.Contains(got.stdout, "main     working") {
		t.Errorf("nectar accounts says of the other one %s%s", got.stdout, got.stderr)
	}

	working.Stop()
	last := p.AddPerson(emulator.Person{Username: "last", FirstName: "Last"})
	p.Say(last, me, "is anybody there?")
	if got := nectarIn(t, environ, "accounts", "resume", "main"); got.status != 0 || !strings.HasPrefix(got.stdout, "main goes on") {
		t.Errorf("nectar accounts resume says %s%s", got.stdout, got.stderr)
	}
	newcomer(t, p, me, "new", 1)
	for heardBy(p, last) == 0 {
		if err := p.Ledger().Wait(soon(t), p.Ledger().Len()); err != nil {
			t.Fatal(err)
		}
	}
	stopped.Stop()
	for i, who := range append(late, last) {
		if n := heardBy(p, who); n != 1 {
			t.Errorf("late %d was answered %d times", i, n)
		}
	}
}

// Commands about accounts refuse what there is not, in one line.
func TestAccountsRefuse(t *testing.T) {
	o := newOffice(t)
	o.end(o.run())
	o.says(`^ACCOUNT +STATE +SINCE +WHY\nmain +down +2[-0-9]+ [:0-9]+ +no bot runs, since .*\n$`, "accounts")
	o.refuses(2, `no account "shop" has been at work on this database; there is only "main"`, "accounts", "resume", "shop")
	o.refuses(2, "name one account; nectar accounts lists them (see nectar accounts resume --help)", "accounts", "resume")
	o.says(`^main: asked for; no bot runs on .* it is done when one starts\n$`, "accounts", "resume", "main")
	o.says(`resume by \S+ asked for `, "accounts")
	o.says(`"asked":\{"wish":"resume"`, "accounts", "--json")
	o.end(o.run())
	o.says(`^ACCOUNT +STATE +SINCE +WHY\nmain +down +2[-0-9]+ [:0-9]+ +no bot runs, since .*\n$`, "accounts")
}
