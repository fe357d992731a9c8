package poll

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// tellEach is how often the log hears of chats that cannot be read for the same reason.
const tellEach = 10 * time.Minute

// tally gathers chats that cannot be read, and those that can be read again: however many there are, that is a line.
type tally struct {
	mu     sync.Mutex        // guards the field below
	counts map[string]*count // by what is said, without whom it is about
}

// count counts what is equal, but for whom it is about.
type count struct {
	times int // since it was told last
	peer  platform.UserID
	err   error // of the first one
	told  time.Time
}

func (n *count) add(peer platform.UserID, err error) {
	if n.times++; n.times == 1 {
		n.peer, n.err = peer, err
	}
}

// isDue reports whether there is something to tell, and notes that it is told.
func (n *count) isDue(now time.Time) bool {
	if n.times == 0 || !n.told.IsZero() && now.Sub(n.told) < tellEach { //mutate:tell-each
		return false
	}
	n.told = now
	return true
}

const (
	readAgain = "again"
	otherwise = "other"
	countsAt  = 8 // different reasons, at most
)

// add notes that a chat cannot be read, or can be read again if there is no error.
func (t *tally) add(peer platform.UserID, err error) {
	what := otherwise
	if refused := (*platform.Refused)(nil); errors.As(err, &refused) {
		what = refused.Error()
	} else if err == nil {
		what = readAgain
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]*count{}
	}
	if t.counts[what] == nil && len(t.counts) >= countsAt && err != nil {
		what = otherwise
	}
	if t.counts[what] == nil {
		t.counts[what] = &count{}
	}
	t.counts[what].add(peer, err)
}

// logDue writes what is due into the log.
func (t *tally) logDue(ctx context.Context, c *cycle) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		n := t.counts[what]
		switch {
		case !n.isDue(c.began):
			if n.times == 0 && c.began.Sub(n.told) >= tellEach {
				delete(t.counts, what)
			}
			continue
		case what == readAgain:
			c.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "a chat can be read again", n.attrs()...)
		default:
			c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a chat cannot be read", append(n.attrs(), slog.Any("error", n.err))...)
		}
		n.times, n.err = 0, nil
	}
	if len(t.counts) == 0 {
		t.counts = nil
	}
}

// attrs says whom it is about first, and how many there are.
func (n *count) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.Int64("peer", int64(n.peer))}
	if n.times > 1 {
		attrs = append(attrs, slog.Int("times", n.times))
	}
	return attrs
}
