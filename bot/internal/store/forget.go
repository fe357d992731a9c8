package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/record"
)

// A person is forgotten in bites, so that turns of others come in between, and in an order in which a crash does no
// harm: what says nothing any more stays as a mark, and the request stays until all is done. The next incarnation begins anew
// with what is left.
//
// SQLite overwrites what it deletes (secure_delete), but not what it has moved from page to page before: that is looked
// for in the end, see stale. The log is emptied, too.

// Forgetting is how far a person is forgotten. It is good for the lifetime of the store.
type Forgetting struct {
	Request event.Request
	Erased  int // rows that were deleted, or say nothing any more
	// LogKept says that the log of the database still has what was deleted, since another process reads the database.
	LogKept bool

	step  forgettingStep
	rows  []erasure // to be erased
	stale stale
	pages []int64 // to be overwritten
	tries int     // to empty the log
}

type forgettingStep uint8

const (
	stepBegin forgettingStep = iota
	stepRead
	stepErase
	stepEmpty // empties the log into the file
	stepLook  // for what was moved before it was erased
	stepOverwrite
	stepEmptyAgain
	stepDone
)

// NewForgetting begins to forget a person, or goes on where an earlier incarnation ended.
func NewForgetting(q event.Request) *Forgetting {
	return &Forgetting{Request: q, stale: stale{all: !q.Until.IsZero()}}
}

// WithdrawDue withdraws what is due of a conversation, for a reason, and returns how many of its actions are on their way or
// in doubt.
func (m *memory) WithdrawDue(ctx context.Context, key event.Key, why event.Reason) (open int, err error) {
	e := &erasing{key: key, at: time.Now(), withdraw: why}
	if err := m.commitNow(ctx, Write{erase: e}); err != nil {
		return 0, fmt.Errorf("withdraw what is due of %d: %w", key.Peer, err)
	}
	return e.open, nil
}

// eraseBite is how many rows one commit erases: others wait for no more.
const eraseBite = 100

// ForgetPerson does the next step of forgetting a person, which is one commit at most, and reports whether that was the last
// one. Nothing of this person may be on its way, and nobody else may decide about the conversation meanwhile. After an error
// the same step comes again; Again begins anew with what is left.
func (m *memory) ForgetPerson(ctx context.Context, f *Forgetting) (done bool, err error) {
	if err := m.forgetPerson(ctx, f); err != nil {
		return false, fmt.Errorf("forget %d: %w", f.Request.Key.Peer, err)
	}
	return f.step == stepDone, nil
}

// StartAgain begins anew: meanwhile others may have decided about the conversation.
func (f *Forgetting) StartAgain() { f.step = stepBegin }

func (m *memory) forgetPerson(ctx context.Context, f *Forgetting) error {
	key, next := f.Request.Key, f.step+1
	e := &erasing{key: key, at: time.Now()}
	switch f.step {
	case stepBegin: // what was queued before is stored with it
		e.begun = f.Request.Number
	case stepRead:
		p, err := m.Person(ctx, key)
		if err != nil {
			return err
		}
		f.stale.learnPerson(p)
		f.rows, f.step = erasuresOf(p, f.Request.Number), next
		return nil
	case stepErase:
		if e.rows = f.rows[:min(len(f.rows), eraseBite)]; len(e.rows) < len(f.rows) {
			next = f.step
		}
	case stepEmpty, stepEmptyAgain:
		e.truncate = true
	case stepLook:
		pages, err := f.stale.find(ctx, m.path)
		f.pages, f.step = pages, next
		return err
	case stepOverwrite:
		if e.pages = f.pages[:min(len(f.pages), pagesBite)]; len(e.pages) < len(f.pages) {
			next = f.step
		}
	case stepDone:
		return nil
	}
	if err := m.commitNow(ctx, Write{erase: e}); err != nil {
		return err
	}
	f.rows, f.pages, f.Erased = f.rows[len(e.rows):], f.pages[len(e.pages):], f.Erased+len(e.rows)
	if e.truncate && !e.emptied {
		return f.waitForLog(ctx, next)
	}
	if f.step = next; m.path == "" && next == stepEmpty { // what is deleted is the server's to clear away
		f.step = stepDone
	}
	return nil
}

// waitForLog waits a little when the log could not be emptied: somebody reads what was there before. After some seconds
// it is left to the next stop.
func (f *Forgetting) waitForLog(ctx context.Context, next forgettingStep) error {
	if f.tries++; f.tries >= emptyTries {
		f.LogKept, f.step = true, next
		return nil
	}
	return lifecycle.Sleep(ctx, emptyPause)
}

