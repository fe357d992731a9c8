//go:build unix

package bot_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// A standby that had not got the last commits takes the place of the database: the worker that finds that stops all, and none begins
// until somebody has accepted it. What was answered is not answered again then.
func TestWorkersOfADatabaseThatHasLostSomething(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 4)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	standby, err := w.server.Standby()
	must(err)
	defer standby.Stop()
	w.url = w.server.URL("," + standby.Dir + "&target_session_attrs=read-write")
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
	must(standby.End(syscall.SIGINT))
	w.say("of which the standby does not hear")
	w.answered("the standby is away")
	must(w.server.Kill())
	must(standby.Start())
	must(standby.Promote(ctx))
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
	lost, accepted, err := board.Loss(ctx)
	must(err)
	if lost == nil || lost.Worker != "a" && lost.Worker != "b" || lost.At.IsZero() || accepted != nil {
		t.Errorf("it has lost %+v, and accepted is %+v", lost, accepted)
	}
	if lost, err = board.AcceptLoss(ctx, "ann", "nothing is open"); err != nil || lost == nil {
		t.Errorf("accepted is %+v, %v", lost, err)
	}
	lost, accepted, err = board.Loss(ctx)
	must(err)
	if lost != nil || accepted == nil || accepted.By != "ann" || accepted.Why != "nothing is open" || accepted.AcceptedAt.IsZero() {
		t.Errorf("after that it has lost %+v, and accepted is %+v", lost, accepted)
	}
	d := w.run(ctx, "d", begins)
	w.giveBack(len(w.people)) // what nobody knows any more to be the bot's looks as if a person had written
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

// giveBack waits until so many conversations are a person's, and gives them back to the bot.
func (w *works) giveBack(conversations int) {
	w.t.Helper()
	inspector, err := store.OpenInspector(w.t.Context(), w.url, secretKey)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = inspector.Close() }()
	given := map[event.Key]bool{}
	for owned := -1; owned != 0 || len(given) < conversations; time.Sleep(20 * time.Millisecond) {
		owned = 0
		for i := range w.accounts {
			rows, err := inspector.Owned(w.t.Context(), record.ConversationQuery{Account: w.accounts[i].Name, Limit: 10})
			if err != nil {
				w.t.Fatal(err)
			}
			owned += len(rows)
			for n := range rows {
				key := rows[n].Key
				if given[key] {
					continue
				}
				given[key] = true
				if _, err := inspector.Ask(w.t.Context(), event.Request{Key: key, Wish: event.WishGiveBack, By: "ann"}); err != nil {
					w.t.Fatal(err)
				}
			}
		}
	}
}
