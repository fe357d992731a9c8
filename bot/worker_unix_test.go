//go:build unix

package bot_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// run lets a worker run by itself. What it ends with comes from the channel.
func (w *works) run(ctx context.Context, name string, begun func(*bot.Working)) <-chan error {
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeating()})
	if err != nil {
		w.t.Fatal(err)
	}
	log := w.log
	if log == nil {
		log = slog.New(slog.NewTextHandler(w.t.Output(), nil)).With("worker", name)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- bot.RunWorker(ctx, bot.WorkerConfig{
			Name: name, Store: bot.StoreOptions{Path: w.url, Key: secretKey}, Accounts: w.of, Log: log, HostRate: w.rate,
			Serve: func(ctx context.Context, l *bot.Working) error {
				if w.starts != nil {
					w.starts(l)
				}
				b, err := bot.New(bot.Config{
					MayBeIdle: true, Log: log, Store: l.Store, Router: router, Transport: w.counted(l.Transport), Budget: l.Budget, Backlog: w.backlog, PollInterval: 200 * time.Millisecond,
					Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: -1}, ReconcileGrace: 2 * time.Second, RequestTimeout: 2 * time.Second, TakeoverFor: w.takeover,
				})
				if err != nil {
					return err
				}
				l.Use(b)
				begun(l)
				return errors.Join(b.Run(ctx), l.Ready()) // a bot may mind that its lease is lost
			},
		})
	}()
	return ended
}

