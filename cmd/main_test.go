package cmd

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"go.uber.org/goleak"
)

// hunter2 is the secret that must not get through.
const hunter2 = "hunter2"

func TestMain(m *testing.M) {
	child.Main(map[string]func(){"nectar": func() { haveDisk(); Main() }, "a crash": crash, "a poison": poison})
	if err := flag.Set("test.parallel", "16"); err != nil { // most of them wait for processes and for each other
		panic(err)
	}
	goleak.VerifyTestMain(effort.Choosing(m), goleak.Cleanup(func(code int) {
		pgtest.Stop()
		os.Exit(code)
	}))
}

// crash ends a program as Go does: by what a goroutine panics with.
func crash() {
	go func() { panic("a goroutine of a handler") }()
	select {}
}

// result is what a run of the command leaves.
type result struct {
	status         int
	stdout, stderr string
}

// nectar runs the command with args in an environment without variables.
func nectar(t *testing.T, args ...string) result {
	t.Helper()
	return nectarIn(t, nil, args...)
}

// patience is how long is waited for what is to happen, on a machine with other work.
const patience = 3 * time.Minute

// soon is for what has to happen before patience is over: the context of a test ends with it alone.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// nectarIn runs the command with args in an environment with these variables.
func nectarIn(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{Args: args, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}
	ctx, cancel := context.WithTimeout(t.Context(), patience) // a bot that should have been refused runs for ever
	defer cancel()
	return result{execute(ctx, sh), out.String(), err.String()}
}

// awaitTimes returns when a program has said a text so many times.
func awaitTimes(t *testing.T, said *child.Output, text string, times int) {
	t.Helper()
	said.Until(t, fmt.Sprintf("%d times %q", times, text), func(all string) bool { return strings.Count(all, text) >= times })
}

// capture returns a log of every level, and what it got.
func capture() (*slog.Logger, *bytes.Buffer) {
	var lines bytes.Buffer
	return slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})), &lines
}
