//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// sits lets a worker enter on a server.
func sits(t *testing.T, url, name string) *visitor {
	t.Helper()
	return (&table{T: t, way: func() lease.Board { return openBoard(t, url) }}).sit(name)
}

// storeOf opens the store of a worker, over a way to the server.
func (g *visitor) storeOf(url string) *world {
	g.Helper()
	return newWorld(g.T, func(t *testing.T) database {
		t.Helper()
		return database{
			open: func() store.Store {
				return openServer(t, store.Options{Path: url, Key: "key", Fence: store.Fence{Worker: g.seat.Worker, Epoch: g.seat.Epoch, Stream: 1}})
			},
			inspector: func() asker { return openServerInspector(t, url) },
		}
	})
}

// takeOver takes over from a worker as it is.
func (g *visitor) takeOver(from *visitor) {
	g.Helper()
	_, seen := from.look()
	if taken, err := g.TakeOver(g.Context(), seen.Sight); !taken || err != nil {
		g.Error("it is not taken over: ", taken, err)
	}
}

// TestWorkersTogether: workers store beside one another, and a process without a lease keeps away from them, as they from it.
func TestWorkersTogether(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	url := pgServer(t).schema(t)
	a, b := sits(t, url, "a"), sits(t, url, "b")
	one, two := a.storeOf(url), b.storeOf(url)
	one.must(turnOf(message(7, 1)))
	two.must(turnOf(message(8, 2)))
	one.must(turnOf(message(7, 3)))
	doesNotOpen(t, url, "key", record.ErrInUse, "another process runs on this database")
	inspector := openServerInspector(t, url)
	b.beat() // who was not heard of for six seconds is no bot that runs
	if runs, err := inspector.Running(); !runs || err != nil {
		t.Errorf("a bot runs: %v, %v", runs, err)
	}
	b.takeOver(a)
	refuses(t, one, url, store.ErrFenced)
	two.must(turnOf(message(8, 4)))
	if _, err := store.Open(t.Context(), store.Options{Path: url, Key: "key", Fence: store.Fence{Worker: a.seat.Worker, Epoch: a.seat.Epoch, Stream: 2}}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("another store of a worker that has gone: %v", err)
	}
}

// TestAloneKeepsWorkersAway: a process without a lease has the database for itself.
func TestAloneKeepsWorkersAway(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	url := pgServer(t).schema(t)
	pgWorld(t, url)
	a := sits(t, url, "a")
	if _, err := store.Open(t.Context(), store.Options{Path: url, Key: "key", Fence: store.Fence{Worker: a.seat.Worker, Epoch: a.seat.Epoch, Stream: 1}}); !errors.Is(err, record.ErrInUse) {
		t.Errorf("a worker beside it: %v", err)
	}
}

// TestOwnersOnly: a worker that writes to a shard of another one is found out, in tests that want it.
func TestOwnersOnly(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	url := pgServer(t).bare(t)
	a := sits(t, url, "a")
	w := a.storeOf(url)
	sqlOn(t, url, pgserver.OwnersOnly)
	if r := w.commit(store.Write{Turn: turnOf(message(7, 1))}); r.Err == nil || !strings.Contains(r.Err.Error(), "not its own") {
		t.Errorf("the receipt is %+v", r)
	}
	a.want(lease.Want{Shard: ana.Shard(), Worker: a.seat.Worker})
	a.acquires()
	w.must(turnOf(message(7, 1)))
	if _, err := w.inspector.Ask(t.Context(), asking(berk, 7, event.WishTakeOver)); err != nil {
		t.Errorf("from anywhere: %v", err)
	}
}

// order is what comes first when a commit and a takeover meet.
type order struct {
	name   string
	finds  bool // the taker finds the connection that commits, and ends it
	before bool // the takeover is over before the commit goes on
}

// TestTakeoverAgainstCommit: wherever a takeover meets a commit, the commit is either stored before the takeover is over, or never;
// and whoever commits is told the truth.
func TestTakeoverAgainstCommit(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, o := range []order{
		{"the takeover ends the connection", true, true},
		{"the takeover waits", false, false},
	} {
		t.Run(o.name, func(t *testing.T) {
			effort.Case(t)
			s := pgServer(t)
			url := s.schema(t)
			p, far := newProxy(t, s, url)
			taker := sits(t, url, "taker")
			every := 1
			if effort.Few() {
				every = 7
			}
			for n, more := 0, true; more; n += every {
				more = stepTakeover(t, p, taker, url, far, o, n)
			}
		})
	}
}

