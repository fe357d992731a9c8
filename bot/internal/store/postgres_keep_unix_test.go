//go:build unix

package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// brief is a process on a server that lives for a moment, on a machine that has been up for a while.
type brief struct {
	url  string
	up   time.Duration
	ran  int // turns of all lives
	from time.Time
}

func (b *brief) open(t tb) *world {
	t.Helper()
	machine := recorder.Machine{Boot: "boot", Steady: func() time.Duration { return b.up }}
	return &world{tb: t, Store: openServer(t, store.Options{Path: b.url, Key: "key", Keep: keepDays * day, Machine: machine})}
}

// runs lets a process handle so many turns of somebody else, one every two seconds, the last of them now.
func (b *brief) runs(t tb, turns int) {
	t.Helper()
	w := b.open(t)
	from := b.from
	if from.IsZero() {
		from = time.Now()
	}
	for i := range turns {
		b.ran++
		turn := turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "zoe", Peer: 1}, Choice: fmt.Sprint(b.ran)})
		w.must(at(turn, from.Add(time.Duration(i+1-turns)*2*time.Second)))
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// fills stores what is old: so many events of several accounts, each with an action and a fact, and as many turns.
func (b *brief) fills(t tb, rows int) {
	t.Helper()
	w := b.open(t)
	old := time.Now().Add(-(keepDays + 1) * day)
	var writes []store.Write
	for i := range rows {
		e := message(7, int64(i+1))
		e.Account = event.Account(fmt.Sprint("account", i%3))
		said := at(says(turnOf(e), "hello", in(event.StateDone, int64(i+1))), old)
		said.Facts = []event.Fact{{Name: "fact", Value: raw("1"), ReadAt: old}}
		asked := at(turnBy(event.Trigger{Kind: event.ByRequest, Key: e.Key(), Choice: fmt.Sprint("old ", i)}), old)
		writes = append(writes, store.Write{Turn: said}, store.Write{Turn: asked})
		if len(writes) == 100 || i == rows-1 {
			for _, r := range w.commitAll(writes...) {
				if r.Err != nil || r.Dropped {
					t.Fatalf("%+v", r)
				}
			}
			writes = writes[:0]
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// left counts the rows of those accounts.
func (b *brief) left(t *testing.T) (left int) {
	t.Helper()
	db, err := store.OpenPostgresDB(b.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, table := range []string{"event", "turn", "action", "fact"} {
		n, _ := rowsOf(t, db, "SELECT count(*) FROM "+table+" WHERE account LIKE 'account%'")[0][0].(int64)
		left += int(n)
	}
	return left
}

// What is old goes although no worker lives for ten minutes, wherever it stands: those that live for two minutes, and those that see no
// second bite. The last event of each account stays.
func TestRetentionOfShortIncarnations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		turns, times, old int
	}{{"two minutes", 60, 3, 400}, {"a moment", 1, 300, 200}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &brief{url: pgServer(t).schema(t), up: time.Hour}
			b.fills(t, c.old)
			times := 0
			for ; times < c.times && b.left(t) > 3; times++ {
				b.runs(t, c.turns)
			}
			if n := b.left(t); n != 3 {
				t.Errorf("%d rows are left of %d after %d lives", n, 4*c.old, times)
			}
		})
	}
}

// A clock that nothing confirms, or of a machine that was just started, deletes nothing yet.
func TestRetentionOfDoubtfulClocks(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*brief{
		"just started": {up: time.Minute},
		"ahead":        {up: time.Hour, from: time.Now().Add(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.url = pgServer(t).schema(t)
			b.fills(t, 20)
			b.runs(t, 60)
			if n := b.left(t); n != 80 {
				t.Errorf("%d rows are left of 80", n)
			}
		})
	}
}

// Shards that come when a round has ended need not wait for an hour.
func TestRetentionOfShardsThatCome(t *testing.T) {
	t.Parallel()
	b := &brief{url: pgServer(t).schema(t), up: time.Hour}
	b.fills(t, 20)
	w := b.open(t)
	now, n := time.Now().Add(-2*time.Minute), 0
	turns := func() {
		for range 10 {
			now, n = now.Add(2*time.Second), n+1
			w.must(at(turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "zoe", Peer: 1}, Choice: fmt.Sprint(n)}), now))
		}
	}
	w.Serve([]int{event.Account("zoe").Shard()})
	turns()
	if n := b.left(t); n != 80 {
		t.Errorf("%d rows are left of others' 80", n)
	}
	w.Serve([]int{event.Account("zoe").Shard(), event.Account("account0").Shard(), event.Account("account1").Shard(), event.Account("account2").Shard()})
	turns()
	if n := b.left(t); n != 3 {
		t.Errorf("%d rows are left", n)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// A server is not asked for each row that goes.
func TestRetentionInArrays(t *testing.T) {
	t.Parallel()
	s := pgServer(t)
	url := s.schema(t)
	b := &brief{url: url, up: time.Hour}
	b.fills(t, 1000)
	p, through := newProxy(t, s, url)
	b.url = through
	b.runs(t, 1) // another connection makes ready
	b.url = url
	before := b.left(t)
	b.url = through
	w := b.open(t)
	ran, turns := p.ran.Load(), 0
	for ; turns < 60; turns++ {
		turn := turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: "zoe", Peer: 1}, Choice: fmt.Sprint("more ", turns)})
		w.must(at(turn, time.Now().Add(time.Duration(turns-60)*2*time.Second)))
	}
	statements := int(p.ran.Load() - ran)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	b.url = url
	gone := before - b.left(t)
	const each = 6 // of a turn without retention: its beginning, fence, what it stores, its end
	t.Logf("%d statements for %d turns and %d rows that went", statements, turns, gone)
	if gone < 3000 || statements > turns*each+gone/20 {
		t.Errorf("%d statements for %d turns and %d rows that went", statements, turns, gone)
	}
}
