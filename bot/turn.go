package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// runTurn is the whole way of one event, from its lane to the outbox.
func (b *Bot) runTurn(ctx context.Context, l *lane, r *run, j *job) error {
	ctx = b.yield(ctx, l.account, func() string { return "turn " + j.trigger.ID() })
	conv, err := b.load(ctx, l, r) // the conversation, as the last turn left it
	if err != nil {
		return err
	}
	l.account.outbox.WaitForRoom(ctx, l.key.Peer) // as many turns decide as the dispatcher can carry
	defer l.account.outbox.LeaveRoom()
	t := b.newTurn(l.account, j, conv)                        // what the handler sees
	ctx = l.prepareTurn(ctx, r, t, j)                         // what is on its way before it, and was denied to it
	if err := b.handle(ctx, t, b.tryTimeout(j)); err != nil { // flow, route, handler: actions are collected
		return &tryError{err, t.facts}
	}
	if err := t.leaveOutNamed(ctx); err != nil { // what was decided before, by its name
		return &tryError{err, t.facts}
	}
	if err := t.withholdOutdated(ctx); err != nil { // what a copy wanted, and was done since
		return &tryError{err, t.facts}
	}
	if err := t.reserveDeliveries(ctx); err != nil { // room for what goes to other conversations
		return &tryError{err, t.facts}
	}
	//mutate:ceiling
	b.cfg.Ceiling.useLimit(t)                                      // not too much to one person
	t.publishingLimit().useLimit(t)                                // nor too much in public
	out := t.computed()                                            // conversation, timers, limits, actions, decision record
	b.takesBack(out)                                               // what was decided before it and has not left
	defer l.account.takePlaces(out)()                              // with others that act on the same, one after another
	out.reserved = l.account.outbox.Reserve(out.plain, time.Now()) // what may leave at once is marked as sending
	b.commit(ctx, l, r, out)                                       // one transaction, many turns per database commit;
	return nil                                                     // once it is durable, the dispatcher has the actions
}

// yield lets what is named so go on at an instant of its own, in a simulation.
func (b *Bot) yield(ctx context.Context, a *account, name func() string) context.Context {
	if b.cfg.Yield == nil {
		return ctx
	}
	return b.cfg.Yield(ctx, fmt.Sprintf("%s of %s", name(), a.name))
}

