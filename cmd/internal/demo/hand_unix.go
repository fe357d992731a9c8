//go:build unix

package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// hand is a place for a worker. One that ends is started again, as a service manager would.
type hand struct {
	works *works
	slot  int

	mu    sync.Mutex // guards the fields below
	now   *workerIncarnation
	names int
	busy  bool // something befalls it
}

// workerIncarnation is one process of a worker, with roads of its own.
type workerIncarnation struct {
	number             int
	name               string
	process            *process
	database, platform *road
	ready              chan struct{} // closed when it has a lease
	done               chan struct{} // closed when it is over
	followed           atomic.Bool   // somebody comes in its place

	mu      sync.Mutex // guards the field below
	excused bool       // its end is no surprise
}

// excuseEnd says that its end is no surprise.
func (w *workerIncarnation) excuseEnd() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.excused = true
}

func (w *workerIncarnation) isExcused() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.excused
}

func (w *workerIncarnation) signal(s syscall.Signal) { _ = w.process.cmd.Process.Signal(s) } // it may be over

// isReady reports whether it has a lease, and is not over.
func (w *workerIncarnation) isReady() bool { return !w.isOver() && isClosed(w.ready) }

func (w *workerIncarnation) isOver() bool { return isClosed(w.done) }

// isClosed reports whether a channel, on which nothing is sent, is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// newName returns the name of a further worker.
func (h *hand) newName() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.names++
	return fmt.Sprintf("worker-%d-%d", h.slot+1, h.names)
}

// currentIncarnation returns who works here.
func (h *hand) currentIncarnation() *workerIncarnation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// setIncarnation says who works here.
func (h *hand) setIncarnation(l *workerIncarnation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = l
}

// takeHand reserves a hand for an incident; false when there is one, or nobody at work.
func (h *hand) takeHand(ready bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || ready && !h.now.isReady() {
		return false
	}
	h.busy = true
	return true
}

func (h *hand) free() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = false
}

// start starts a worker.
func (h *hand) start(name string) (*workerIncarnation, error) {
	w := h.works
	l := &workerIncarnation{number: w.nextIncarnation(), name: name, ready: make(chan struct{}), done: make(chan struct{})}
	log, err := h.spawnWorker(l)
	if err != nil {
		l.endRoads()
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.running.Go(func() {
		l.listen(w)
		spent, _ := l.process.wait() // how it ends is not asked
		_ = log.Close()
		l.endRoads()
		w.add(spent)
		close(l.done)
		h.replaceWorker(l)
	})
	return l, nil
}

// spawnWorker makes the roads and the process, and returns what that logs to.
func (h *hand) spawnWorker(l *workerIncarnation) (log io.Closer, err error) {
	w := h.works
	ctx := context.Background()
	var dialer net.Dialer
	if l.database, err = NewRoad(ctx, func() (net.Conn, error) { return w.database.dial(ctx) }); err != nil {
		return nil, err
	}
	if l.platform, err = NewRoad(ctx, func() (net.Conn, error) {
		c, err := dialer.DialContext(ctx, "tcp", w.address)
		if err == nil {
			// Noted before anything goes over it: the first request is to be this incarnation's.
			w.door.leadsTo(c.LocalAddr(), l.number)
		}
		return c, err
	}); err != nil {
		return nil, err
	}
	settings := w.botSettings()
	settings.Store = fmt.Sprintf("postgres://bot@%s/postgres?sslmode=disable", l.database.ListenAddress())
	settings.Worker = &demoWorker{Name: l.name, Platform: l.platform.ListenAddress(), Accounts: w.accounts}
	file, err := os.OpenFile(w.logOf(l), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if l.process, err = startProcess(file, settings.settingsVariable()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// logOf is the file that a worker logs to.
func (w *works) logOf(l *workerIncarnation) string {
	return filepath.Join(w.dir, fmt.Sprintf("%03d-%s.log", l.number, l.name))
}

// lastWords is the last line that a worker has logged.
func (w *works) lastWords(l *workerIncarnation) string {
	text, _ := os.ReadFile(w.logOf(l)) // it may have said nothing
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], "nectar: ")
}

func (w *workerIncarnation) endRoads() {
	for _, r := range []*road{w.database, w.platform} {
		if r != nil {
			r.End()
		}
	}
}

// listen reads what a worker says.
func (w *workerIncarnation) listen(other *works) {
	for lines := bufio.NewScanner(w.process.out); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 1 && words[0]+"\n" == Ready:
			if !isClosed(w.ready) { // or it is a further lease
				close(w.ready)
			}
		case len(words) == 2 && words[0] == workerPolled:
			other.hasPolled(event.Account(words[1]))
		case len(words) == 3 && words[0] == workerDoubts:
			left, _ := strconv.ParseInt(words[2], 10, 64)
			other.noteDoubt(Doubt{Account: words[1], Incarnation: w.number, At: time.Now(), Left: time.UnixMicro(left)})
		}
	}
}

// handRest is how long it is until a worker that has ended is started again.
const handRest = time.Second

// replaceWorker starts a worker in the place of one that has ended.
func (h *hand) replaceWorker(l *workerIncarnation) {
	if h.currentIncarnation() != l || h.works.isOver() || !l.followed.CompareAndSwap(false, true) {
		return
	}
	if !l.isExcused() {
		h.works.endedByItself(l)
	}
	rest := time.NewTimer(handRest)
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-h.works.ending:
		return
	}
	next, err := h.start(l.name)
	if err != nil {
		h.works.fail(err)
		return
	}
	h.setIncarnation(next)
}
