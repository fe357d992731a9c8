package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// An own message that is not in the ledger was written by a person, on the phone or anywhere else.
// The bot is then silent in that conversation for a while, and takes back what it had not sent.

const (
	// OwnedByPerson is the owner of a conversation in which a person of ours wrote.
	OwnedByPerson = "person"

	// OwnedTimer begins the names of timers whose turns come also while a person has the conversation.
	OwnedTimer = "owned/"

	takeoverChoice = "takeover/"       // the decision that a person's message leads to, with its id
	takebackTimer  = "nectar/takeback" // gives the conversation back
	ownTimers      = "nectar/"
	sentKept       = 1 << 14 // results kept in memory, to know our own messages without asking the store
)

// strangers are own messages that nobody knows yet. They may still turn out to be the bot's: of an
// action that is on its way or unsure.
type strangers struct {
	mu      sync.Mutex
	sent    map[platform.MessageID]struct{} // the bot's own, the last ones
	ring    []platform.MessageID            // their order
	next    int
	waiting []stranger
}

type stranger struct {
	message platform.Message
	peer    platform.UserID
	track   *track // the batch that it came with: its cursor waits
}

// add notes a message of the bot.
func (s *strangers) add(id platform.MessageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent == nil {
		s.sent = map[platform.MessageID]struct{}{}
	}
	s.sent[id] = struct{}{}
	if len(s.ring) < sentKept {
		s.ring = append(s.ring, id)
		return
	}
	delete(s.sent, s.ring[s.next])
	s.ring[s.next] = id
	s.next = (s.next + 1) % sentKept
}

// unknown returns those of own that are not among the last messages of the bot.
func (s *strangers) unknown(own []platform.Message) []platform.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []platform.Message
	for _, m := range own {
		if _, ok := s.sent[m.ID]; !ok {
			rest = append(rest, m)
		}
	}
	return rest
}

// wait puts messages aside until it is clear whose they are.
func (s *strangers) wait(peer platform.UserID, messages []platform.Message, t *track) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range messages {
		s.waiting = append(s.waiting, stranger{m, peer, t})
	}
}

// take returns the messages put aside, and forgets them.
func (s *strangers) take() []stranger {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.waiting
	s.waiting = nil
	return waiting
}

// foreign asks the ledger which of messages the bot has sent, and returns the others.
func (a *account) foreign(ctx context.Context, messages []platform.Message) ([]platform.Message, error) {
	if len(messages) == 0 || a.bot.cfg.TakeoverFor < 0 {
		return nil, nil
	}
	ids := make([]int64, len(messages))
	for i, m := range messages {
		ids[i] = int64(m.ID)
	}
	known, err := a.bot.store.Results(ctx, a.name, event.VerbMessage, ids)
	if err != nil {
		return nil, fmt.Errorf("look for own messages in the ledger: %w", err)
	}
	forgotten, err := a.bot.store.Forgotten(ctx, a.name)
	if err != nil {
		return nil, fmt.Errorf("look for own messages in the ledger: %w", err)
	}
	var rest []platform.Message
	for _, m := range messages {
		if !known[int64(m.ID)] && m.ID > forgotten {
			rest = append(rest, m)
		}
	}
	return rest, nil
}

// judgeStrangers decides about the messages put aside, every now and then, until ctx is done.
func (b *Bot) judgeStrangers(ctx, lanes context.Context) {
	tick := time.NewTicker(shelveAfter)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, a := range b.order {
				a.judge(ctx, lanes)
			}
		}
	}
}

func (a *account) judge(ctx, lanes context.Context) {
	waiting := a.strangers.take()
	if len(waiting) == 0 {
		return
	}
	ctx = a.bot.yield(ctx, a, func() string { return "strangers" }) // others wake with the same ticks
	// An action that ended while we look is stored lazily: make sure that its result is known.
	if err := a.bot.store.MarkNow(ctx); err != nil {
		a.putBack(waiting)
		return
	}
	for _, s := range waiting {
		one := []platform.Message{s.message}
		if a.box.Busy(s.peer) { //mutate:unsure-stranger
			a.putBack([]stranger{s})
			continue
		}
		rest, err := a.foreign(ctx, a.strangers.unknown(one))
		switch {
		case err != nil:
			a.putBack([]stranger{s})
		case len(rest) == 0 || a.box.Held(s.peer, s.message.ID, s.message.Text):
			a.known(s)
		default:
			a.bot.submit(lanes, a, &item{track: s.track, trigger: event.Trigger{
				Kind: event.ByDecision, Key: event.Key{Account: a.name, Peer: s.peer},
				Choice: takeoverChoice + strconv.FormatInt(int64(s.message.ID), 10),
			}})
		}
	}
}

func (a *account) putBack(waiting []stranger) {
	for _, s := range waiting {
		a.strangers.wait(s.peer, []platform.Message{s.message}, s.track)
	}
}

// known lets the cursor pass a message that turned out to be the bot's.
func (a *account) known(s stranger) {
	if cursors := a.ingest.stored(s.track); len(cursors) > 0 {
		a.bot.store.Later(cursors...)
	}
}

// takeOver gives the conversation to the person who wrote, and takes back what has not been sent.
func (t *Turn) takeOver(silent time.Duration) {
	t.withdraw = "a person answered in this conversation"
	if owner := t.Conversation.Owner; owner != "" && owner != OwnedByPerson { // whoever it was handed to
		t.Conversation.OwnerWrote, t.changed = t.Now, true
		if d := t.Conversation.OwnerFor; d > 0 {
			t.After(d, takebackTimer)
			t.Note("%s wrote; the bot is silent until %s", owner, t.Now.Add(d).UTC().Format(time.RFC3339))
		}
		return
	}
	t.owns(OwnedByPerson, silent)
	t.Conversation.OwnerWrote = t.Now
	t.After(silent, takebackTimer)
	t.Note("a person of ours wrote; the bot is silent until %s", t.Now.Add(silent).UTC().Format(time.RFC3339))
}

// owned handles a turn in a conversation that a person has; false when nobody has.
func (t *Turn) owned() bool {
	timer := t.Trigger.Timer.Name
	switch {
	case t.Trigger.Kind == event.ByTimer && timer == takebackTimer:
		t.TakeBack()
		return true
	//mutate:owned-timer
	case t.Conversation.Owner == "", t.Trigger.Kind == event.ByTimer && strings.HasPrefix(timer, OwnedTimer):
		return false
	case t.Trigger.Kind == event.ByTimer && !strings.HasPrefix(timer, ownTimers):
		t.SetTimer(timer, t.Now.Add(ownedTimerPause), t.Trigger.Timer.Data) // it is for when the bot speaks again
	}
	t.trace.Outcome = OutcomeOwned
	t.Note("%s has the conversation", t.Conversation.Owner)
	return true
}

// ownedTimerPause is when a timer of a conversation that a person has is looked at again.
const ownedTimerPause = time.Hour
