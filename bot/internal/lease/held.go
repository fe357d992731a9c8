package lease

import (
	"context"
	"time"
)

// held is a shard that this worker has.
type held struct {
	Holding
	stage stage
	note  []byte // of one that is parted
	after time.Time
}

// stage is how far a shard has come.
type stage uint8

const (
	taking    stage = iota // Holder.Take is under way
	served                 // it is the holder's
	parting                // Holder.Release is under way
	parted                 // nobody serves it, and the board has to be told
	releasing              // the board is being told
	unclear                // it may have been told: that is seen with the next look
)

// retryRelease is how long a holder that could not release a shard has rest.
const retryRelease = time.Second

// take gives shards to the holder.
func (w *Worker) take(ctx context.Context, got []Holding) {
	if len(got) == 0 {
		return
	}
	for _, h := range got {
		w.shards[h.Shard] = &held{Holding: h}
	}
	w.log.Info("shards taken", "shards", len(got), "of_this_worker", len(w.shards))
	w.async(func() func() {
		w.cfg.Holder.Take(ctx, got)
		return func() {
			for _, h := range got {
				// It may have gone and come back while the holder took it: another epoch is another taking.
				if s := w.shards[h.Shard]; s != nil && s.Epoch == h.Epoch {
					s.stage = served
				}
			}
		}
	})
}

// async does something beside Run, and what it returns in Run.
func (w *Worker) async(do func() func()) {
	w.calls.Go(func() {
		f := do()
		w.resultsMu.Lock()
		w.results = append(w.results, f)
		w.resultsMu.Unlock()
		select {
		case w.news <- struct{}{}:
		default:
		}
	})
}

// catchUp does what has come of what was done beside Run.
func (w *Worker) catchUp() {
	w.resultsMu.Lock()
	results := w.results
	w.results = nil
	w.resultsMu.Unlock()
	for _, f := range results {
		f()
	}
}

// part lets the holder release a shard, and then the board.
func (w *Worker) part(ctx context.Context, s *held) {
	s.stage = parting
	w.async(func() func() {
		note, err := w.cfg.Holder.Release(ctx, s.Shard)
		if err == nil && len(note) > MaxNote {
			w.log.Error("what the next owner of a shard should know is too long, and is left out", "shard", s.Shard, "bytes", len(note))
			note = nil
		}
		return func() {
			if err != nil {
				s.stage, s.after = served, time.Now().Add(retryRelease)
				w.log.Warn("a shard could not be given up; it is tried again", "shard", s.Shard, "err", err)
				return
			}
			s.stage, s.note = parted, note
		}
	})
}

// release tells the board which shards are free: all at once that are by now, and what is meanwhile with the next call. A worker that stops
// has hundreds of them, and to tell of each by itself took a transaction each.
func (w *Worker) release(ctx context.Context) {
	if w.releases {
		return
	}
	var all []*held
	var free []Released
	for _, s := range w.shards {
		if s.stage == parted {
			s.stage = releasing
			all, free = append(all, s), append(free, Released{Shard: s.Shard, Epoch: s.Epoch, Note: s.note})
		}
	}
	if len(free) == 0 {
		return
	}
	w.releases = true
	w.async(func() func() {
		ctx, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		err := w.board.Release(ctx, w.seat, free...)
		return func() {
			w.releases = false
			for _, s := range all {
				if err != nil {
					s.stage = unclear
				} else if w.shards[s.Shard] == s { //mutate:come-back
					delete(w.shards, s.Shard) // or it has come back already
				}
			}
			if err != nil {
				w.trouble("release shards", err)
			}
		}
	})
}
