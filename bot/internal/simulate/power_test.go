package simulate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// power is what an incarnation of the bot runs on. At one of the boundaries of its input and output it goes
// out: what the disk holds at that instant is all that the next incarnation gets, and nothing that this one
// does afterwards has an effect.
type power struct {
	trace       *trace
	incarnation int
	from        string // the database of this incarnation
	to          string // where the next one finds its own
	// Of a worker, whose database outlives it: what befalls it at a boundary, and its way to the database.
	cut func(what string)
	way func(ctx context.Context) error

	disk  sync.Mutex // held while the database is written or copied
	mu    sync.Mutex
	count int // boundaries so far
	last  int // the boundary at which the power goes out; 0: it does not
	out   atomic.Bool
	dark  chan struct{} // closed when the power is out
}

var errDark = errors.New("the power is out")

func newPower(t *trace, incarnation int, from, to string) *power {
	return &power{trace: t, incarnation: incarnation, from: from, to: to, dark: make(chan struct{})}
}

// arm lets the power go out at the n-th boundary from now on; never for 0.
func (p *power) arm(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.last = 0, n
}

// boundary counts a boundary, and returns an error when the incarnation is over.
func (p *power) boundary(what string) error {
	return p.torn(what, -1)
}

// torn is boundary, with a log of the database that breaks off after so many bytes; below 0 it is whole.
func (p *power) torn(what string, log int64) error {
	if p.out.Load() {
		return errDark
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out.Load() {
		return errDark
	}
	p.count++
	if p.count != p.last {
		return nil
	}
	if p.cut != nil {
		p.cut(what)
		return p.dead()
	}
	p.trace.add("life %d ends at boundary %d: %s", p.incarnation, p.count, what)
	p.disk.Lock()
	defer p.disk.Unlock()
	copyDatabase(p.to, p.from, log)
	p.out.Store(true)
	close(p.dark)
	return errDark
}

// dead returns an error when the power is out.
func (p *power) dead() error {
	if p.out.Load() {
		return errDark
	}
	return nil
}

// fail lets the power go out, and reports whether it was there.
func (p *power) fail() bool {
	if p.out.Swap(true) {
		return false
	}
	close(p.dark)
	return true
}

// spare keeps the power on whatever boundary comes.
func (p *power) spare() { p.arm(0) }

// copyDatabase copies a database that nobody writes, with its log up to so many bytes of it.
func copyDatabase(to, from string, log int64) {
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Clean(from + suffix))
		if suffix != "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if suffix != "" && log >= 0 {
			content = content[:min(log, int64(len(content)))]
		}
		if err == nil {
			err = os.WriteFile(to+suffix, content, 0o600)
		}
		if err != nil {
			panic(err) // the simulator's own fault
		}
	}
	if log >= 0 { // that was the machine's death, and not the process's: what lay beside it unsynced is gone
		return
	}
	if err := recorder.Copy(to+recorder.Suffix, from+recorder.Suffix); err != nil {
		panic(err)
	}
}

// logSize returns the size of the database's log.
func (p *power) logSize() int64 {
	info, err := os.Stat(p.from + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}
