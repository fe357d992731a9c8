//go:build unix

package cmd

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/fx"
)

// TestServerGoneWhileTheBotBegins: a worker whose server dies when its bot is about to run waits for it, as it does later. It is not over,
// and least of all with status 0, with which no service manager starts it again.
func TestServerGoneWhileTheBotBegins(t *testing.T) {
	t.Parallel()
	p := practiceOn(t, schemaOn(t, pgtest.New(t)))
	p.does(0, "was made", "migrate")
	var once sync.Once
	dies := fx.Invoke(func(bot.Store) {
		once.Do(func() {
			if err := p.server.Kill(); err != nil {
				t.Error(err)
			}
		})
	})
	ctx, interrupt := context.WithCancel(t.Context())
	log, status := &child.Output{}, make(chan int, 1)
	sh := cli.Shell{
		Args: []string{"run"}, Stdin: strings.NewReader(""), Stdout: log, Stderr: log, With: []fx.Option{dies}, Environ: p.environ,
		Hangup: func(func()) (<-chan os.Signal, func()) { return nil, func() {} },
	}
	go func() { status <- execute(ctx, sh) }()
	log.Await(t, "this worker cannot begin yet; it tries again by itself")
	if err := p.server.Start(); err != nil {
		t.Fatal(err)
	}
	log.Await(t, "the bot is at work")
	ana := script.Actor("ana")
	asks := script.Script{Account: p.me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}
	if err := script.Play(soon(t), p.platform, asks); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
	interrupt()
	if got := <-status; got != 0 {
		t.Errorf("status %d\n%s", got, log)
	}
}

// TestAddedPartEndsTheWorker: what is added to a program may end it, with status 0.
func TestAddedPartEndsTheWorker(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	p.does(0, "was made", "migrate")
	log := &child.Output{}
	ends := fx.Invoke(func(stop fx.Shutdowner) error { return stop.Shutdown() })
	sh := cli.Shell{
		Args: []string{"run"}, Stdin: strings.NewReader(""), Stdout: log, Stderr: log, With: []fx.Option{ends}, Environ: p.environ,
		Hangup: func(func()) (<-chan os.Signal, func()) { return nil, func() {} },
	}
	if got := execute(t.Context(), sh); got != 0 || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("status %d\n%s", got, log)
	}
}
