package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// tryGroup stores what is queued by then as a group. With an error that is an unclear.Error it may be stored all the same,
// with any other one nothing is.
func (w *Writer) tryGroup(g *group) error {
	filled, applied := false, false
	err := w.around(func() error {
		w.fillGroup(g)
		filled = true
		err := w.apply(g)
		applied = err == nil
		return err
	})
	if !filled {
		w.fillGroup(g)
	}
	if err != nil && applied {
		err = &unclear.Error{Err: err}
	}
	return err
}

// findOut returns nil when a group turns out to be stored, and otherwise why it is not. Until it knows, it asks again and
// again, and nothing else is stored. In a writer that is closed it asks once more; then nobody will know.
func (w *Writer) findOut(g *group, doubt *unclear.Error) error {
	for {
		w.faults.noteCommit(doubt)
		// Read before the question is asked, so that a writer that is closed while it is under way asks once more.
		last, stored := w.isClosed(), false
		err := w.around(func() (err error) {
			stored, err = w.engine.isStored(g.number)
			return err
		})
		switch {
		case err == nil && stored: //mutate:found-out
			return nil
		case err == nil:
			return doubt.Err
		case isFinal(err):
			w.endStoring(err)
			return &unclear.Error{Err: err}
		// What nobody knows now, the next start sees in the database, as after a crash. A stop must not wait for one that is away.
		case last:
			w.lost = errClosed
			return doubt
		}
		w.rest(w.faults.pause())
	}
}

// rest waits for a while, unless the writer is closed.
func (w *Writer) rest(d time.Duration) {
	for until := time.Now().Add(d); !w.isClosed(); {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		w.sleep(left)
	}
}

func (w *Writer) isClosed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}
