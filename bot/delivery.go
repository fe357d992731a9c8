package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What happens outside of the platform reaches a conversation as a delivery; see event.Delivery. It is an event like any other from there on, but for what is
// said in its turn: nobody has asked for that.

// ErrFull is the error of a delivery to an account in which 10,000 wait already, or 64 MiB of them: deliver it later.
var ErrFull = errors.New("too many deliveries wait")

const (
	mostDeliveries = 10_000   // that wait in an account, and that a turn makes
	mostDelivered  = 64 << 20 // bytes that wait
	ofTurns        = 2        // times as many may wait of which turns have delivered some: what began these turns must not fail since others deliver much
	mostHops       = 16
)

// errHops is the error of a delivery that follows from too many others.
var errHops = Permanent(fmt.Errorf("more than %d deliveries follow from one another: one of their handlers delivers to what led to it", mostHops))

// Deliver stores an event that no platform tells of, for a conversation of an account that the bot has: it begins a turn there, for the route that
// Delivered matches, in the order of what happens in the conversation. When Deliver returns nil it is on disk, or was before: of two with one Name and ID in
// an account the second is dropped, as long as NECTAR_RETENTION says. After any error it may be delivered again with the same ID. What is for somebody who is
// ignored is dropped.
//
// Its turn does not wait while a person of ours has the conversation, or the account is paused: what it keeps is kept, and what it would say does not leave; see
// Turn.IsOwned. So it is for who has asked for silence, and for who never did anything with the account unless Config.SpeakFirst. What waits for somebody goes
// when they are forgotten. When no route takes it any more, it is set aside.
//
// The errors are ErrNotServed, also before Run and while the account comes or goes; ErrFull; that of ctx, with which it may be stored all the same; one that
// says what is wrong with the delivery; and those of the store.
func (b *Bot) Deliver(ctx context.Context, d event.Delivery) error {
	d.Hops = 0
	e, err := d.Event(time.Now())
	if err != nil {
		return err
	}
	if err := b.deliver(ctx, &e); err != nil {
		return fmt.Errorf("deliver %s %q to %s: %w", d.Name, d.ID, d.To.Account, err)
	}
	return nil
}

func (b *Bot) deliver(ctx context.Context, e *event.Event) error {
	a := b.accounts.byName(e.Account)
	if !a.beginWork() {
		return ErrNotServed
	}
	defer a.endWork()
	if err := b.refuseDelivery(a, e); err != nil {
		return err
	}
	fresh, err := a.withoutDelivered(ctx, []event.Event{*e})
	if err != nil || len(fresh) == 0 {
		return err
	}
	if !a.deliveries.reserve(fresh, 1) {
		return ErrFull
	}
	stored := make(chan error, 1)
	b.store.Commit(store.Write{Pending: fresh, Done: func(r store.Receipt) {
		if r.Err == nil {
			a.queueDelivered(fresh)
		} else {
			a.deliveries.cancel(fresh)
		}
		stored <- r.Err
	}})
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refuseDelivery says why nothing can be delivered to a conversation.
func (b *Bot) refuseDelivery(a *account, e *event.Event) error {
	us, known := b.selves.Load(self{a.home, e.Peer})
	switch {
	case known && us == a.name:
		return fmt.Errorf("%d: %w", e.Peer, errOwnID)
	case known:
		return fmt.Errorf("%d is the account %s of this bot, and its accounts do not talk to one another", e.Peer, us)
	case !b.router.has(event.KindDelivery, string(e.Subject)):
		return fmt.Errorf("no route is for it: make one with bot.On and bot.Delivered[…](%q)", e.Subject)
	}
	return nil
}

// withoutDelivered returns those deliveries that are neither stored nor in their lanes, and whose person is not ignored.
func (a *account) withoutDelivered(ctx context.Context, all []event.Event) ([]event.Event, error) {
	ids := make([]event.ID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	stored, err := a.bot.store.StoredEvents(ctx, a.name, ids)
	if err != nil {
		return nil, storeError{err}
	}
	fresh := make([]event.Event, 0, len(all))
	for i := range all {
		_, known := stored[all[i].ID]
		if !known && !a.ingest.has(all[i].ID) && !a.forgetful.isIgnored(all[i].Peer) {
			fresh = append(fresh, all[i])
		}
	}
	return fresh, nil
}

// queueDelivered brings deliveries that are stored into their lanes, where they have room.
func (a *account) queueDelivered(all []event.Event) {
	for i := range all {
		e := &all[i]
		if a.ingest.notePending(e.ID) { //mutate:delivery-runs
			a.submitJob(&job{trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: *e}, room: roomOf(e)})
		} else { // somebody else has delivered it at the same time
			a.deliveries.giveBack(roomOf(e))
		}
	}
}

// deliveries are what is delivered to an account and waits for its turn.
type deliveries struct {
	mu    sync.Mutex // guards the fields below
	count int
	bytes int
}

// roomOf returns the room of a delivery, in bytes; never 0.
func roomOf(e *event.Event) int { return len(e.Text) + 1 }

// reserve takes room for deliveries; false when there is too little, of so many times that of Bot.Deliver.
func (d *deliveries) reserve(all []event.Event, times int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	count, bytes := d.count+len(all), d.bytes
	for i := range all {
		bytes += roomOf(&all[i])
	}
	if count > times*mostDeliveries || bytes > times*mostDelivered { //mutate:delivery-full
		return false
	}
	d.count, d.bytes = count, bytes
	return true
}

// isFull reports whether there is no room for another delivery of a program's.
func (d *deliveries) isFull() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count >= mostDeliveries || d.bytes >= mostDelivered
}

