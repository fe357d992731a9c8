//go:build unix

package cmd

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/cmd/internal/emulate"
	"github.com/nectar-bot/nectar/cmd/internal/run"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// start starts "nectar args…" in a directory, and in an environment without settings.
func start(t *testing.T, dir string, args ...string) *child.Process {
	t.Helper()
	return child.Start(t, child.Command{As: "nectar", Args: args, Dir: dir})
}

// settings writes a .env for an account on the platform at base into a new directory.
func settings(t *testing.T, base, email string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	all := append([]string{"NECTAR_BASE_URL=" + base, "NECTAR_EMAIL=" + email, "NECTAR_PASSWORD='" + hunter2 + "'", "NECTAR_LOG_LEVEL=debug"}, quick...)
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(strings.Join(all, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Two processes that know nothing of each other but an address, as on the first day of a newcomer.
func TestRunAgainstEmulate(t *testing.T) {
	town := start(t, t.TempDir(), "emulate", "--addr", "127.0.0.1:0", "--people", "2", "--pause", "100ms", "--password", hunter2, "--transcript")
	town.Await(t, "NECTAR_EMAIL=")
	base := regexp.MustCompile(`NECTAR_BASE_URL=(\S+)`).FindStringSubmatch(town.String())[1]
	dir := settings(t, base, emulate.Email)

	bot := start(t, dir, "run", "--starter")
	town.Await(t, "Thanks for writing, ")
	bot.Stop()
	again := start(t, dir, "run", "--starter")
	again.Await(t, "the bot is at work")
	again.Stop()
	if !strings.Contains(bot.String(), "new session") || strings.Contains(again.String(), "new session") {
		t.Errorf("it signed in again:\n%s\n%s", bot, again)
	}
	town.Stop()
	for _, printed := range []*child.Process{town, bot, again} {
		if strings.Contains(printed.String(), hunter2) {
			t.Errorf("the password is printed:\n%s", printed)
		}
	}
}

func TestARestartGoesOnWhereItStopped(t *testing.T) {
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	var tokens tokenCollector
	server := httptest.NewServer(tokens.watch(p))
	defer server.Close()
	dir := settings(t, server.URL+"/mobile_api", "shop@social.example")
	ana, leo, mia := script.Actor("ana"), script.Actor("leo"), script.Actor("mia")
	play := func(steps ...script.Step) {
		t.Helper()
		if err := script.Play(soon(t), p, script.Script{Account: me, Steps: steps}); err != nil {
			t.Error(err)
		}
	}

	bot := start(t, dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	since := p.Ledger().Len()
	play(ana.Says("hello"), ana.Expects("Ana"), leo.Follows(), leo.Expects("Welcome, Leo"))
	bot.Stop()
	play(mia.Says("is anybody there?"), ana.Says("and now?"))

	again := start(t, dir, "run", "--starter")
	play(mia.Says("hello?"), leo.Says("/help"))
	expect := judge.Expect{
		Account: me, Since: since, Replies: starterAnswers(p),
		WelcomeFollowers: func(emulator.Entry) (string, bool) { return "Welcome, Leo!", true },
	}
	if err := judge.AwaitQuiet(t.Context(), p, expect, patience); err != nil {
		t.Error(err)
	}
	again.Stop()
	expect.Replies = starterAnswers(p)
	if v := judge.Platform(p, expect); !v.OK() || v.Replies != 3 || p.Logins() != 1 {
		t.Errorf("%d sign-ins, %s\n%s\n%s", p.Logins(), v, strings.Join(v.Details, "\n"), again)
	}
	tokens.find(t, bot.String(), again.String())
}

// starterAnswers says what the starter bot answers: everybody once, and /help always.
func starterAnswers(p *emulator.Platform) func(emulator.Entry) []string {
	greeted := map[string]bool{}
	return func(said emulator.Entry) []string {
		name := p.Username(said.From)
		switch {
		case said.Text == "/help":
			return []string{run.StarterIntro}
		case greeted[name]:
			return nil
		}
		greeted[name] = true
		name = strings.ToUpper(name[:1]) + name[1:]
		return []string{"Thanks for writing, " + name + "! This is an automatic answer; a person reads it soon."}
	}
}

// tokenCollector notes the tokens that a platform hands out.
type tokenCollector struct {
	mu    sync.Mutex
	known []string
}

var tokenOf = regexp.MustCompile(`"(?:auth_token|refresh_token)":\s*"([^"]+)"`)

func (c *tokenCollector) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/login") && !strings.HasSuffix(r.URL.Path, "/refresh_access_token") {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		c.mu.Lock()
		for _, m := range tokenOf.FindAllStringSubmatch(answer.Body.String(), -1) {
			c.known = append(c.known, m[1])
		}
		c.mu.Unlock()
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// find reports secrets in what was printed.
func (c *tokenCollector) find(t *testing.T, printed ...string) {
	t.Helper()
	if len(c.known) < 2 {
		t.Errorf("saw %d tokens only", len(c.known))
	}
	for _, secret := range append(c.known, hunter2) {
		for _, text := range printed {
			if strings.Contains(text, secret) {
				t.Errorf("a secret is printed:\n%s", text)
			}
		}
	}
}

func TestOneProcessPerDatabase(t *testing.T) {
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	dir := settings(t, server.URL+"/mobile_api", "shop@social.example")
	bot := start(t, dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	const want = "nectar: NECTAR_STORE: open nectar.db: another process runs on this database: stop it first, or give this one a database of its own\n"
	for _, command := range []string{"run", "migrate"} {
		second := start(t, dir, command)
		if status := second.End(); status != 1 || second.String() != want {
			t.Errorf("%s: status %d:\n%s", command, status, second)
		}
	}
	bot.Stop()
}
