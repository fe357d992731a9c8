//go:build unix

package store_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// load keeps a number of turns in the writer: each that is done brings its action's mark and the next
// turn. So every group has the same size, and stores the marks of the one before.
type load struct {
	store    benched
	path     string
	server   string // the URL of a database of PostgreSQL; "" for a file
	people   int
	next     int // number of the next event
	left     int // turns to begin
	inFlight int
	talking  bool // turns change their conversation
	named    bool // each of the people has a name
	account  event.Account
	done     chan error
	states   map[platform.UserID]*conversation.State
}

// benched is a store that tells how far its sealer is.
type benched interface {
	store.Store
	Sealing(ctx context.Context) (record.Sealing, error)
}

func (l *load) run(b *testing.B, turns, size int) {
	b.Helper()
	l.left, l.inFlight, l.done = turns, 0, make(chan error, 1)
	l.store.Commit(store.Write{Done: func(store.Receipt) { // from here on all happens in the writer's goroutine
		for range min(size, turns) {
			l.begin()
		}
	}})
	if err := <-l.done; err != nil {
		b.Fatal(err)
	}
}

func (l *load) begin() {
	if l.left == 0 {
		return
	}
	l.left--
	l.inFlight++
	n := l.next
	l.next++
	now := time.UnixMicro(1_800_000_000_000_000 + int64(n)*100)
	peer := platform.UserID(1 + n%l.people)
	text := "message number " + strconv.Itoa(n)
	e := event.Event{
		Account: cmp.Or(l.account, "bench"), ID: event.ID{Source: event.Messages, Number: int64(n)}, Kind: event.KindMessage, Peer: peer,
		Name: "Somebody", User: "somebody", Text: text, SeenAt: now, NotBefore: now.Add(-time.Second),
	}
	if l.named {
		e.Name, e.User = fmt.Sprint("Somebody No. ", n%l.people), fmt.Sprint("somebody", n%l.people)
	}
	trigger := event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}
	a := event.Action{
		Key: trigger.ID() + "/echo/0", Account: e.Account, Peer: peer, Verb: event.VerbMessage, Text: text, State: event.StateSending,
		Due: now, Position: int64(n), ReconcileFrom: int64(n), DecidedAt: now, LeftAt: now,
	}
	t := &store.Turn{
		Trigger: trigger, Actions: []record.Action{{Action: a}}, Record: event.DecisionRecord{Route: "echo", Outcome: "handled"}, At: now,
	}
	if l.talking {
		c := l.states[peer]
		if c == nil {
			c = &conversation.State{Key: e.Key(), Name: "Somebody", User: "somebody"}
			l.states[peer] = c
		}
		c.Version++
		c.Flow = conversation.Instance{Flow: "order", State: "ask-size", Version: 1, Data: []byte(`{"size":"L"}`), Since: now}
		next := *c
		t.Conversation = &next
	}
	l.store.Commit(store.Write{Turn: t, Done: func(r store.Receipt) { l.committed(a, n, now, r) }})
}

func (l *load) committed(a event.Action, n int, now time.Time, r store.Receipt) {
	if r.Err != nil || r.Dropped || len(r.Denied) > 0 {
		l.left = 0
		select {
		case l.done <- fmt.Errorf("turn %d: %+v", n, r):
		default:
		}
		return
	}
	a.State, a.Result, a.Tries, a.EndedAt = event.StateDone, int64(n)+1_000_000_000, 1, now
	l.store.QueueMarks(outbox.MarkOf(&a))
	if n%10 == 0 {
		l.store.QueueCursors(record.Cursor{Account: a.Account, Source: event.Messages, Peer: a.Peer, ID: int64(n), PolledAt: now})
	}
	l.begin()
	if l.inFlight--; l.inFlight == 0 {
		select {
		case l.done <- nil:
		default:
		}
	}
}

func openBench(b *testing.B, talking bool) *load {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.db")
	l := &load{path: path, people: 1000, next: 1, talking: talking, states: map[platform.UserID]*conversation.State{}}
	l.store = openFile(b, store.Options{Path: path})
	b.Cleanup(func() {
		if err := l.store.Close(); err != nil {
			b.Error(err)
		}
	})
	return l
}

