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
	taking    stage = iota // Holder.TakeShards is under way
	served                 // it is the holder's
	parting                // Holder.Release is under way, or over and the board is being told
	parted                 // nobody serves it, and the board has to be told (again)
	releasing              // the board is being told
	unclear                // it may have been told: that is seen with the next look
)

// retryRelease is how long a holder that could not release a shard has rest.
const retryRelease = time.Second

// giveToHolder gives shards to the holder.
func (w *Worker) giveToHolder(ctx context.Context, got []Holding) {
	if len(got) == 0 {
		return
	}
	for _, h := range got {
		w.shards[h.Shard] = &held{Holding: h}
	}
	w.log.Info("shards taken", "shards", len(got), "of_this_worker", len(w.shards))
	w.async(func() func() {
		w.cfg.Holder.TakeShards(ctx, got)
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
	w.calls.Go(func() { w.result(do()) })
}

// result lets Run do something.
func (w *Worker) result(f func()) {
	w.resultsMu.Lock()
	w.results = append(w.results, f)
	w.resultsMu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
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

// releaseShard lets the holder release a shard, and then the board.
func (w *Worker) releaseShard(ctx context.Context, s *held) {
	s.stage = parting
	w.async(func() func() {
		note, err := w.cfg.Holder.Release(ctx, s.Shard)
		if err == nil && len(note) > MaxNote {
			w.log.Error("what the next owner of a shard should know is too long, and is left out", "shard", s.Shard, "bytes", len(note))
			note = nil
		}
		if err == nil {
			w.tell(ctx, freed{s, note})
		}
		return func() {
			switch {
			case err != nil:
				s.stage, s.after = served, time.Now().Add(retryRelease)
				w.log.Warn("a shard could not be given up; it is tried again", "shard", s.Shard, "err", err)
			case s.stage == parting: // or what came of telling the board is known already
				s.stage = releasing
			}
		}
	})
}

// release tells the board of shards that are free, and of which it may not know.
func (w *Worker) release(ctx context.Context) {
	var all []freed
	for _, s := range w.shards {
		if s.stage == parted {
			s.stage = releasing
			all = append(all, freed{s, s.note})
		}
	}
	if len(all) > 0 {
		w.async(func() func() {
			w.tell(ctx, all...)
			return func() {}
		})
	}
}

// freed is a shard that nobody serves any more, with what the next owner has to know.
type freed struct {
	of   *held
	note []byte
}

// tell tells the board which shards are free: all at once that are by now, and what is meanwhile with the next call. A worker that
// stops has hundreds of them, and to tell of each by itself took a transaction each. It does not wait for Run, which may be waiting for the board
// itself: each shard is without an owner meanwhile.
func (w *Worker) tell(ctx context.Context, more ...freed) {
	w.resultsMu.Lock()
	w.freed = append(w.freed, more...)
	telling := w.telling
	w.telling = true
	w.resultsMu.Unlock()
	if telling {
		return
	}
	for {
		w.resultsMu.Lock()
		all := w.freed
		w.freed, w.telling = nil, len(all) > 0
		w.resultsMu.Unlock()
		if len(all) == 0 {
			return
		}
		w.tellOf(ctx, all)
	}
}

// tellOf tells the board that shards are free.
func (w *Worker) tellOf(ctx context.Context, all []freed) {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	free := make([]Released, len(all))
	for i, f := range all {
		free[i] = Released{Shard: f.of.Shard, Epoch: f.of.Epoch, Note: f.note}
	}
	err := w.board.Release(ctx, w.seat, free...)
	w.result(func() {
		for _, f := range all {
			if err != nil {
				f.of.stage, f.of.note = unclear, f.note
			} else if w.shards[f.of.Shard] == f.of { //mutate:come-back
				delete(w.shards, f.of.Shard) // or it has come back already
			}
		}
		if err != nil {
			w.noteTrouble("release shards", err)
		}
	})
}