// load returns the lane's conversation, from the store unless the lane remembers it.
func (b *Bot) load(ctx context.Context, l *lane, r *run) (conversation.State, error) {
	if state := l.conv.Load(); state != nil {
		return *state, nil
	}
	conv, err := b.store.Conversation(ctx, l.key)
	if err != nil {
		return conv, storeError{err}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Left behind, another goroutine has loaded it by now, and may have gone on from there.
	if l.run == r {
		l.conv.Store(&conv)
		if l.sequence == nil {
			l.sequence = &store.Sequence{}
		}
	}
	return conv, nil
}

// newTurn makes the turn of a trigger.
func (b *Bot) newTurn(a *account, j *job, conv conversation.State) *Turn {
	// Emptied before anything sees it: of who is ignored, or forgotten, no word comes into a handler, a record or a log.
	trigger, unheard := j.trigger, a.ignoredOutcome(j)
	if unheard != "" {
		redactEvent(&trigger.Event)
	}
	t := &Turn{
		pauses: a.currentPauses(), Trigger: trigger, Event: trigger.Event, Conversation: conv, Now: time.Now(), reader: &a.reader,
		fresh: j.tries == 0 && !trigger.Late && !a.hasTried(&trigger), facts: slices.Clip(j.facts), unheard: unheard,
		try: j.tries + j.deaths + 1, last: j.isLastTry(time.Now()),
	}
	hook.Put(&t.forEngines, any(engineTurn{t}))
	if e := &trigger.Event; trigger.Kind == event.ByEvent && (e.Name != "" && e.Name != conv.Name || e.User != "" && e.User != conv.User) {
		// Some lists tell one of the two alone: what is known of the other stays.
		t.Conversation.Name, t.Conversation.User, t.changed = cmp.Or(e.Name, conv.Name), cmp.Or(e.User, conv.User), true
	}
	if j.note != "" {
		t.Note("%s", j.note)
	}
	if a.quiet.HasGivenUp(trigger.Key.Peer) {
		t.Note("what was written since the last start could not be read for %v", patience)
	}
	if trigger.Late {
		t.Note("tried again, after quarantine")
	}
	if late := t.Lateness(); late > timerIsLate {
		t.Note("%s late", late.Round(time.Second))
	}
	return t
}

// guard is a question that is asked before a handler is called. Where the answer is yes, the turn is decided by that: no later question is asked, and no
// handler is called.
type guard func(b *Bot, ctx context.Context, t *Turn) (decided bool, err error)

// guards are all of these questions, in their order, with what becomes of the turn. What those of decided have answered is the bot's own affair; around
// what those of unanswered have answered goes middleware, and nothing leaves.
var guards = struct{ decided, unanswered []guard }{
	[]guard{
		(*Bot).doRequest,       // does a person of ours ask for it? Done as asked
		(*Bot).refuseItself,    // is the other person the account itself? An error
		(*Bot).handleDecided,   // does the bot note a refusal, or that a person of ours spoke? Noted in the conversation
		(*Bot).concludeIgnored, // is the person ignored, or forgotten? Nothing is done, or kept of it
		(*Bot).withdrawExpired, // is it the end of an approval? What waited for that is withdrawn
		(*Bot).skipRedelivered, // was the event delivered before, under another number? Nothing is done
		(*Bot).skipOurselves,   // is the other person an account of this bot? Nothing is done
		(*Bot).putOffTimer,     // does a timer wait, since the account is paused? Put off
		(*Bot).putOffNudge,     // does a nudge wait, since the account is paused? Put off
		(*Bot).tellOneOfMany,   // is this one of many people who are told something? Told, or why not
		(*Bot).endTakeover,     // is the time over for which a person of ours has the conversation? It is the bot's again
		(*Bot).putOffOwned,     // does a timer wait, since a person of ours has the conversation? Put off
	},
	[]guard{
		(*Bot).mindDelivery,  // has the program delivered it? It has its turn, and may be silent
		(*Bot).hearSilence,   // does the person ask for silence, or have they? The route that hears of it gets the turn, if there is one
		(*Bot).leaveToOwner,  // does a person of ours have the conversation? A route that looks on gets the turn, if there is one
		(*Bot).leaveAnswered, // does an answer stand below it that the bot does not know? A route that looks on gets the turn, if there is one
		(*Bot).leaveToHand,   // has a person of ours answered the mention by hand? Nothing is done
	},
}

// handle asks the guards, and calls the turn's handler. A panic is an error like any other.
func (b *Bot) handle(ctx context.Context, t *Turn, left time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	t.clearUnreachable()
	if decided, err := b.isDecided(ctx, t, guards.decided); decided || err != nil {
		return err
	}
	switch decided, err := b.isDecided(ctx, t, guards.unanswered); {
	case err != nil:
		return err
	case decided:
		t.handler, t.unanswered = onlyHeard, true
	}
	if err := t.recordCause(ctx); err != nil {
		return err
	}
	return b.callMiddleware(ctx, t)
}

// isDecided asks guards in their order, until one has decided the turn.
func (b *Bot) isDecided(ctx context.Context, t *Turn, all []guard) (decided bool, err error) {
	for _, ask := range all {
		if decided, err = ask(b, ctx, t); decided || err != nil {
			break
		}
	}
	return decided, err
}

// callMiddleware calls middleware, within which the turn is answered, and withholds what may not leave of what both decide. Handlers of a paused account run all the
// same: their decision record says what would have been done, and whatever they decided does not leave.
func (b *Bot) callMiddleware(ctx context.Context, t *Turn) error {
	t.found.keep(t)
	err := b.around.Handle(ctx, t)
	switch {
	case errors.Is(err, Decline) && !isOutside(err):
		return errMiddlewareDeclined
	case err != nil:
		return err
	}
	t.withholdUnanswered()
	t.withholdWords()
	t.leavesAlone(b.router, t.found.silent)
	if t.isPaused() {
		t.onlyRecorded()
	}
	return t.failed
}

// answerTurn gives a turn to the handler that a guard has chosen, or to the router.
func (b *Bot) answerTurn(ctx context.Context, t *Turn) error {
	if t.handler != nil {
		return t.handler(ctx, t)
	}
	return b.router.giveTurn(ctx, t)
}

// found is a turn as the guards have left it.
type found struct {
	silent bool         // the person has asked for silence
	paused *pausedFound // nil: the account is not paused
}

// pausedFound is what stays of a turn of an account that is paused.
type pausedFound struct {
	conversation conversation.State
	changed      bool // the conversation
	timers       []event.Timer
	decisions    decisions
	withdraw     string
}

func (f *found) keep(t *Turn) {
	f.silent = isSilent(&t.Conversation)
	if t.isPaused() {
		f.paused = &pausedFound{t.Conversation, t.changed, slices.Clip(t.timers), t.decisions, t.withdraw}
	}
}

// withholdUnanswered lets nothing leave of what middleware has decided in a turn that nobody was to answer. Values, timers and notes stay.
func (t *Turn) withholdUnanswered() {
	if !t.unanswered {
		return
	}
	for i := range t.actions {
		if a := &t.actions[i]; !a.State.Final() && a.Verb != event.VerbBooks { //mutate:unanswered
			t.recordOnly(a, event.Because(reason.Unanswered, "outcome", cmp.Or(t.rec.Outcome, OutcomeHandled)))
			a.LimitUses = nil
		}
	}
}

// handleDecided handles what was decided outside of any route; false when the turn is none of that.
func (b *Bot) handleDecided(ctx context.Context, t *Turn) (bool, error) {
	if t.Trigger.Kind != event.ByRequest {
		return false, nil
	}
	switch choice := t.Trigger.Choice; {
	case strings.HasPrefix(choice, refusedChoice):
		t.refusedMessage()
	case strings.HasPrefix(choice, takeoverChoice):
		if err := t.tellsWhoHas(ctx, "one of you has written to them"); err != nil {
			return false, err
		}
		t.takeOver(b.cfg.TakeoverFor, t.saidAt()) //mutate:takeover
		if !t.reader.account.forgetful.isIgnored(t.Trigger.Key.Peer) {
			t.keepSaid()
		}
	}
	return true, nil
}

// computed is what the turn wants to be stored.
func (t *Turn) computed() *computedTurn {
	if t.rec.Outcome == "" {
		t.rec.Outcome = OutcomeHandled
	}
	t.rec.Route = t.route
	if c := t.concern; c != nil && t.Trigger.Kind == event.ByTimer && c.last != (event.ID{}) && t.rec.Why == "" {
		t.rec.Why = event.Because(store.WhyAnswers, "words", c.last.String())
	}
	out := &computedTurn{Turn: store.Turn{
		Trigger: t.Trigger, Timers: t.timers, Actions: t.actions, Facts: t.facts, Record: t.rec, At: t.Now, Withdraw: t.withdraw,
		Retry: t.retries, RetryTimers: t.rings, LimitUses: t.limitUses, LimitUseKey: t.limitUseKey(), Entries: t.entries, DropLists: t.dropLists, Notices: t.notices, Masks: t.masks, Ignore: t.ignore,
		Values: t.valueUses(), Wait: t.waitEffect(), Deliveries: t.deliveries,
	}}
	out.Trigger.Event, out.stored, out.read = t.Event, t.stored, t.facts
	if t.onlyReads() {
		out.Facts = nil //mutate:only-reads
	}
	t.setStoredTexts(&out.Trigger)
	if t.withdraw != "" { //mutate:withdrawn
		t.Conversation.TakenBack, t.changed = t.Now, true
	}
	if t.changed {
		t.Conversation.Version++
		conv := t.Conversation // alone: the lane remembers it, and would keep the whole turn, and those before it, with it
		//mutate:conversation-copy
		out.Conversation = &conv
	}
	out.plain = make([]event.Action, len(t.actions))
	for i := range t.actions {
		out.plain[i] = t.actions[i].Action
	}
	return out
}

// computedTurn is a turn on its way into the store.
type computedTurn struct {
	store.Turn
	plain    []event.Action     // the actions, as the outbox takes them
	reserved outbox.Reservation // their room there
	place    int64              // with Withdraw: what has a lower one is taken back
	stored   []func()           // see Turn.OnCommit
	read     []event.Fact       // also what is not kept
}

// write returns the turn with what the outbox decided about its actions.
func (o *computedTurn) write() *store.Turn {
	for i := range o.plain {
		o.Actions[i].Action = o.plain[i]
	}
	return &o.Turn
}

// commit hands a turn to the store and lets the lane go on, unless it broke or left this goroutine behind meanwhile.
func (b *Bot) commit(ctx context.Context, l *lane, r *run, out *computedTurn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run == r {
		r.job.facts = out.read //mutate:anew-facts
	}
	// What it was computed on may have failed meanwhile, or somebody else has taken its place: then it is computed anew, and nobody must learn
	// of this one.
	//mutate:term-over
	if l.run != r || l.state() == laneBroken || ctx.Err() != nil {
		out.reserved.GiveBack()
		l.account.deliveries.cancel(out.Deliveries)
		return
	}
	// The lane goes on with this conversation at once, before anybody knows whether it will be stored. The sequence makes that safe: when this
	// turn is not stored, the store refuses all behind it.
	out.Sequence = l.sequence
	if out.Conversation != nil {
		l.conv.Store(out.Conversation)
	}
	if out.matters() {
		l.queue[0].commitTurn = &out.Turn
	}
	// Read off before launchLocked takes the job out of the queue.
	cursors := l.queue[0].track.withEvents()
	l.launchLocked()
	r.job = nil
	l.account.values.assignVersions(out.Values, b.store.NextPosition)
	// With the lane locked: in this order the receipts come back, and commitEnded takes the first one in flight for each.
	b.store.Commit(store.Write{Turn: out.write(), Cursors: cursors, Done: func(r store.Receipt) { b.noteCommitted(ctx, l, out, r) }})
	l.account.values.noteQueued(out.Values)
}

// matters reports whether turns behind it may ask for what it decided.
func (o *computedTurn) matters() bool {
	if slices.ContainsFunc(o.plain, func(a event.Action) bool { return a.State == event.StateDue && a.Due.After(a.DecidedAt) }) { //mutate:until-matters
		return true
	}
	//mutate:matters
	return len(o.LimitUses)+len(o.Entries) > 0 || slices.ContainsFunc(o.Actions, func(a record.Action) bool { return a.Held || a.State == event.StateHeld })
}

// noteCommitted takes note of what became of a turn's commit. Receipts come in the order of the commits.
func (b *Bot) noteCommitted(ctx context.Context, l *lane, out *computedTurn, r store.Receipt) {
	l.account.values.noteOutcome(out.Values, r.Err == nil && !r.Dropped)
	if r.Err == nil && !r.Dropped { //mutate:committed
		for _, i := range r.Denied {
			// Before the reservation is committed, which hands all that is left in it to the senders.
			out.reserved.WithdrawAction(i)
			b.counted.countAction(&out.plain[i])
			b.noteCapped(l, out, i)
		}
		if out.Withdraw != "" {
			l.account.quiet.NoteTakenBack(l.key.Peer, out.place, out.Withdraw)
		}
		b.counted.countTurn(&out.Trigger, out.Record.Outcome)
		out.reserved.Commit(ctx)
		b.callStored(out.stored)
		l.account.tryAgain(out.Retry) //mutate:retry
		l.account.queueDelivered(out.Deliveries)
		b.timers.set(out.Timers)
		b.timers.set(out.RetryTimers) //mutate:retry-timers
	} else {
		out.reserved.GiveBack()
		l.account.deliveries.cancel(out.Deliveries)
	}
	b.commitEnded(ctx, l, r)
}

// PanicError is the error of a handler that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

// Error tells the value; the stack is in Stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the handler panicked: %v", e.Value) }

// errAbandoned is the error of a handler that did not return in time.
var errAbandoned = errors.New("the handler did not return in time, and was left behind")