// A worker whose lease is lost ends its bot, enters anew by itself, and goes on where it was. One of a name that another one has does not
// begin.
func TestWorkerEntersAnew(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 4)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	incarnations := make(chan *bot.Working, 10)
	ended := w.run(ctx, "a", func(l *bot.Working) { incarnations <- l })
	first := nextIncarnation(t, incarnations, ended)
	w.quiesce()
	w.say("before")
	w.answered("the first lease")
	if err := <-w.run(ctx, "a", func(*bot.Working) { t.Error("two workers of one name run") }); !errors.Is(err, record.ErrNameTaken) {
		t.Errorf("a second one of the name ends with %v", err)
	}

	board, err := board.Open(ctx, w.url, board.Options{Looks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	w.say("while it is taken over")
	w.takeOver(first)
	second := nextIncarnation(t, incarnations, ended)
	if second.Worker != first.Worker || second.Epoch <= first.Epoch {
		t.Errorf("it enters anew as %v, and was %v", second.Epoch, first.Epoch)
	}
	w.answered("it was taken over")
	w.say("after")
	w.answered("the second lease")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	v, err := board.ReadView(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if me := v.WorkerByNumber(first.Worker); me.State != lease.StateGone {
		t.Errorf("it has stopped, and is %v", me.State)
	}
}

// takeOver takes over from a worker that is at work.
func (w *works) takeOver(l *bot.Working) {
	w.t.Helper()
	board, err := board.Open(w.t.Context(), w.url, board.Options{Looks: true})
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	for taken := false; !taken; { // it moves in between
		v, err := board.ReadView(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if taken, err = board.TakeOver(w.t.Context(), v.WorkerByNumber(l.Worker).Sight); err != nil {
			w.t.Fatal(err)
		}
	}
}

// What may have left after the lease was over is told to people, as soon as the worker has another one.
func TestWorkerThatWasLate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	incarnations := make(chan *bot.Working, 10)
	ended := w.run(ctx, "a", func(l *bot.Working) { incarnations <- l })
	first := nextIncarnation(t, incarnations, ended)
	w.quiesce()
	w.platform.Disturb("send_message", emulator.Slow)
	sent := w.platform.Calls("send_message")
	w.say("at the wrong moment")
	for w.platform.Calls("send_message") == sent {
		time.Sleep(5 * time.Millisecond)
	}
	now := time.Now()
	first.Lose(lease.Loss{Why: lease.ErrGone, Since: now, Until: now, Late: 1, LateFrom: now, LateUntil: now})
	w.takeOver(first)
	second := nextIncarnation(t, incarnations, ended)
	account := w.accounts[0].Name
	notices, err := inspect.Of(second.Store).Notices(ctx, record.NoticeQuery{Account: account, Limit: 10})
	if err != nil || len(notices) != 1 || !strings.HasPrefix(notices[0].Text, "On the account "+string(account)+", message message:") || notices[0].Peer != w.people[0] {
		t.Errorf("people are told %+v, %v", notices, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// A worker whose bot cannot run ends, and leaves nothing behind on the board.
func TestWorkerWhoseBotFails(t *testing.T) {
	t.Parallel()
	w := newWorks(t, 1)
	broken := fmt.Errorf("it is broken")
	err := bot.RunWorker(t.Context(), bot.WorkerConfig{
		Name: "a", Store: bot.StoreOptions{Path: w.url, Key: secretKey}, Accounts: w.of,
		Serve: func(context.Context, *bot.Working) error { return broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("it ends with %v", err)
	}
	board, err := board.Open(t.Context(), w.url, board.Options{Looks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	v, err := board.ReadView(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Workers {
		if p.State != lease.StateGone {
			t.Errorf("%q is %v", p.Name, p.State)
		}
	}
}

// A worker that begins while the database is away waits for it, and goes on when it is back, also after it was away in the middle of a
// incarnation in which the bot has ended by that; what a person has to repair ends it at once, in one line.
func TestWorkerWhoseDatabaseIsAway(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 1)
	if err := w.server.End(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	incarnations, lines := make(chan *bot.Working, 10), make(chan string, 1000)
	w.log = slog.New(slog.NewTextHandler(&lineWriter{lines}, nil))
	ended := w.run(ctx, "a", func(l *bot.Working) { incarnations <- l })
	told := awaitLine(t, lines, "cannot begin yet")
	if !strings.Contains(told, "the server cannot be reached") {
		t.Errorf("it waits, and says %s", told)
	}
	if err := w.server.Start(); err != nil {
		t.Fatal(err)
	}
	nextIncarnation(t, incarnations, ended)
	awaitLine(t, lines, "is at work again")
	w.quiesce()
	w.say("before")
	w.answered("the database is there")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	for what, path := range map[string]string{
		"database": strings.Replace(w.url, "/postgres?", "/nowhere?", 1), "user": strings.Replace(w.url, "bot@", "nobody@", 1),
	} {
		w.url = path
		if err := <-w.run(t.Context(), "b", func(*bot.Working) { t.Error("it runs") }); !postgres.IsPermanent(err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("another %s: it ends with %v", what, err)
		}
	}
}

// A bot that fails since the database is away does not end its worker, in whatever incarnation, and one that fails by itself does.
func TestWorkerWhoseBotFailsLater(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 1)
	broken, incarnation := fmt.Errorf("it is broken"), 0
	err := bot.RunWorker(t.Context(), bot.WorkerConfig{
		Name: "a", Store: bot.StoreOptions{Path: w.url, Key: secretKey}, Accounts: w.of,
		Serve: func(ctx context.Context, l *bot.Working) error {
			if incarnation++; incarnation > 1 { // a second one whose lease is lost just then counts for nothing
				return broken
			}
			if err := w.server.End(syscall.SIGINT); err != nil {
				return err
			}
			_, err := inspect.Of(l.Store).Sets(ctx)
			if started := w.server.Start(); started != nil {
				t.Error(started)
			}
			return err
		},
	})
	if !errors.Is(err, broken) || incarnation < 2 {
		t.Errorf("it ends with %v in life %d", err, incarnation)
	}
}

// nextIncarnation waits until a worker begins.
func nextIncarnation(t *testing.T, incarnations <-chan *bot.Working, ended <-chan error) *bot.Working {
	t.Helper()
	select {
	case l := <-incarnations:
		return l
	case err := <-ended:
		t.Fatalf("it has ended, with %v", err)
	}
	return nil
}

// lineWriter gives what is written to a channel.
type lineWriter struct{ lines chan<- string }

func (w *lineWriter) Write(line []byte) (int, error) {
	w.lines <- string(line)
	return len(line), nil
}

// awaitLine waits for a line with a text.
func awaitLine(t *testing.T, lines <-chan string, text string) string {
	t.Helper()
	for limit := time.After(30 * time.Second); ; {
		select {
		case line := <-lines:
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			t.Fatalf("nobody says %q", text)
		}
	}
}
