//go:build unix

package store_test

import (
	"fmt"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// BenchmarkSequences is what several connections that write would bring to one worker: so many turns are in flight at a time, over all of them.
func BenchmarkSequences(b *testing.B) {
	for _, careless := range []bool{true, false} {
		s, err := pgserver.New(pgserver.Options{Careless: careless})
		if err != nil {
			b.Fatal(err)
		}
		for _, inFlight := range []int{4, 16, 100} {
			for _, sequences := range []int{1, 2, 4} {
				b.Run(fmt.Sprintf("waits=%v/flying=%d/lanes=%d", !careless, inFlight, sequences), func(b *testing.B) {
					inSequences(b, s, sequences, inFlight)
				})
			}
		}
		s.Stop()
	}
}

func inSequences(b *testing.B, s *pgserver.Server, sequences, inFlight int) {
	b.Helper()
	name := fmt.Sprintf("l%d_%d_%d", sequences, inFlight, b.N)
	sqlOn(b, s.URL(""), "CREATE SCHEMA "+name)
	url := s.URL("&search_path=" + name)
	sealAll(b, url)
	board := openBoard(b, url)
	seat, err := board.AddWorker(b.Context(), lease.Card{Name: "one"})
	if err != nil {
		b.Fatal(err)
	}
	loads := make([]*load, sequences)
	for i := range loads {
		st, err := store.Open(b.Context(), store.Options{
			Path: url, Key: "key", Fence: store.Fence{Worker: seat.Worker, Epoch: seat.Epoch, Stream: int64(i + 1)},
		})
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		loads[i] = &load{
			store: st, server: url, people: 1000, next: 1, talking: true, states: map[platform.UserID]*conversation.State{},
			account: event.Account(fmt.Sprint("bench", i)),
		}
	}
	all := func(turns int) {
		ended := make(chan struct{})
		for _, l := range loads {
			go func() { l.run(b, max(turns/sequences, 1), max(inFlight/sequences, 1)); ended <- struct{}{} }()
		}
		for range loads {
			<-ended
		}
	}
	all(4 * inFlight)
	cpu, server := processorTime(b), serverTime(b, url)
	b.ResetTimer()
	all(b.N)
	b.StopTimer()
	b.ReportMetric(float64((processorTime(b)-cpu).Nanoseconds())/1e3/float64(b.N), "cpu-µs/turn")
	b.ReportMetric(float64((serverTime(b, url)-server).Nanoseconds())/1e3/float64(b.N), "server-cpu-µs/turn")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	b.ReportMetric(0, "ns/op")
}
