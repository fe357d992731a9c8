package poll

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	readsAtOnce  = 512 // chats that one cycle reads at most
	sweepsAtOnce = 32  // of those, chats that gave no hint
	readers      = 32  // goroutines that read chats, where there are slots
	failsInARow  = 5   // reads after which a cycle gives up
)

// chatsError says that some chats could not be read. They are read again, and nothing else waits.
type chatsError struct {
	failed, of int
	err        error // of the first one
}

func (e *chatsError) Error() string {
	return fmt.Sprintf("%d of %d chats could not be read: %v", e.failed, e.of, e.err)
}

func (e *chatsError) Unwrap() error { return e.err }

// read reads the chats that have to be, and those whose sweep is due.
func (in *inbox) read(ctx context.Context, c *cycle) error {
	jobs := in.jobs(c)
	if len(jobs) == 0 {
		return nil
	}
	if err := in.resume(ctx, c, jobs); err != nil {
		return err
	}
	in.locate(jobs) //mutate:locate
	o := outcome{of: len(jobs)}
	work := func(reader int) {
		ctx := c.yield(ctx, reader)
		for i := o.take(); i < len(jobs); i = o.take() {
			o.note(in.readChat(ctx, c, jobs[i]))
		}
	}
	if c.cfg.Slots == nil || len(jobs) == 1 {
		work(0)
	} else {
		var group sync.WaitGroup
		for reader := range min(len(jobs), readers) {
			group.Go(func() { work(reader) })
		}
		group.Wait()
	}
	in.tidy(jobs)
	return o.err()
}

// jobs returns the chats to read in this cycle.
func (in *inbox) jobs(c *cycle) []*chat {
	var jobs []*chat
	for _, ch := range in.queue {
		if ch.retryAt.After(c.began) {
			continue
		}
		if len(jobs) == readsAtOnce {
			c.more.Store(true)
			break
		}
		jobs = append(jobs, ch)
	}
	if in.nextSweep.IsZero() || in.nextSweep.After(c.began) { //mutate:sweep
		return jobs
	}
	var due []*chat
	in.nextSweep = time.Time{}
	for _, ch := range in.chats {
		switch {
		case ch.sweepAt.IsZero() || ch.pending:
		case ch.sweepAt.After(c.began) || ch.retryAt.After(c.began):
			in.sweep(ch, ch.sweepAt)
		default:
			due = append(due, ch)
		}
	}
	slices.SortFunc(due, func(a, b *chat) int {
		return cmp.Or(a.sweepAt.Compare(b.sweepAt), cmp.Compare(a.peer, b.peer))
	})
	if len(due) > sweepsAtOnce {
		in.nextSweep = c.began
		due = due[:sweepsAtOnce]
	}
	return append(jobs, due...)
}

// resume reads the cursors of chats that were not active, with one query for all of them.
func (in *inbox) resume(ctx context.Context, c *cycle, jobs []*chat) error {
	var peers []platform.UserID
	for _, ch := range jobs {
		if !ch.loaded {
			peers = append(peers, ch.peer)
		}
	}
	stored, err := c.cursors(ctx, event.Messages, peers)
	if err != nil {
		return err
	}
	for _, ch := range jobs {
		if ch.loaded {
			continue
		}
		cursor, found := stored[ch.peer]
		ch.resume(in.watermark, cursor, found)
	}
	return nil
}

// locate finds the rows of chats that gave their hint in an earlier list: they may stand elsewhere now.
func (in *inbox) locate(jobs []*chat) {
	find := finder{rows: in.rows}
	for _, ch := range jobs {
		if !in.stands(ch) {
			ch.index = int(find.peer(ch.peer))
		}
	}
}

// stands tells whether a chat's row stands where the chat says.
func (in *inbox) stands(ch *chat) bool {
	return ch.index >= 0 && ch.index < len(in.rows) && in.rows[ch.index].peer == ch.peer
}