// takeRoom takes room for one that is stored already, whether there is any or not.
func (d *deliveries) takeRoom(e *event.Event) (room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	room = roomOf(e)
	d.count, d.bytes = d.count+1, d.bytes+room
	return room
}

// cancel gives back the room of deliveries that are not stored.
func (d *deliveries) cancel(all []event.Event) {
	for i := range all {
		d.giveBack(roomOf(&all[i]))
	}
}

// giveBack gives the room of a delivery back; 0 is that of an event which is none.
func (d *deliveries) giveBack(room int) {
	if room == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count, d.bytes = d.count-1, d.bytes-room
}

// Deliver delivers something to a conversation of the turn's account, stored with the turn: a word to somebody else, what an approval in a chat was for, or
// what the account's own conversation is to do. To without an account is one of the turn's own. See Bot.Deliver for what becomes of it. The turn fails, and
// is tried again, when far too much waits already. The error says what is wrong with it, and is Permanent: a turn delivers up to 10,000 times, and 16 deliveries may
// follow from one another, each in the turn of the one before.
func (t *Turn) Deliver(d event.Delivery) error {
	own := t.Trigger.Key.Account
	switch {
	case d.To.Account == "":
		d.To.Account = own
	case d.To.Account != own:
		return Permanent(fmt.Errorf("deliver %s %q to %s from a turn of %s: it is stored with the turn, so it has to be of its account; use Bot.Deliver", d.Name, d.ID, d.To.Account, own))
	}
	if d.Hops = t.deliveryHops() + 1; d.Hops > mostHops { //mutate:delivery-hops
		return errHops
	}
	if len(t.deliveries) == mostDeliveries {
		return Permanent(fmt.Errorf("a turn delivers up to %d times: %w", mostDeliveries, ErrFull))
	}
	// A microsecond apart: what is delivered first has its turn first.
	e, err := d.Event(t.Now.Add(time.Duration(len(t.deliveries)) * time.Microsecond))
	a := t.reader.account
	if err == nil {
		err = a.bot.refuseDelivery(a, &e)
	}
	if began := a.careful.startedAt(); t.wishedBefore(began) {
		// What the copy wanted may have been done since; see withholdOutdated.
		//mutate:delivery-copy
		e.NotBefore = began.Add(-time.Microsecond)
	}
	if err != nil {
		return Permanent(fmt.Errorf("deliver %s %q: %w", d.Name, d.ID, err))
	}
	t.deliveries = append(t.deliveries, e)
	return nil
}

// deliveryHops returns how many deliveries led to the turn.
func (t *Turn) deliveryHops() int {
	d, _ := t.Trigger.Event.Delivery()
	return d.Hops
}

