package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"golang.org/x/sys/unix"
)

// console is a terminal that a person sits at.
type console struct {
	*testing.T

	keys, screen *os.File // what is typed, and what the command reads
	printed      chan string
}

func newConsole(t *testing.T) *console {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = screen.Close(), keys.Close() })
	return &console{t, keys, screen, make(chan string, 99)}
}

// Write takes what the command prints.
func (w *console) Write(p []byte) (int, error) {
	w.printed <- string(p)
	return len(p), nil
}

// types answers each question that the command asks with the line that stands behind it here; ^C interrupts.
func (w *console) types(args []string, talk ...[2]string) result {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	var errs bytes.Buffer
	var got result
	var done sync.WaitGroup
	done.Go(func() {
		got.status = execute(ctx, cli.Shell{Args: args, Stdin: w.screen, Stdout: w, Stderr: &errs})
		close(w.printed)
	})
	var all strings.Builder
	for _, line := range talk {
		for seen := ""; !strings.Contains(seen, line[0]); {
			text, open := <-w.printed
			if !open {
				w.Fatalf("it has not asked for %q:\n%s\n%s", line[0], all.String(), errs.String())
			}
			seen += text
			all.WriteString(text)
		}
		if line[1] == "^C" {
			cancel()
			continue
		}
		if _, err := io.WriteString(w.keys, line[1]+"\n"); err != nil {
			w.Fatal(err)
		}
	}
	for text := range w.printed {
		all.WriteString(text)
	}
	done.Wait()
	got.stdout, got.stderr = all.String(), errs.String()
	return got
}

// An interrupt at a question ends the command, whatever is asked: nothing is written or changed, and the terminal shows again what is typed.
func TestInterruptAtAQuestion(t *testing.T) {
	t.Parallel()
	for name, talk := range map[string][][2]string{
		"the first":    {{"Address of the platform", "^C"}},
		"the password": {{"Address of the platform", ""}, {"E-mail", "bot@social.example"}, {"Password", "^C"}},
		"the last":     {{"Address", ""}, {"E-mail", ""}, {"time zone", ""}, {"Language", ""}, {"at work", "^C"}},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			dir := t.TempDir()
			w := newConsole(t)
			before, err := unix.IoctlGetTermios(int(w.screen.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			got := w.types([]string{"init", "--dir", dir}, talk...)
			if got.status != cli.ExitFailed || got.stderr != "nectar: interrupted: nothing was changed\n" {
				t.Errorf("status %d, %q", got.status, got.stderr)
			}
			if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
				t.Errorf("%v is there, %v", there, err)
			}
			if after, err := unix.IoctlGetTermios(int(w.screen.Fd()), unix.TCGETS); err != nil || *after != *before {
				t.Errorf("the terminal was %+v, and is %+v, %v", before, after, err)
			}
		})
	}
}

// Init asks for nothing that a flag has said, and asks again for a password that it cannot write down; all other answers stay.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := newConsole(t).types([]string{"init", "--dir", dir, "--language", "es", "--hours", "Mon-Fri 10:00-14:00"},
		[2]string{"Address of the platform", "https://social.example/mobile_api"},
		[2]string{"E-mail", "nobody"}, [2]string{"no e-mail address", "bot@social.example"},
		[2]string{"Password", "it's"}, [2]string{"NECTAR_PASSWORD_FILE", "   "}, [2]string{"is empty", hunter2}, [2]string{"time zone", "Europe/Lisbon"})
	if got.status != 0 || got.stderr != "" {
		t.Fatalf("status %d, %s", got.status, got.stderr)
	}
	for _, secret := range []string{"it's", hunter2, "Language", "at work"} {
		if strings.Contains(got.stdout, secret) {
			t.Errorf("%q is printed:\n%s", secret, got.stdout)
		}
	}
	env, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"NECTAR_BASE_URL='https://social.example/mobile_api'", "NECTAR_EMAIL='bot@social.example'", "NECTAR_PASSWORD='" + hunter2 + "'"} {
		if !strings.Contains(string(env), line) {
			t.Errorf("%s is missing:\n%s", line, env)
		}
	}
	settings, err := os.ReadFile(filepath.Join(dir, "rules", "settings.yaml"))
	if err != nil || !strings.Contains(string(settings), "Europe/Lisbon") || !strings.Contains(string(settings), "Mon-Fri 10:00-14:00") {
		t.Errorf("%v\n%s", err, settings)
	}
}