// measure reports the processor time per turn, of all threads.
func (l *load) measure(b *testing.B, size int) {
	b.Helper()
	l.run(b, 4*size, size)
	b.ReportAllocs()
	before, serverBefore := processorTime(b), time.Duration(0)
	if l.server != "" {
		serverBefore = serverTime(b, l.server)
	}
	b.ResetTimer()
	l.run(b, b.N, size)
	b.StopTimer()
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/turn")
	if l.server != "" {
		b.ReportMetric(float64((serverTime(b, l.server)-serverBefore).Nanoseconds())/1e3/float64(b.N), "server-cpu-µs/turn")
	}
}

// serverTime returns the processor time of the server's processes that write; Linux alone tells it.
func serverTime(b *testing.B, url string) time.Duration {
	b.Helper()
	var all time.Duration
	for _, row := range sqlOn(b, url, `SELECT backend_pid FROM fence`) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%v/stat", row[0]))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		user, uerr := strconv.ParseInt(fields[11], 10, 64)
		system, serr := strconv.ParseInt(fields[12], 10, 64)
		if uerr != nil || serr != nil {
			b.Fatal(uerr, serr)
		}
		all += time.Duration(user+system) * time.Second / 100
	}
	return all
}

// BenchmarkPostgresTurn is BenchmarkTurn with a server on the same machine that does not wait for its disk.
func BenchmarkPostgresTurn(b *testing.B) {
	url := pgServer(b).schema(b)
	for _, shape := range []string{"echo", "talk"} {
		for _, size := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/group=%d", shape, size), func(b *testing.B) {
				pgServer(b).clear(b, url)
				l := &load{server: url, people: 1000, next: 1, talking: shape == "talk", states: map[platform.UserID]*conversation.State{}}
				l.store = openServer(b, store.Options{Path: url, Key: "key"}).(benched)
				defer func() {
					if err := l.store.Close(); err != nil {
						b.Error(err)
					}
				}()
				l.measure(b, size)
			})
		}
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkTurn(b *testing.B) {
	for _, shape := range []string{"echo", "talk"} {
		for _, size := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/group=%d", shape, size), func(b *testing.B) {
				openBench(b, shape == "talk").measure(b, size)
			})
		}
	}
}

// BenchmarkGrown shows what a turn costs when much is stored already.
func BenchmarkGrown(b *testing.B) {
	for _, stored := range []int{1_000, 1_000_000} {
		var l *load
		opened := b // the store stays open over the rounds of a benchmark
		b.Run(fmt.Sprintf("echo/group=100/stored=%d", stored), func(b *testing.B) {
			if l == nil {
				l = openBench(opened, false)
				l.run(b, stored, 100)
			}
			l.measure(b, 100)
		})
	}
}

// BenchmarkOpen opens and closes a store with 1,000,000 events and 100,000 conversations.
func BenchmarkOpen(b *testing.B) {
	l := openBench(b, true)
	l.people = 100_000
	l.run(b, l.people, 100)
	l.talking = false
	l.run(b, 900_000, 100)
	for b.Loop() {
		if err := l.store.Close(); err != nil {
			b.Fatal(err)
		}
		l.store = openFile(b, store.Options{Path: l.path})
		if _, err := l.store.FlowStates(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := l.store.Open(b.Context(), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkConversation reads conversations that are stored, and that are not.
func BenchmarkConversation(b *testing.B) {
	l := openBench(b, true)
	l.run(b, l.people, 100)
	for name, from := range map[string]int{"stored": 1, "new": 1_000_000} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				key := event.Key{Account: "bench", Peer: platform.UserID(from + n%l.people)}
				if _, err := l.store.Conversation(b.Context(), key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRecorded reads all that was recorded, as for a replay.
func BenchmarkRecorded(b *testing.B) {
	l := openBench(b, false)
	const stored = 100_000
	l.run(b, stored, 100)
	d, err := store.OpenInspector(b.Context(), l.path, "")
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := d.Recorded(b.Context(), "bench", time.Time{}, func(record.Recorded) error { n++; return nil }); err != nil || n != stored {
			b.Fatalf("%d turns, %v", n, err)
		}
	}
}
