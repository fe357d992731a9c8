package bottest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// Decision says what the bot decided about one trigger, or how a try of it ended.
type Decision struct {
	Trigger string // "message:501", "notif:77", "timer:…"
	Text    string // of the event
	Route   string // "" for none
	Outcome string // bot.OutcomeHandled and so on
	Note    string
}

// String returns the decision record in one line.
func (d Decision) String() string {
	line := fmt.Sprintf("%s %q: %s", d.Trigger, d.Text, d.Outcome)
	if d.Route != "" {
		line += " by " + d.Route
	}
	if d.Note != "" {
		line += " (" + d.Note + ")"
	}
	return line
}

// book keeps what the bot decided and logged, over all its incarnations.
type book struct {
	mu        sync.Mutex // guards the fields below
	decisions map[event.Key][]Decision
	log       strings.Builder
}

func newBook() *book { return &book{decisions: map[event.Key][]Decision{}} }

func (b *book) note(key event.Key, t Decision) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.decisions[key] = append(b.decisions[key], t)
}

func (b *book) decisionsOf(key event.Key) []Decision {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.decisions[key])
}

func (b *book) loggedText() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

// page is what one incarnation of the bot writes into the book. A crash ends it.
type page struct {
	book  *book
	ended atomic.Bool
}

// Write takes a line of the log.
func (p *page) Write(line []byte) (int, error) {
	if !p.ended.Load() {
		p.book.mu.Lock()
		defer p.book.mu.Unlock()
		p.book.log.Write(line)
	}
	return len(line), nil
}

// watched is a store that notes what was stored of the bot's decisions.
type watched struct {
	store.Store
	page *page
}

// Commit passes the write on.
func (w watched) Commit(write store.Write) {
	done := write.Done
	write.Done = func(r store.Receipt) {
		if r.Err == nil && !r.Dropped && !w.page.ended.Load() {
			w.note(write)
		}
		if done != nil {
			done(r)
		}
	}
	w.Store.Commit(write)
}

func (w watched) note(write store.Write) {
	if t := write.Turn; t != nil {
		w.page.book.note(t.Trigger.Key, Decision{t.Trigger.ID(), t.Trigger.Event.Text, t.Record.Route, t.Record.Outcome, t.Record.Note})
	}
	if a := write.Attempt; a != nil && a.Tries > 0 {
		key, id := a.Event.Key(), a.Event.ID.String()
		if a.Timer != nil {
			key, id = a.Timer.Key, a.Timer.ID()
		}
		w.page.book.note(key, Decision{id, a.Event.Text, a.Record.Route, a.Record.Outcome, a.Record.Note})
	}
}
