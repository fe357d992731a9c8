//go:build unix

package stage_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// example is the example in a process and a directory of its own, with a .env.
func example(t *testing.T, dotenv string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir, cmd.Env = t.TempDir(), []string{asExample + "=1", "TMPDIR=" + t.TempDir()}
	if err := os.WriteFile(filepath.Join(cmd.Dir, ".env"), []byte(dotenv), 0o600); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &printed
	return cmd, &printed
}

func TestRunBringsItsOwnPlatform(t *testing.T) {
	cmd, printed := example(t, "")
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	want := regexp.MustCompile(`^\d\d:\d\d:\d\d ana      hello\n\d\d:\d\d:\d\d bot  →   ana: a polite answer to hello\n$`)
	if !want.MatchString(printed.String()) {
		t.Errorf("printed\n%s", printed)
	}
	for _, dir := range []string{cmd.Dir, strings.TrimPrefix(cmd.Env[1], "TMPDIR=")} {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 1 {
			t.Errorf("it leaves %v behind: %v", left, err)
		}
	}
}

func TestRunOnAPlatform(t *testing.T) {
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", "correct horse")
	polled := make(chan struct{}) // what was there before the first poll is skipped
	var lists atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/get_chats") && lists.Add(1) == 2 {
			close(polled)
		}
		p.ServeHTTP(w, r)
	}))
	defer server.Close()
	cmd, printed := example(t, "NECTAR_BASE_URL="+server.URL+"/mobile_api\nNECTAR_EMAIL=shop@social.example\nNECTAR_PASSWORD='correct horse'\nNECTAR_POLL_INTERVAL=50ms\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-polled
	if err := script.Play(t.Context(), p, script.Script{Account: me, Steps: show("polite").Scene(0)}); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, printed)
	}
	if strings.Contains(printed.String(), "ana") || strings.Contains(printed.String(), "correct horse") {
		t.Errorf("printed\n%s", printed)
	}
}

func TestRunWithABrokenFileOfSettings(t *testing.T) {
	cmd, printed := example(t, "NECTAR_PASWORD=x\n")
	if err := cmd.Run(); err == nil {
		t.Error("it runs")
	}
	if want := ".env: NECTAR_PASWORD: there is no such variable; did you mean NECTAR_PASSWORD?\n"; printed.String() != want {
		t.Errorf("printed %q", printed)
	}
}