// readChat reads what is new in a chat, and plans what comes next.
func (in *inbox) readChat(ctx context.Context, c *cycle, ch *chat) error {
	r := reading{in: in, c: c, chat: ch, from: ch.cursor, sweeping: !ch.pending}
	if r.sweeping {
		r.from = platform.MessageID(ch.tail.floor)
	}
	began := time.Now()
	whole, err := r.run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		if refused := (*platform.Refused)(nil); !errors.As(err, &refused) || errors.Is(err, platform.ErrServer) {
			in.ear.unreadable(err)
		}
		ch.failed(began)
		if ch.fails == failsToReport {
			c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a chat cannot be read",
				slog.Int64("peer", int64(ch.peer)), slog.Any("error", err))
		}
		return err
	}
	if ch.fails >= failsToReport {
		c.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "a chat can be read again", slog.Int64("peer", int64(ch.peer)))
	}
	ch.fails, ch.retryAt = 0, time.Time{}
	unshown := r.sweeping && !ch.hinted
	if unshown {
		c.late.Add(int64(r.fresh))
	}
	in.ear.read(r.fresh, r.own, ch.counted && !r.sweeping, unshown)
	ch.counted, ch.hinted = false, false
	if whole {
		in.plan(c, &r, began)
		c.cfg.Heard(ch.peer)
	}
	// What a sweep finds should have been read before: read on until nothing more comes.
	ch.doubted = r.fresh > 0 && (r.sweeping || ch.doubted)
	if !whole || ch.doubted {
		ch.unfinished = true
		c.more.Store(true)
	}
	return nil
}

// plan notes that a chat was read to its end, and decides when it is swept.
func (in *inbox) plan(c *cycle, r *reading, began time.Time) {
	ch := r.chat
	if ch.verify && r.fresh == 0 {
		in.server.learnSeeing(keepsUnseen)
	}
	if in.stands(ch) {
		in.rows[ch.index].state |= rowRead
	}
	ch.verify, ch.pending, ch.clean = false, false, began
	in.heard.close(ch.peer, began)
	if r.sweeping {
		ch.sweepAt = time.Time{}
		ch.settle()
	}
	switch {
	case r.fresh+r.own > 0:
		ch.active(began, c.cfg.SweepAfter)
	case r.sweeping:
		ch.sweptOnce(began, c.cfg.SweepAfter)
	default:
		ch.sweepBy(began.Add(c.cfg.SweepAfter))
	}
}

// tidy brings queue, sweeps and active chats in line with what was read.
func (in *inbox) tidy(jobs []*chat) {
	in.queue = slices.DeleteFunc(in.queue, func(ch *chat) bool { return ch.unfinished || !ch.pending })
	for _, ch := range jobs {
		switch {
		case ch.unfinished:
			ch.unfinished, ch.pending = false, true
			in.queue = append(in.queue, ch)
		case ch.pending:
		case ch.sweepAt.IsZero():
			delete(in.chats, ch.peer)
		default:
			in.sweep(ch, ch.sweepAt)
		}
	}
	if len(in.queue) == 0 {
		in.queue = nil
	}
	if len(in.chats) == 0 {
		in.chats = nil
	}
}

// outcome gives out jobs and gathers how they went.
type outcome struct {
	mu     sync.Mutex
	of     int
	next   int
	streak int // failures in a row
	failed int
	first  error
	fatal  error // why no more jobs are given out
}

// take returns the next job, or one behind the last.
func (o *outcome) take() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fatal != nil {
		return o.of
	}
	o.next++
	return o.next - 1
}

// note takes how a job went. Some failures mean that all others would fail as well.
func (o *outcome) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		o.streak = 0
		return
	}
	o.streak++
	o.failed++
	if o.first == nil {
		o.first = err
	}
	sink := (*deliveryError)(nil)
	refused := (*platform.Refused)(nil)
	switch {
	case o.fatal != nil:
	case errors.Is(err, errNoMessages), errors.As(err, &sink), errors.Is(err, platform.ErrRateLimited),
		errors.Is(err, context.Canceled):
		o.fatal = err
	case o.streak >= failsInARow && !errors.As(err, &refused):
		o.fatal = err
	}
}

func (o *outcome) err() error {
	switch {
	case o.fatal != nil:
		return o.fatal
	case o.failed > 0:
		return &chatsError{o.failed, o.of, o.first}
	default:
		return nil
	}
}
