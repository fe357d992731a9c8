package store

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
)

// steady is how long the database has to take every write before that is told: on a disk that is
// almost full a small one fits now and then.
const steady = 5 * time.Second

// faults tells when the database stops and starts to take writes. It belongs to the writer's
// goroutine.
type faults struct {
	log      *slog.Logger
	inARow   int          // commits that failed, up to now
	told     bool         // that the database takes no writes
	since    atomic.Int64 // in Unix microseconds: since when it takes none, as far as that was told; 0 while it does
	repaired time.Time    // when the first commit after the last that failed was stored; zero: not yet
}

// noteCommit takes how a commit went.
func (f *faults) noteCommit(err error) {
	switch {
	case err == nil && f.inARow > 0:
		f.inARow, f.repaired = 0, time.Now()
	case err != nil:
		// Of failures in a row the first one counts, also over a commit in between that succeeded by chance: see steady.
		f.since.CompareAndSwap(0, time.Now().UnixMicro())
		if f.inARow++; !f.told { //mutate:full-disk-told
			f.log.Error("the store cannot write; nothing new is handled until it can", "err", err)
		}
		f.told, f.repaired = true, time.Time{}
	}
}

// pause returns how long to wait before the next try, after some that failed.
func (f *faults) pause() time.Duration { return min(linger<<min(f.inARow, 10), longLinger) }

// wait tells that the database takes writes again when it is time to. It returns when that will be,
// or forever.
func (f *faults) wait() time.Duration {
	if !f.told || f.repaired.IsZero() {
		return forever
	}
	if left := steady - time.Since(f.repaired); left > 0 { //mutate:disk-steady
		return left
	}
	f.logRecovered()
	return forever
}

// logRecovered tells that the database takes writes again if it does.
func (f *faults) logRecovered() {
	if f.told && !f.repaired.IsZero() {
		f.log.Info("the store writes again")
		f.told = false
		f.since.Store(0)
	}
}

// Faulty returns since when the database takes no writes; zero while it does.
func (w *Writer) Faulty() time.Time { return bind.FromMicros(w.faults.since.Load()) }
