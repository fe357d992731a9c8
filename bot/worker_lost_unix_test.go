//go:build unix

package bot_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/record"
)

// An old copy of the disk takes the place of the database, which the server itself does not tell: the worker that finds that stops all, and none
// begins until somebody has accepted it. What was answered is not answered again then.
func TestWorkersOfADatabaseThatHasLostSomething(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 4)
	must := w.must
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun := make(chan *bot.Working, 4)
	begins := func(l *bot.Working) { begun <- l }
	a, b := w.run(ctx, "a", begins), w.run(ctx, "b", begins)
	<-begun
	<-begun
	w.quiesce()
	w.say("before")
	w.answered("both work")
	must(w.server.End(syscall.SIGINT))
	data, copied := w.server.Data(), w.server.Data()+".copy"
	must(exec.CommandContext(ctx, "cp", "-a", data, copied).Run())
	must(w.server.Start())
	w.say("of which the copy does not hear")
	w.answered("behind the copy")
	must(w.server.Kill())
	must(os.RemoveAll(data))
	must(os.Rename(copied, data))
	must(w.server.Start())
	ends := func(ended <-chan error) {
		t.Helper()
		if err := <-ended; !errors.Is(err, record.ErrLostCommits) && !errors.Is(err, record.ErrWentBack) {
			t.Errorf("a worker ends with %v", err)
		}
	}
	ends(a)
	ends(b)
	ends(w.run(ctx, "c", begins))

	board, err := board.Open(ctx, w.url, board.Options{Looks: true})
	must(err)
	defer func() { _ = board.Close() }()
	lost, accepted, err := board.LostCommits(ctx)
	must(err)
	if lost == nil || lost.Worker != "a" && lost.Worker != "b" || lost.At.IsZero() || accepted != nil {
		t.Errorf("it has lost %+v, and accepted is %+v", lost, accepted)
	}
	if lost, err = board.AcceptLoss(ctx, "ann", "nothing is open"); err != nil || lost == nil {
		t.Errorf("accepted is %+v, %v", lost, err)
	}
	lost, accepted, err = board.LostCommits(ctx)
	must(err)
	if lost != nil || accepted == nil || accepted.By != "ann" || accepted.Why != "nothing is open" || accepted.AcceptedAt.IsZero() {
		t.Errorf("after that it has lost %+v, and accepted is %+v", lost, accepted)
	}
	d := w.run(ctx, "d", begins)
	w.say("after")
	w.answered("it was accepted")
	stop()
	must(<-d)
}

// A lease may be lost before there is a bot, as when the database stands still at the start: the worker enters anew, and serves.
func TestLeaseIsLostBeforeThereIsABot(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 1)
	var first sync.Once
	w.starts = func(l *bot.Working) {
		first.Do(func() {
			w.takeOver(l)
			for l.Ready() == nil {
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	incarnations := make(chan *bot.Working, 10)
	ended := w.run(ctx, "a", func(l *bot.Working) { incarnations <- l })
	lost := nextIncarnation(t, incarnations, ended)
	if next := nextIncarnation(t, incarnations, ended); next.Epoch <= lost.Epoch {
		t.Errorf("it enters anew as %v, and was %v", next.Epoch, lost.Epoch)
	}
	w.quiesce()
	w.say("after that")
	w.answered("the second lease")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}
