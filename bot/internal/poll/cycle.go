package poll

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// keepAfter is how often a cursor that did not move is delivered, for its time.
const keepAfter = time.Minute

// cycle is one pass over the sources of an account.
type cycle struct {
	cfg     *Config
	sends   *sends
	touched *touched
	heard   *heard
	wishes  *wishes
	odds    *odds
	hearing *sourceHealth // of the source that is polled
	moved   *atomic.Int64
	open    *openCalls
	hands   hands
	began   time.Time
	calls   atomic.Int64
	events  atomic.Int64
	late    atomic.Int64
	more    atomic.Bool   // there is more to read at once
	hurry   bool          // there is more to read soon
	listed  time.Duration // how long the chat list took
}

// noteProgress notes that the cycle gets on.
func (c *cycle) noteProgress() { c.moved.Store(time.Now().UnixMilli()) }

// call makes one call of the platform, in a slot.
func call[T any](ctx context.Context, c *cycle, f func(context.Context) (T, error)) (T, error) {
	if c.cfg.Slots != nil {
		if err := c.cfg.Slots.Acquire(ctx); err != nil {
			var none T
			return none, fmt.Errorf("wait for a free slot: %w", err)
		}
		defer c.cfg.Slots.Release()
	}
	c.calls.Add(1)
	defer c.noteProgress()
	return awaitCall(ctx, c, f)
}

// yield lets a reader of chats begin at an instant of its own, in a simulation.
func (c *cycle) yield(ctx context.Context, reader int) context.Context {
	if c.cfg.Yield == nil {
		return ctx
	}
	return c.cfg.Yield(ctx, fmt.Sprintf("reader %d of %s", reader, c.cfg.Account))
}

// readCursor reads a cursor of the account from the store.
func (c *cycle) readCursor(ctx context.Context, source event.Source) (cursor record.Cursor, found bool, err error) {
	list, err := c.cfg.Cursors.Cursors(ctx, c.cfg.Account, source, []platform.UserID{0})
	if err != nil {
		return record.Cursor{}, false, fmt.Errorf("read the cursor of %v: %w", source, err)
	}
	for _, cursor = range list {
		if cursor.Peer == 0 {
			return cursor, true, nil
		}
	}
	return record.Cursor{}, false, nil
}

// someChats tell whether messages were read: a cursor that is 0 says that its chat is still to be read.
const someChats = 100

// wasRead reports whether an earlier incarnation has read the messages of a chat: get_messages is there, even where it refuses something.
func (c *cycle) wasRead(ctx context.Context) (bool, error) {
	list, err := c.cfg.Cursors.CursorsAfter(ctx, c.cfg.Account, event.Messages, 0, someChats)
	if err != nil {
		return false, fmt.Errorf("read the cursors of %v: %w", event.Messages, err)
	}
	return slices.ContainsFunc(list, func(cursor record.Cursor) bool { return cursor.ID > 0 }), nil
}

// hands are goroutines that make the calls of a cycle, one after the other: a new one for each call would have to grow its stack each time.
type hands struct {
	mu   sync.Mutex // guards the fields below
	idle []chan func()
	over bool
}

// do lets a goroutine run f. It may be left behind in it.
func (h *hands) do(f func()) {
	h.mu.Lock()
	n := len(h.idle)
	if n == 0 {
		h.mu.Unlock()
		go h.startWork(f)
		return
	}
	hand := h.idle[n-1]
	h.idle = h.idle[:n-1]
	h.mu.Unlock()
	hand <- f
}

func (h *hands) startWork(f func()) {
	next := make(chan func(), 1)
	for ok := true; ok; f, ok = <-next {
		f()
		h.mu.Lock()
		if h.over {
			h.mu.Unlock()
			return
		}
		h.idle = append(h.idle, next)
		h.mu.Unlock()
	}
}

// endIdle lets those go that have nothing to do; the others go when they are through.
func (h *hands) endIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for _, hand := range h.idle {
		close(hand)
	}
	h.idle = nil
}
