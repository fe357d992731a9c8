package poll

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	readers     = 32 // goroutines that read chats, where there are slots
	failsInARow = 5  // reads after which a cycle gives up
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
func (cr *chatReader) read(ctx context.Context, c *cycle) error {
	jobs := cr.nextJobs(c)
	if len(jobs) == 0 {
		return nil
	}
	if err := cr.loadCursors(ctx, c, jobs); err != nil {
		return err
	}
	// Where the list takes long, reading may take twice as long: otherwise most of the time would go into lists.
	o := jobQueue{of: len(jobs), until: time.Now().Add(max(readFor, 2*c.listed))}
	work := func(reader int) {
		ctx := c.cfg.Yield(ctx, fmt.Sprintf("reader %d of %s", reader, c.cfg.Account))
		for i := o.takeJob(); i < len(jobs); i = o.takeJob() {
			o.noteJob(cr.readChat(ctx, c, jobs[i]))
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
	cr.sinkWatermark()
	if o.next < o.of && o.fatal == nil {
		c.more.Store(true) // a newer list first
	}
	cr.tidy(jobs)
	cr.refusals.logDue(ctx, c)
	return o.err()
}

// loadCursors reads the cursors of chats that were not active, with one query for all of them.
func (cr *chatReader) loadCursors(ctx context.Context, c *cycle, jobs []*chat) error {
	var peers []platform.UserID
	for _, ch := range jobs {
		if !ch.loaded {
			peers = append(peers, ch.peer)
		}
	}
	stored, err := c.readCursors(ctx, event.Messages, peers)
	if err != nil {
		return err
	}
	for _, ch := range jobs {
		if ch.loaded {
			continue
		}
		cursor, found := stored[ch.peer]
		if !found && cr.in.wasCut && !ch.behind {
			// The next incarnation has to know of the chat: a cut may hide it then.
			known := record.Cursor{Source: event.Messages, Peer: ch.peer, ID: int64(cr.watermark), PolledAt: c.began}
			if err := c.deliverBatch(ctx, Batch{Cursor: known}); err != nil {
				return err
			}
		}
		cr.resumeChat(ch, cursor, found)
	}
	return nil
}

// resumeChat sets where a chat was read to: its stored cursor, if there is one, or the watermark.
func (cr *chatReader) resumeChat(ch *chat, stored record.Cursor, found bool) {
	from := cr.watermark
	switch {
	// A cursor of 0 beside a watermark was stored at the first start, and its mark is no digest but how many messages were unread then.
	case found && stored.ID == 0 && cr.watermark > 0:
		ch.backlog = int(stored.Mark) // see findBacklog
	case found:
		from, ch.mark = platform.MessageID(stored.ID), stored.Mark
	}
	ch.loaded = true
	ch.cursor, ch.swept, ch.tail = from, from, tail{lowWater: int64(from)}
	ch.unbelieved = leap.IsLeap(int64(cr.in.level.topID()), int64(from))
}

// listedRow returns the row of a chat; nil if it does not stand where the chat says.
func (cr *chatReader) listedRow(ch *chat) *listRow {
	if ch.index < 0 || ch.index >= len(cr.in.rows) || cr.in.rows[ch.index].peer != ch.peer {
		return nil
	}
	return &cr.in.rows[ch.index]
}

// readChat reads what is new in a chat, and plans what comes next.
func (cr *chatReader) readChat(ctx context.Context, c *cycle, ch *chat) error {
	r := reading{cr: cr, c: c, chat: ch, from: ch.cursor, sweeping: !ch.pending}
	if r.sweeping {
		// A sweep looks below the cursor for what the platform has shown late: from where ids count as read, whether seen or not.
		r.from = platform.MessageID(ch.tail.lowWater)
	}
	began := time.Now()
	whole, err := r.read(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		cr.noteUnread(ch, began, err)
		return err
	}
	if ch.fails >= failsToReport {
		cr.refusals.add(ch.peer, nil)
	}
	ch.fails, ch.refusals, ch.retryAt, ch.behind = 0, 0, time.Time{}, false
	unshown := r.sweeping && !ch.hinted
	if unshown {
		c.late.Add(int64(r.fresh))
	}
	cr.in.hearing.noteChat(r.fresh, r.own, ch.counted && !r.sweeping, unshown)
	ch.counted, ch.hinted, ch.news = false, false, false
	// Only a read that came to its end says that the chat is heard; of a part the newest messages may be missing.
	if whole {
		cr.plan(c, &r, began)
		c.cfg.Bot.NoteHeard(ch.peer)
	}
	// What a sweep finds should have been read before: read on until nothing more comes.
	ch.doubted = r.fresh > 0 && (r.sweeping || ch.doubted)
	if !whole || ch.doubted {
		ch.unfinished = true
		c.more.Store(true)
	}
	return nil
}

// noteUnread notes that a chat could not be read.
func (cr *chatReader) noteUnread(ch *chat, began time.Time, err error) {
	refused := platform.Final(err) // a clear no may be about the other person
	if !refused {
		cr.in.hearing.noteUnreadable(err)
	}
	ch.planRetry(began, refused)
	// To the end of the queue, so that a chat which the platform does not show keeps nobody else from being read.
	ch.unfinished = ch.pending
	if ch.fails == failsToReport {
		cr.refusals.add(ch.peer, err)
	}
	if refused {
		ch.behind = false
	}
	if refused && !ch.pending && ch.refusals >= failsToReport {
		ch.sweepAt = time.Time{} // nothing shows that there is anything to read
	}
}

// plan notes that a chat was read to its end, and decides when it is swept.
func (cr *chatReader) plan(c *cycle, r *reading, began time.Time) {
	ch := r.chat
	if ch.verify && r.fresh == 0 {
		cr.server.learnSeeing(keepsUnseen)
	}
	if row := cr.listedRow(ch); row != nil { //mutate:locate
		row.state |= rowRead
	}
	ch.verify, ch.pending, ch.clean = false, false, began
	cr.in.heard.close(ch.peer, began)
	if r.sweeping {
		ch.sweepAt = time.Time{}
		// What was read before the last sweep counts as complete.
		ch.tail.forgetUpTo(int64(ch.swept))
		ch.swept = ch.cursor
	}
	switch {
	case r.fresh+r.own > 0:
		ch.markActive(began, c.cfg.SweepAfter)
	case r.sweeping:
		ch.sweptOnce(began, c.cfg.SweepAfter)
	default:
		ch.sweepBy(began.Add(c.cfg.SweepAfter))
	}
}

// tidy brings queue, sweeps and active chats in line with what was read. What is to be read once more goes to the end of the
// queue.
func (cr *chatReader) tidy(jobs []*chat) {
	cr.behind.removeRead(cr)
	cr.queue = slices.DeleteFunc(cr.queue, func(ch *chat) bool { return ch.unfinished || !ch.pending })
	for _, ch := range jobs {
		switch {
		case ch.unfinished:
			ch.unfinished, ch.pending = false, true
			cr.queue = append(cr.queue, ch)
		case ch.pending, ch.behind:
		case ch.sweepAt.IsZero():
			cr.dropChat(ch)
		default:
			cr.planSweep(ch, ch.sweepAt)
		}
	}
	if len(cr.queue) == 0 {
		cr.queue = nil
	}
	if len(cr.chats) == 0 {
		cr.chats = nil
	}
}

// jobQueue gives out jobs and gathers how they went.
type jobQueue struct {
	of int

	mu     sync.Mutex // guards the fields below
	next   int
	until  time.Time // no job is given out later
	streak int       // failures in a row
	failed int
	first  error
	fatal  error // why no more jobs are given out
}

// takeJob returns the next job, or one behind the last.
func (o *jobQueue) takeJob() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fatal != nil || o.next == o.of || o.next > 0 && !time.Now().Before(o.until) {
		return o.of
	}
	o.next++
	return o.next - 1
}

// noteJob takes how a job went. Some failures mean that all others would fail as well.
func (o *jobQueue) noteJob(err error) {
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
	switch {
	case o.fatal != nil:
	case errors.Is(err, errNoMessages), errors.As(err, &sink), errors.Is(err, platform.ErrRateLimited),
		errors.Is(err, context.Canceled):
		o.fatal = err
	// A refusal is about one chat. Anything else five times in a row is about the platform, and the next cycle finds out with one call.
	case o.streak >= failsInARow && !platform.Final(err):
		o.fatal = err
	}
}

// err returns the error of them all.
func (o *jobQueue) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.fatal != nil:
		return o.fatal
	case o.failed > 0:
		return &chatsError{o.failed, o.of, o.first}
	default:
		return nil
	}
}