const (
	pagesBite   = 50                     // how many pages one commit overwrites
	emptyPause  = 100 * time.Millisecond // between tries to empty the log
	emptyTries  = 50
	busyTimeout = 5000 // milliseconds; see sqlite.WritingPragmas
)

// What is done with a row.
type erasure struct {
	what   erasureKind
	id     string // of the row: the key of an action, the name of a timer
	list   string // of an entry; the limit of a limit use
	scope  string // of a limit use
	to     string // the new key
	number int64
	source event.Source
	body   string // what stays of a conversation
}

type erasureKind uint8

const (
	emptiesEvent erasureKind = iota
	emptiesTurn
	emptiesAction
	emptiesTalk
	renamesLimitUse
	dropsTurn
	dropsAction
	dropsFacts
	dropsTried
	dropsTimer
	dropsEntry
	dropsNotice
	dropsStray
	dropsLimitUse
	dropsRequest
	dropsTalk
)

// kept is the timer that stays with who has a conversation: it gives it back.
const kept = "nectar/takeback"

// erasuresOf returns what is to be done to forget a person, on behalf of a request.
func erasuresOf(p *record.Person, request int64) []erasure {
	var rows []erasure
	add := func(e erasure) { rows = append(rows, e) }
	eraseFacts(p, add) //mutate:forget-facts
	for i := range p.Events {
		add(erasure{what: emptiesEvent, source: p.Events[i].ID.Source, number: p.Events[i].ID.Number})
	}
	for i := range p.Actions {
		a := &p.Actions[i]
		e := erasure{what: dropsAction, id: a.Key, to: a.Key}
		if a.Verb.Makes() && a.Result != 0 { // the bot must still know the message on the platform as its own
			e.what = emptiesAction
		}
		if strings.HasPrefix(a.Key, timersOf(p)+"/") || event.IsNamed(a.Key) { // the key has, or may have, the person's number in it
			e.to = fmt.Sprintf("%s/%d/%d", Forgotten, request, i)
		}
		add(e)
	}
	for i, c := range p.LimitUses {
		e := erasure{what: dropsLimitUse, list: c.Limit, scope: c.Scope, id: c.Claimant}
		if !countsAlone(p, c.Scope) {
			e.what, e.to = renamesLimitUse, fmt.Sprintf("%s/%d/claim/%d", Forgotten, request, i)
		}
		add(e)
	}
	eraseRest(p, request, add)
	return rows
}

// eraseFacts comes first: what facts were recorded for is not known any more when that is a mark.
func eraseFacts(p *record.Person, add func(erasure)) {
	last := ""
	for _, f := range p.Facts {
		switch {
		case f.Trigger == Tried:
			add(erasure{what: dropsTried, id: f.Name})
		case f.Trigger != last:
			last = f.Trigger
			add(erasure{what: dropsFacts, id: f.Trigger})
		}
	}
}

// countsAlone reports whether a limit of that scope counts this person alone.
func countsAlone(p *record.Person, scope string) bool {
	hers := fmt.Sprintf("peer:%d", p.Key.Peer)
	return scope == hers || strings.HasPrefix(scope, hers+"/")
}

func eraseRest(p *record.Person, request int64, add func(erasure)) {
	for i := range p.Turns {
		e := erasure{what: dropsTurn, id: p.Turns[i].ID}
		if isKept(e.id) {
			e.what = emptiesTurn
		}
		add(e)
	}
	owned := p.Conversation != nil && p.Conversation.Owner != ""
	for i := range p.Timers {
		if name := p.Timers[i].Name; !owned || name != kept {
			add(erasure{what: dropsTimer, id: name})
		}
	}
	for _, e := range p.Entries {
		add(erasure{what: dropsEntry, list: e.List, id: e.Key})
	}
	for i := range p.Notices {
		add(erasure{what: dropsNotice, id: p.Notices[i].ID})
	}
	for i := range p.Strays {
		add(erasure{what: dropsStray, id: p.Strays[i].Key})
	}
	for i := range p.Requests {
		if p.Requests[i].Number < request {
			add(erasure{what: dropsRequest, number: p.Requests[i].Number})
		}
	}
	switch {
	case owned: // a person of ours has the conversation: nobody else speaks in it
		c := *p.Conversation
		c.Flow, c.Values, c.Labels = conversation.Instance{}, nil, nil
		var body conversationBody
		if body.encode(&c) == nil {
			add(erasure{what: emptiesTalk, body: body.body})
		}
	case p.Conversation != nil:
		add(erasure{what: dropsTalk})
	}
}
