package demo

import (
	"bufio"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Meter is how the bot of a demo measures itself, since nobody else sees its heap.
type Meter struct {
	polls atomic.Int64 // of accounts to which nobody writes
	began reading      // before there was any account
}

// reading is what a bot costs by a moment.
type reading struct {
	CPU   time.Duration // until it was asked
	After time.Duration // the same, with what the answer took: it collects garbage
	Polls int64
	Heap  int64 // what is in use, in bytes
	Stack int64
	RSS   int64
	Peak  int64 // of RSS
}

// read looks at the process.
func (m *Meter) read() reading {
	r := reading{CPU: cpuUsed(), Polls: m.polls.Load()}
	r.RSS, r.Peak = residentSet()
	runtime.GC()
	runtime.GC() // what was kept for finalizers
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	r.Heap, r.Stack, r.After = int64(s.HeapAlloc), int64(s.StackInuse), cpuUsed()
	return r
}

// notePolls counts the polls of idle accounts, and tells next of all.
func (m *Meter) notePolls(next func(event.Account, event.PollResult, error)) func(event.Account, event.PollResult, error) {
	if m == nil {
		return next
	}
	return func(account event.Account, result event.PollResult, err error) {
		if account != demoAccount {
			m.polls.Add(1)
		}
		next(account, result, err)
	}
}

// AnswerReadings says what the bot costs by now and cost before it had accounts, for each line of in, until there are no more.
func (m *Meter) AnswerReadings(in io.Reader, out io.Writer) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		_ = print.WriteLine(out, [2]reading{m.began, m.read()}) // the demo may be gone
	}
}
