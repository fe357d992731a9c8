package emulator

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

func TestLedgerKeepsOrderAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l Ledger
		start := time.Now()
		first := l.add(Entry{Kind: Said, From: 1, To: 2, Text: "hi", Seq: 77})
		time.Sleep(time.Second)
		second := l.add(Entry{Kind: Arrived, From: 2, To: 1, Text: "hello", ByAPI: true})
		want := []Entry{
			{Seq: 1, At: start, Kind: Said, From: 1, To: 2, Text: "hi"},
			{Seq: 2, At: start.Add(time.Second), Kind: Arrived, From: 2, To: 1, Text: "hello", ByAPI: true},
		}
		if diff := cmp.Diff(want, []Entry{first, second}); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, l.Since(0)); diff != "" {
			t.Errorf("Since(0) (-want +got):\n%s", diff)
		}
	})
}

func TestLedgerSince(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l Ledger
		n := rapid.Int64Range(0, 3*chunkSize).Draw(t, "entries")
		for i := range n {
			l.add(Entry{Kind: Said, Message: platform.MessageID(i + 1)})
		}
		if l.Len() != n {
			t.Fatalf("Len() = %d, want %d", l.Len(), n)
		}
		seq := rapid.Int64Range(-1, n+2).Draw(t, "seq")
		got := l.Since(seq)
		if want := max(0, n-max(seq, 0)); int64(len(got)) != want {
			t.Fatalf("Since(%d) returned %d entries, want %d", seq, len(got), want)
		}
		for i, e := range got {
			if want := max(seq, 0) + int64(i) + 1; e.Seq != want || int64(e.Message) != want {
				t.Fatalf("entry %d after %d is %d about message %d", i, seq, e.Seq, e.Message)
			}
		}
	})
}

func TestLedgerWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l Ledger
		l.add(Entry{Kind: Said})
		if err := l.Wait(t.Context(), 0); err != nil {
			t.Fatalf("Wait for what is there: %v", err)
		}
		woken := make(chan error)
		for range 3 {
			go func() { woken <- l.Wait(t.Context(), 2) }()
		}
		synctest.Wait()
		l.add(Entry{Kind: Said})
		synctest.Wait()
		select {
		case err := <-woken:
			t.Fatalf("Wait(2) returned %v after two entries", err)
		default:
		}
		l.add(Entry{Kind: Said})
		for range 3 {
			if err := <-woken; err != nil {
				t.Errorf("Wait(2) = %v after three entries", err)
			}
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := l.Wait(ctx, 3); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait beyond the deadline = %v", err)
		}
	})
}

func TestLedgerManyWriters(t *testing.T) {
	t.Parallel()
	var l Ledger
	var wg sync.WaitGroup
	const writers, each = 8, 1000
	for w := range writers {
		wg.Go(func() {
			for range each {
				l.add(Entry{Kind: Said, From: platform.UserID(w)})
			}
		})
	}
	var seen []Entry
	for len(seen) < writers*each {
		if err := l.Wait(t.Context(), int64(len(seen))); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, l.Since(int64(len(seen)))...)
	}
	wg.Wait()
	for i, e := range seen {
		if e.Seq != int64(i)+1 || i > 0 && e.At.Before(seen[i-1].At) {
			t.Fatalf("entry %d has seq %d and time %v", i, e.Seq, e.At)
		}
	}
}

func TestEntryKindString(t *testing.T) {
	t.Parallel()
	seen := map[string]EntryKind{}
	for k := Said; k <= Deleted; k++ {
		name := k.String()
		if other, twice := seen[name]; twice || name == "unknown" {
			t.Errorf("kind %d is called %q, as %d is", k, name, other)
		}
		seen[name] = k
	}
	if got := (Deleted + 1).String(); got != "unknown" {
		t.Errorf("a kind that is none is called %q", got)
	}
}

func BenchmarkLedgerAdd(b *testing.B) {
	var l Ledger
	b.ReportAllocs()
	for b.Loop() {
		l.add(Entry{Kind: Said, From: 1, To: 2, Text: "hi"})
	}
}
