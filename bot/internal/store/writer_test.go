package store_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// bubble is a store in a bubble, in which each commit takes 10 ms.
type bubble struct {
	*file
	began time.Time

	mu    sync.Mutex
	tries int    // commits that were tried
	while func() // happens while a commit runs
}

// around lets a commit take its time.
func (b *bubble) around(commit func() error) error {
	b.do(func() { b.tries++; b.while() })
	err := commit()
	time.Sleep(10 * time.Millisecond)
	return err
}

// do keeps what the test does and what happens while a commit runs apart.
func (b *bubble) do(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func inBubble(t *testing.T, test func(t *testing.T, b *bubble)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{file: &file{path: path, log: &page{}}, began: time.Now(), while: func() {}}
		b.db = openFile(t, store.Options{
			Path: path, Fast: true, Log: slog.New(slog.NewTextHandler(b.log, nil)),
			Around: b.around,
		})
		b.world = &world{tb: t, Store: b.db}
		test(t, b)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestGroups: a write that comes alone is stored at once; those that come meanwhile make the next
// groups, of at most 400, and what nobody waits for goes with them. In a rush a group that is not full waits for 10 ms,
// and who comes alone after it for nothing.
func TestGroups(t *testing.T) {
	inBubble(t, func(_ *testing.T, w *bubble) {
		after := make([]time.Duration, 0, 1000)
		done := make(chan bool)
		for n := range int64(1000) {
			turn := says(turnOf(message(platform.UserID(n+1), n+1)), "hello")
			w.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
				if r.Err != nil || r.Dropped {
					w.Errorf("turn %d: %+v", n, r)
				}
				if after = append(after, time.Since(w.began)); len(after) == cap(after) {
					close(done)
				}
			}})
			if n == 0 {
				synctest.Wait() // the first is on its way
			}
		}
		<-done
		want := []time.Duration{10 * time.Millisecond}
		for _, group := range []struct {
			size int
			at   time.Duration
		}{{400, 20 * time.Millisecond}, {400, 30 * time.Millisecond}, {199, 50 * time.Millisecond}} {
			want = append(want, slices.Repeat([]time.Duration{group.at}, group.size)...)
		}
		w.same("receipts came after", want, after)
		for _, took := range []time.Duration{20 * time.Millisecond, 10 * time.Millisecond} { // the first is of the rush
			began := time.Now()
			w.must(turnOf(message(1, int64(len(after)+1))))
			after = append(after, time.Since(began))
			w.same("one alone took", took, time.Since(began))
		}
	})
}

// TestLinger: what nobody waits for is stored 25 ms after the first of it came, however much more
// comes; and at once with a commit.
func TestLinger(t *testing.T) {
	inBubble(t, func(_ *testing.T, w *bubble) {
		turn := says(turnOf(message(7, 1)), "hello")
		w.must(turn)
		began := time.Now()
		m := mark(turn, event.StateInDoubt, 0)
		for i := range 8 {
			m.Position = int64(1000 + i)
			w.QueueMarks(m)
			w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: int64(i)})
			w.QueueCursors()
			time.Sleep(4 * time.Millisecond)
		}
		time.Sleep(time.Until(began.Add(36 * time.Millisecond))) // 25 ms and a commit
		w.same("position", int64(1006), w.position())            // the last one was given while the commit ran
		cursors, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{0})
		if err != nil || len(cursors) != 1 || cursors[0].ID != 6 {
			w.Errorf("cursors %v, error %v", cursors, err)
		}
		w.must(turnOf(message(7, 2)))
		w.same("position after a commit", int64(1007), w.position())
		synctest.Wait()
		began = time.Now()
		w.flush()
		if took := time.Since(began); took != 0 {
			w.Errorf("storing nothing took %v", took)
		}
	})
}

// position returns the place of the only open action.
func (w *world) position() int64 {
	w.Helper()
	open, err := w.Open(w.Context(), ana)
	if err != nil || len(open) != 1 {
		w.Fatalf("open %v, error %v", open, err)
	}
	return open[0].Position
}

// TestPatience: while the database takes nothing, what nobody waits for is kept, and tried less and
// less often.
func TestPatience(t *testing.T) {
	inBubble(t, func(t *testing.T, w *bubble) {
		t.Helper()
		turn := says(turnOf(message(7, 1)), "hello")
		w.must(turn)
		if err := w.db.Pragma("busy_timeout(0)"); err != nil { // it would wait on another clock
			w.Fatal(err)
		}
		other := connect(t, w.path)
		if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
			w.Fatal(err)
		}
		n, m := int64(0), mark(turn, event.StateInDoubt, 0)
		news := func() {
			n++
			m.Position = n
			w.QueueMarks(m)
			w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 1, Mark: uint64(n)})
		}
		w.do(func() { w.tries, w.while = 0, news }) // what comes while a try fails is the newest
		for range 600 {
			w.do(news)
			time.Sleep(100 * time.Millisecond)
		}
		w.do(func() {
			if w.tries < 8 || w.tries > 20 {
				w.Errorf("%d tries in a minute", w.tries)
			}
		})
		time.Sleep(11 * time.Second) // one more try at least
		if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
			w.Fatal(err)
		}
		w.do(func() { w.while = func() {} })
		time.Sleep(11 * time.Second)
		w.same("position", n, w.position())
		cursors, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{0})
		if err != nil || len(cursors) != 1 || cursors[0].Mark != uint64(n) {
			w.Errorf("cursors %v, error %v", cursors, err)
		}
		if log := w.log.lines(); len(log) != 2 {
			w.Errorf("the log is %q", log)
		}
	})
}

// TestClosingAtOnce: what nobody waits for is stored without waiting for company.
func TestClosingAtOnce(t *testing.T) {
	inBubble(t, func(_ *testing.T, w *bubble) {
		turn := says(turnOf(message(7, 1)), "hello")
		w.must(turn)
		began := time.Now()
		w.QueueMarks(mark(turn, event.StateDone, 5))
		if err := w.Close(); err != nil {
			w.Fatal(err)
		}
		if took := time.Since(began); took != 10*time.Millisecond {
			w.Errorf("it took %v", took)
		}
	})
}

// TestClosingGivesUp: what nobody waits for does not keep a store from closing.
func TestClosingGivesUp(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	turn := says(turnOf(message(7, 1)), "hello")
	f.must(turn)
	if err := f.db.Pragma("busy_timeout(0)"); err != nil {
		t.Fatal(err)
	}
	other := connect(t, f.path)
	if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	f.QueueMarks(mark(turn, event.StateDone, 700))
	refused := make(chan store.Receipt, 1)
	f.Commit(store.Write{Turn: turnOf(message(7, 2)), Done: func(r store.Receipt) { refused <- r }})
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if r := <-refused; r.Err == nil {
		t.Error("a turn was stored behind a lock")
	}
	if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	f.Store = f.open()
	f.same("open", []string{"hello"}, f.opened())
}