// stepTakeover lets a takeover begin before message n of a commit; false when it has fewer.
func stepTakeover(t *testing.T, p *proxy, taker *visitor, url, far string, o order, n int) (more bool) {
	t.Helper()
	victim := sits(t, url, fmt.Sprint("victim ", n))
	w := victim.storeOf(far)
	if !o.finds {
		sqlOn(t, url, fmt.Sprint(`UPDATE fence SET backend_pid = 0 WHERE worker = `, victim.seat.Worker))
	}
	number := int64(n) + 1
	took := make(chan struct{})
	var once sync.Once
	seen, stored := 0, false
	p.stepThrough(func([]byte) {
		if seen++; seen <= n {
			return
		}
		once.Do(func() {
			go func() {
				defer close(took)
				taker.takeOver(victim)
				stored = len(sqlOn(t, url, fmt.Sprint(`SELECT 1 FROM event WHERE number = `, number))) > 0
			}()
			if o.before {
				<-took
				return
			}
			for waits := false; !waits; { // for a row, or it is over
				select {
				case <-took:
					waits = true
				default:
					waits = len(sqlOn(t, url, `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name LIKE 'nectar % worker % epoch %'`)) > 0
				}
			}
		})
	})
	r := w.commit(store.Write{Turn: turnOf(message(platform.UserID(7), number))})
	p.stepThrough(nil)
	ran := true
	once.Do(func() { ran = false })
	if !ran {
		return false
	}
	<-took
	is := len(sqlOn(t, url, fmt.Sprint(`SELECT 1 FROM event WHERE number = `, number))) > 0
	unclear := errors.As(r.Err, new(*unclear.Error))
	switch {
	case is != stored:
		t.Errorf("before message %d: stored when the takeover was over is %v, and later %v", n, stored, is)
	case r.Err == nil && !is, r.Err != nil && is && !unclear:
		t.Errorf("before message %d: stored is %v, and the receipt says %+v", n, is, r)
	}
	if next := w.commit(store.Write{Turn: turnOf(message(8, 1_000_000+number))}); !errors.Is(next.Err, store.ErrFenced) {
		t.Errorf("before message %d: the next receipt is %+v", n, next)
	}
	return true
}

// TestTakeoverUnderLoad: while a worker stores what it can, another one takes over: nothing is stored after that, and what was said to
// be stored is.
func TestTakeoverUnderLoad(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	url := pgServer(t).schema(t)
	taker := sits(t, url, "taker")
	for n := range int64(5) {
		victim := sits(t, url, fmt.Sprint("victim ", n))
		w := victim.storeOf(url)
		var told, failed []int64
		begun, done := make(chan struct{}), make(chan struct{})
		var over atomic.Bool
		go func() {
			defer close(done)
			for i := int64(1); ; i++ {
				number := 1_000*(n+1)*1_000 + i
				late := over.Load()
				switch r := w.commit(store.Write{Turn: turnOf(message(platform.UserID(n+1), number))}); {
				case errors.Is(r.Err, store.ErrFenced):
					return
				case errors.As(r.Err, new(*unclear.Error)):
					t.Errorf("nobody knows what has become of %d: %v", number, r.Err)
					return
				case r.Err != nil: // its connection was ended, and nobody had taken over yet when it had another one
					failed = append(failed, number)
					continue
				case late:
					t.Errorf("%d is stored although it was taken over", number)
					return
				}
				if told = append(told, number); len(told) == 20 {
					close(begun)
				}
			}
		}()
		<-begun
		taker.takeOver(victim)
		over.Store(true)
		after := len(sqlOn(t, url, `SELECT 1 FROM event`))
		<-done
		rows := sqlOn(t, url, `SELECT number FROM event`)
		stored := map[int64]bool{}
		for _, row := range rows {
			stored[row[0].(int64)] = true
		}
		for _, number := range told {
			if !stored[number] {
				t.Errorf("%d is said to be stored, and is not", number)
			}
		}
		for _, number := range failed {
			if stored[number] {
				t.Errorf("%d is said to have failed, and is stored", number)
			}
		}
		if len(rows) != after {
			t.Errorf("%d are stored after a takeover", len(rows)-after)
		}
	}
}

// TestFrozenInTheMiddle: a client that stands still in the middle of a group keeps its row locked for ever, unless whoever takes over
// ends its connection.
func TestFrozenInTheMiddle(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := pgServer(t)
	url := s.schema(t)
	p, far := newProxy(t, s, url)
	taker, victim := sits(t, url, "taker"), sits(t, url, "victim")
	w := victim.storeOf(far)
	frozen, thawed := make(chan struct{}), make(chan struct{})
	seen := 0
	p.stepThrough(func([]byte) {
		if seen++; seen == 12 { // the row is changed by then
			close(frozen)
			<-thawed
		}
	})
	receipt := make(chan store.Receipt, 1)
	w.Commit(store.Write{Turn: turnOf(message(7, 1)), Done: func(r store.Receipt) { receipt <- r }})
	<-frozen
	locked := func() bool {
		return len(sqlOn(t, url, fmt.Sprintf(`SELECT 1 FROM fence AS f JOIN pg_stat_activity AS a ON a.pid = f.backend_pid WHERE f.worker = %d AND a.backend_xid IS NOT NULL`, victim.seat.Worker))) > 0
	}
	w.eventually("its transaction has begun", locked)
	taker.takeOver(victim)
	p.stepThrough(nil)
	close(thawed)
	if r := <-receipt; !errors.Is(r.Err, store.ErrFenced) {
		t.Errorf("the receipt is %+v", r)
	}
	w.handled(map[event.ID]bool{}, message(7, 1).ID)
}