// reserveDeliveries leaves out what was delivered before, and takes room for the others. The error is ErrFull, or that of the store.
func (t *Turn) reserveDeliveries(ctx context.Context) (err error) {
	if len(t.deliveries) == 0 {
		return nil
	}
	a := t.reader.account
	if t.deliveries, err = a.withoutDelivered(ctx, t.deliveries); err != nil {
		return err
	}
	if a.deliveries.reserve(t.deliveries, ofTurns) {
		return nil
	}
	return fmt.Errorf("deliver %d more: %w", len(t.deliveries), ErrFull)
}

// isDelivery reports whether a delivery began the turn.
func (t *Turn) isDelivery() bool {
	return t.Trigger.Kind == event.ByEvent && t.Trigger.Event.Kind == event.KindDelivery
}

// IsOwned reports whether a person of ours has the conversation. Only deliveries, and timers that look after that, have turns then.
func (t *Turn) IsOwned() bool { return t.Conversation.Owner != "" }

// mindDelivery finds out whether a delivery's turn may say something.
func (b *Bot) mindDelivery(ctx context.Context, t *Turn) (bool, error) {
	if !t.isDelivery() || t.Trigger.Key.Own() {
		return false, nil
	}
	c := &t.Conversation
	switch {
	case c.Owner != "":
		t.withheld = event.Because(reason.Owned, "owner", c.Owner) //mutate:delivery-owned
	case !b.cfg.SpeakFirst && c.Name == "" && c.User == "" && c.Attended.IsZero():
		done, err := b.store.HasDone(ctx, t.Trigger.Key)
		if err != nil {
			return false, storeError{err}
		}
		if !done && len(t.reader.account.inLane(t.Trigger.Key.Peer)) == 0 {
			t.withheld = event.Because(reason.NeverSpoke) //mutate:delivery-stranger
		}
	}
	return false, nil
}

// withholdWords lets nothing leave that a delivery's turn would say to somebody to whom nothing may be said unasked.
func (t *Turn) withholdWords() {
	if t.withheld == "" {
		return
	}
	for i := range t.actions {
		if a := &t.actions[i]; saysTo(&a.Action) && !a.State.Final() {
			t.recordOnly(a, t.withheld)
			a.LimitUses = nil
		}
	}
}

// deliverAsked delivers what somebody asks for with a command.
func (b *Bot) deliverAsked(t *Turn, q *event.Request) {
	d, ok := q.Delivery()
	switch {
	case !ok:
		t.noteObsolete("nothing in it can be read")
		return
	case t.reader.account.forgetful.isIgnored(q.Key.Peer):
		t.noteObsolete("%d is ignored: see nectar forget --list-ignored", q.Key.Peer)
		return
	}
	if err := t.Deliver(d); err != nil {
		t.noteObsolete("%v", err)
		return
	}
	t.Note("delivered as %s, unless it was before", d.EventID())
}

// Delivered matches deliveries of a name; see Bot.Deliver. D is what their data is in JSON: an event whose data is none is quarantined. The name begins with the
// plugin's.
func Delivered[D any](name string) Matcher[D] {
	m := NewMatcher(func(_ context.Context, t *Turn) (D, bool) {
		var data D
		if string(t.Event.Subject) != name {
			return data, false
		}
		d, ok := t.Event.Delivery()
		raw, _ := d.Data.(json.RawMessage)
		err := json.Unmarshal(raw, &data)
		if (!ok || err != nil) && t.failed == nil {
			t.failed = unreadableError(name, d.ID, data, err)
		}
		return data, ok && err == nil
	}, event.KindDelivery)
	m.named = func(delivery string) bool { return delivery == name }
	return m
}

// unreadableError is the error of a delivery whose data are no value of the type that its route wants. It does not repeat them.
func unreadableError(name, id string, want any, err error) error {
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return Permanent(fmt.Errorf("read the data of %s %q: %w", name, id, wrong))
	}
	return Permanent(fmt.Errorf("the data of %s %q are no %T", name, id, want))
}

// errUntaken is the error of a delivery that no route takes any more.
func errUntaken(name string) error {
	return Permanent(fmt.Errorf("no route takes the delivery %s: when one does again, let it be tried again", name))
}
