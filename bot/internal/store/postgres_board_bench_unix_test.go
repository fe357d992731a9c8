//go:build unix

package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// atBoard is a board, and where it is.
type atBoard struct {
	*board.Board
	URL string
}

// benchBoard is a board with eight workers that share all shards.
func benchBoard(b *testing.B) (atBoard, []lease.Seat) {
	b.Helper()
	url := pgServer(b).bare(b)
	var boards []*board.Board
	var seats []lease.Seat
	for n := range 8 {
		board := openBoard(b, url)
		seat, err := board.AddWorker(b.Context(), lease.Card{Name: fmt.Sprint("worker ", n), Version: "v1", Has: []string{"rules:a@1234567890", "host:social.example"}})
		if err != nil {
			b.Fatal(err)
		}
		boards, seats = append(boards, board), append(seats, seat)
	}
	share := func(*lease.View) (wants []lease.Want) {
		for n := range event.Shards {
			wants = append(wants, lease.Want{Shard: n, Worker: seats[n%len(seats)].Worker})
		}
		return wants
	}
	if ok, err := boards[0].StorePlan(b.Context(), seats[0], share); !ok || err != nil {
		b.Fatal(ok, err)
	}
	for n, board := range boards {
		if got, err := board.Acquire(b.Context(), seats[n]); err != nil || len(got) != event.Shards/len(seats) {
			b.Fatal(len(got), err)
		}
	}
	return atBoard{boards[0], url}, seats
}

// BenchmarkBoard is what a board costs with eight workers.
func BenchmarkBoard(b *testing.B) {
	board, seats := benchBoard(b)
	for name, do := range map[string]func() error{
		"beat": func() error {
			_, err := board.RenewLease(b.Context(), seats[0], lease.Pulse{State: lease.StateUp, Wall: time.Now()})
			return err
		},
		"look": func() error {
			_, err := board.ReadView(b.Context())
			return err
		},
		"claim of nothing": func() error {
			_, err := board.Acquire(b.Context(), seats[0])
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("takeover of 128 shards", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			from := victim(b, board, seats[0], fmt.Sprint("victim ", b.N, " ", n))
			b.StartTimer()
			if taken, err := board.TakeOver(b.Context(), from); !taken || err != nil {
				b.Fatal(taken, err)
			}
		}
	})
}

// victim is a worker that has the shards of another one.
func victim(b *testing.B, board atBoard, planner lease.Seat, name string) lease.Sight {
	b.Helper()
	theirs := openBoard(b, board.URL)
	seat, err := theirs.AddWorker(b.Context(), lease.Card{Name: name})
	if err != nil {
		b.Fatal(err)
	}
	v, err := board.ReadView(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var wants []lease.Want
	for n := 0; n < event.Shards; n += 8 {
		wants = append(wants, lease.Want{Shard: n, Worker: seat.Worker})
		if s := &v.Shards[n]; s.Owner == planner.Worker {
			if err := board.Release(b.Context(), planner, lease.Released{Shard: n, Epoch: s.Epoch}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if ok, err := board.StorePlan(b.Context(), planner, func(*lease.View) []lease.Want { return wants }); !ok || err != nil {
		b.Fatal(ok, err)
	}
	if got, err := theirs.Acquire(b.Context(), seat); err != nil || len(got) != len(wants) {
		b.Fatal(len(got), err)
	}
	return lease.Sight{Seat: seat}
}
