//go:build unix

package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// process is the example in a process of its own.
func process(t *testing.T, settings ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir, cmd.Env = t.TempDir(), append(settings, asHello+"=1")
	return cmd
}

func TestItAnswers(t *testing.T) {
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "bot"}, "bot@social.example", "correct horse")
	polled := make(chan struct{}) // what was there before the first poll is skipped
	var lists atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/get_chats") && lists.Add(1) == 2 {
			close(polled)
		}
		p.ServeHTTP(w, r)
	}))
	defer server.Close()
	cmd := process(t, "NECTAR_BASE_URL="+server.URL+"/mobile_api", "NECTAR_EMAIL=bot@social.example", "NECTAR_PASSWORD=correct horse",
		"NECTAR_POLL_INTERVAL=50ms", "NECTAR_LOG_FORMAT=json")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-polled
	ana := script.Actor("ana")
	scene := script.Script{Account: me, Steps: []script.Step{ana.Says("hi"), ana.Expects("Hello, Ana!")}}
	if err := script.Play(t.Context(), p, scene); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for log := bufio.NewScanner(stderr); log.Scan(); {
		if !strings.HasPrefix(log.Text(), "{") {
			t.Errorf("it prints %q", log.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestItSaysWhatIsMissing(t *testing.T) {
	out, err := process(t).CombinedOutput()
	if err == nil || strings.Count(string(out), "is missing (example: NECTAR_") != 3 || strings.Count(string(out), "\n") != 3 {
		t.Errorf("%v: it prints\n%s", err, out)
	}
}
