package cmd

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// tellers is a bot in a process of its own, and all that tell how it stands.
type tellers struct {
	*testing.T

	town   *emulator.Platform
	me     platform.UserID
	server *httptest.Server
	dir    string
	bot    *child.Process
	served string // where its metrics are
}

func newTellers(t *testing.T, room string) *tellers {
	t.Helper()
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	s := &tellers{T: t, town: p, me: me, server: httptest.NewServer(p)}
	t.Cleanup(s.server.Close)
	s.dir = settings(t, s.server.URL+"/mobile_api", "shop@social.example")
	more := "\nNECTAR_METRICS=127.0.0.1:0\n"
	if room != "" {
		more += "NECTAR_STORE=sqlite:" + filepath.Join(room, "nectar.db") + "\n"
	}
	env := filepath.Join(s.dir, ".env")
	was, err := os.ReadFile(env)
	if err == nil {
		err = os.WriteFile(env, append(was, more...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *tellers) begins() {
	s.Helper()
	s.bot = start(s.T, s.dir, "run", "--starter")
	s.bot.Await(s.T, "metrics are served")
	s.served = regexp.MustCompile(`metrics are served" address=(\S+)`).FindStringSubmatch(s.bot.String())[1]
}

// says runs a command beside the bot.
func (s *tellers) says(args ...string) (status int, said string) {
	s.Helper()
	p := start(s.T, s.dir, args...)
	return p.End(), p.String()
}

// all expects that the judgement comes to have a code, and then that each teller has it, or its words.
func (s *tellers) all(code, words string, alive bool) {
	s.Helper()
	for began := time.Now(); ; time.Sleep(300 * time.Millisecond) { // each time is a process
		status, said := s.says("status", "--json")
		if strings.Contains(said, `"why": "`+code) && status == 1 {
			break
		}
		if time.Since(began) > patience {
			s.Fatalf("status %d, and it does not come to say %s:\n%s\n%s", status, code, said, s.bot)
		}
	}
	for _, c := range [][]string{{"status"}, {"accounts"}, {"summary"}, {"doctor"}} {
		status, said := s.says(c...)
		if !strings.Contains(said, words) || strings.Contains(said, "working") {
			s.Errorf("nectar %s does not say %q:\n%s", c[0], words, said)
		}
		if wants := map[string]int{"status": 1, "doctor": 1}[c[0]]; status != wants {
			s.Errorf("nectar %s ends with %d, want %d:\n%s", c[0], status, wants, said)
		}
	}
	if !alive {
		return
	}
	if got := fetched(s.T, s.served); !strings.Contains(got, fmt.Sprintf(`code=%q} 1`, code)) {
		s.Errorf("the metrics do not say %s:\n%s", code, got)
	}
	if got := fetched(s.T, strings.Replace(s.served, "/metrics", "/status", 1)); !strings.Contains(got, `"why":"`+code) {
		s.Errorf("/status does not say %s: %s", code, got)
	}
}

// well expects that nobody has anything to say.
func (s *tellers) well() {
	s.Helper()
	if status, said := s.says("status"); status != 0 || !strings.HasPrefix(said, "all is well with 1 account on ") {
		s.Errorf("status %d: %s", status, said)
	}
	if _, said := s.says("accounts"); !strings.Contains(said, "working") {
		s.Errorf("accounts: %s", said)
	}
	if got := fetched(s.T, strings.Replace(s.served, "/metrics", "/status", 1)); !strings.Contains(got, `"well":true`) {
		s.Errorf("/status: %s", got)
	}
	got := fetched(s.T, s.served)
	for _, want := range []string{"\nnectar_rules_broken_files 0\n", "\nnectar_store_refuses 0\n", "\nnectar_disk_free_bytes ", "\nnectar_build_info{", `state="signed_out"`} {
		if !strings.Contains(got, want) {
			s.Errorf("the metrics do not say %q", want)
		}
	}
}

// A bot that runs, one that was stopped, and one that was killed: all say the same.
func TestTellersOfDeadBot(t *testing.T) {
	t.Parallel()
	s := newTellers(t, "")
	s.begins()
	s.bot.Await(t, "the bot is at work")
	s.well()
	s.bot.Kill()
	s.all("process.died", "the bot has died, and was not started again", false)
	for _, care := range []string{"migrate", "doctor", "audit"} { // they open the database as a bot does, and are none
		s.says(care)
		if status, said := s.says("status"); status != 1 || !strings.Contains(said, "the bot has died") {
			t.Errorf("after nectar %s status %d: %s", care, status, said)
		}
	}
	s.begins()
	s.bot.Await(t, "had ended without being stopped")
	s.bot.Await(t, "the bot is at work")
	s.bot.Stop()
	if status, said := s.says("status"); status != 1 || !strings.Contains(said, "no bot runs") {
		t.Errorf("status %d: %s", status, said)
	}
}

// A process that stands still has said that all is well, and has not for 15 seconds.
func TestTellersOfSilentBot(t *testing.T) {
	t.Parallel()
	s := newTellers(t, "")
	s.begins()
	s.bot.Await(t, "the bot is at work")
	s.bot.Signal(syscall.SIGSTOP)
	s.all("process.silent", "a process runs, and has shown no sign of life since", false)
	s.bot.Signal(syscall.SIGCONT)
	s.bot.Stop()
}

func TestTellersOfRefusedPassword(t *testing.T) {
	t.Parallel()
	s := newTellers(t, "")
	env := filepath.Join(s.dir, ".env")
	was, err := os.ReadFile(env)
	if err == nil {
		err = os.WriteFile(env, []byte(strings.Replace(string(was), hunter2, "another", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.begins()
	s.all("session.refused", "it cannot sign in", true)
	s.bot.Stop()
}

func TestTellersOfPlatformThatIsGone(t *testing.T) {
	t.Parallel()
	effort.Long(t) // it is gone after a minute
	s := newTellers(t, "")
	s.begins()
	s.bot.Await(t, "the bot is at work")
	s.server.CloseClientConnections()
	s.server.Close()
	s.all("platform.gone", "the platform cannot be read", true)
	s.bot.Stop()
}

// On a disk without room neither the bot nor whoever looks says that all is well.
func TestTellersOfFullDisk(t *testing.T) {
	t.Parallel()
	room := t.TempDir()
	if err := syscall.Mount("tmpfs", room, "tmpfs", 0, "size=48m"); err != nil {
		t.Skipf("there is no disk of its own: %v", err) // it takes a privilege
	}
	t.Cleanup(func() { _ = syscall.Unmount(room, syscall.MNT_DETACH) })
	s := newTellers(t, room)
	s.begins()
	s.bot.Await(t, "the bot is at work")
	s.well()
	filler, err := os.Create(filepath.Join(room, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for zeros := make([]byte, 1<<12); err == nil; {
		_, err = filler.Write(zeros)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := filler.Close(); err != nil {
		t.Fatal(err)
	}
	s.all("disk.low", "hardly anything is free on the disk of the database", true)
	for i := range 20 {
		who := s.town.AddPerson(emulator.Person{Username: fmt.Sprint("ana", i)})
		for range 20 {
			s.town.Say(who, s.me, strings.Repeat("hello ", 500))
		}
	}
	s.all("store.refuses", "the database takes no writes", true)
	if err := os.Remove(filler.Name()); err != nil {
		t.Error(err)
	}
	s.bot.Await(t, "the store writes again")
	s.bot.Stop()
}
