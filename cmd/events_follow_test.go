package cmd

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// page is what a command that goes on has printed.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// What comes is shown as it comes, each thing once, when it has had its turn.
func TestFollow(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("when do you open tomorrow?")
		ana.Hears()
		w.Advance(time.Minute)
		ctx, stop := context.WithCancel(context.Background())
		var shown page
		done := make(chan int)
		go func() {
			done <- execute(ctx, cli.Shell{Args: []string{"events", "--follow"}, Environ: []string{"NECTAR_STORE=sqlite:" + w.Database()}, Stdout: &shown, Stderr: &shown})
		}()
		w.Advance(5 * time.Second)
		if got := shown.String(); strings.Count(got, "when do you open tomorrow?") != 1 {
			t.Errorf("what had happened is shown as\n%s", got)
		}
		leo := w.Person("leo")
		leo.Says("what's the price of the box?")
		leo.Hears()
		w.Advance(time.Minute)
		stop()
		if status := <-done; status != 0 {
			t.Errorf("it ends with status %d", status)
		}
		got := shown.String()
		if strings.Count(got, "when do you open tomorrow?") != 1 || strings.Count(got, `@leo  message "what's the price of the box?"  →  answered by price-list`) != 1 {
			t.Errorf("it shows\n%s", got)
		}
	})
}
