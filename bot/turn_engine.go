package bot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// forEngines is what a turn holds for engine.Of.
type forEngines = hook.Door[any]

// engineTurn is a turn as an engine.Turn, where its methods are explained.
type engineTurn struct{ *Turn }

func (e engineTurn) Explain(rule, version string, before []byte) {
	e.rec.Rule, e.rec.Version, e.rec.Before = rule, version, before
}

func (e engineTurn) Pauses() map[string]string {
	if e.pauses == nil {
		return nil
	}
	all := map[string]string{}
	if e.pauses.Account != nil {
		all[""] = reason.SentenceOf(reason.PausedBy(""))
	}
	for rule := range e.pauses.Rules {
		all[rule] = reason.SentenceOf(reason.PausedBy(rule))
	}
	return all
}

func (e engineTurn) Room(ctx context.Context) (int, error) {
	c := e.reader.ceiling
	if c.Max < 0 || e.ofAccount() {
		return math.MaxInt, nil
	}
	var ahead []string // what may be stored or not
	for _, before := range e.before {
		for i := range before.Actions {
			for _, x := range before.Actions[i].LimitUses {
				if x.Limit == event.CeilingLimit {
					ahead = append(ahead, before.Actions[i].Key)
				}
			}
		}
	}
	n, err := e.reader.store.CountUses(ctx, e.Trigger.Key.Account, c.limitUse(e.Turn), e.Now, ahead...)
	if err != nil {
		return 0, storeError{err}
	}
	return max(0, c.Max-n-len(ahead)), nil
}

func (e engineTurn) Leave() { e.leaves = true }

func (e engineTurn) Withdraw(reason string) { e.withdraw = reason }

func (e engineTurn) Concerns(last event.ID, since, said time.Time, needed string) {
	e.concern = &concern{last, since, said, needed}
}

func (e engineTurn) Mask(text string, events ...event.ID) {
	if len(events) == 0 && e.Trigger.Kind == event.ByEvent {
		events = []event.ID{e.Trigger.Event.ID}
	}
	for _, id := range events {
		e.masks = append(e.masks, store.Mask{Event: id, Text: text})
	}
}

func (e engineTurn) EnterFlow(in conversation.Instance) { e.Conversation.Flow, e.changed = in, true }

func (e engineTurn) Silence(s conversation.Silence) { e.Conversation.Silence, e.changed = s, true }

func (e engineTurn) Books(options ...Option) {
	e.addAction(event.Action{Verb: event.VerbBooks}, options)
	if a := &e.actions[len(e.actions)-1]; a.State == "" && e.failed == nil {
		e.failed = errors.New("what does nothing on the platform has to wait for an approval: it takes the option Awaits")
	}
}

func (e engineTurn) Ruling(ctx context.Context, key string) (event.Verdict, bool, error) {
	p, ok, err := e.reader.store.Approval(ctx, e.Trigger.Key.Account, key)
	if err != nil {
		return event.Verdict{}, false, storeError{err}
	}
	return p.Verdict, ok, nil
}

func (e engineTurn) DropList(list string) { e.dropLists = append(e.dropLists, list) }

func (e engineTurn) TakenBack(ctx context.Context, post platform.PostID) (time.Time, error) {
	at, err := e.reader.store.TakenBack(ctx, e.Trigger.Key.Account, post)
	if err != nil {
		return time.Time{}, storeError{err}
	}
	return at, nil
}

func (e engineTurn) Clock() (ahead time.Duration, known bool) {
	e.reader.account.asksClock.Store(true)
	return e.reader.account.site.clock.knownAhead()
}

func (e engineTurn) Keep(ctx context.Context, name string, v any, nothing bool) error {
	if err := e.loadFacts(ctx); err != nil {
		return err
	}
	at := name
	for n := 2; ; n++ {
		if _, ok := e.known[at]; !ok {
			break
		}
		at, nothing = name+":"+strconv.Itoa(n), false
	}
	if nothing {
		return nil
	}
	return e.recordFact(at, v)
}

// decisions are what few turns decide besides actions and timers.
type decisions struct {
	limitUses []event.LimitUse
	entries   []event.Entry
	dropLists []string
	notices   []event.Notice
	masks     []store.Mask

	deliveries []event.Event
}

// UseLimit makes the turn depend on a use of a limit: either all limit uses of the turn are granted in its commit, or
// nothing of it happens, and it begins anew with Denied true for the limit. Claiming a limit that was denied
// is an error of the handler.
//
// The use belongs to the first action of the turn that may leave, a message or post if there is one: with
// GiveBack it does not count any more when that action does not come about. Without any action it stays.
func (t *Turn) UseLimit(c event.LimitUse) {
	if t.Denied(c.Limit) && t.failed == nil {
		t.failed = fmt.Errorf("the limit %s was used again after it had been denied: ask Denied first", c.Limit)
	}
	t.limitUses = append(t.limitUses, c)
}

// Denied reports whether the turn began anew since a limit use of this limit was denied.
func (t *Turn) Denied(limit string) bool { return slices.Contains(t.denied, limit) }

// Uses returns how many uses of a limit use's limit count now, with those of earlier turns of this conversation
// that are still on their way into the store. Others may use it up before this turn is stored.
func (t *Turn) Uses(ctx context.Context, c event.LimitUse) (int, error) {
	var ahead []string // what may be stored or not
	for _, before := range t.before {
		if slices.ContainsFunc(before.LimitUses, func(x event.LimitUse) bool { return x.Limit == c.Limit && x.Scope == c.Scope }) {
			ahead = append(ahead, before.ClaimantKey())
		}
	}
	n, err := t.reader.store.CountUses(ctx, t.Trigger.Key.Account, c, t.Now, ahead...)
	if err != nil {
		return 0, storeError{err}
	}
	return n + len(ahead), nil //mutate:uses-ahead
}

// Listed reports whether a list has an entry about the peer, also one of an earlier turn that is still on its
// way into the store, or of this one.
func (t *Turn) Listed(ctx context.Context, list string) (bool, error) {
	if err := t.withPerson("look for the peer in a list"); err != nil {
		return false, err
	}
	if t.hasEntry(func(e event.Entry) bool { return e.List == list && e.Peer == t.Trigger.Key.Peer }) {
		return true, nil
	}
	listed, err := t.reader.store.Listed(ctx, t.Trigger.Key, list)
	if err != nil {
		return false, storeError{err}
	}
	return listed, nil
}

// hasEntry reports whether this turn, or an earlier one that is on its way into the store, records such an entry.
func (t *Turn) hasEntry(is func(event.Entry) bool) bool {
	return slices.ContainsFunc(t.entries, is) ||
		slices.ContainsFunc(t.before, func(b *store.Turn) bool { return slices.ContainsFunc(b.Entries, is) })
}

// ActionState returns an action of the account by its key, as it is stored; false when there is none. What an
// earlier turn of this conversation decided a moment ago may be missing yet, unless it is or was held, or has a limit.
func (t *Turn) ActionState(ctx context.Context, key string) (event.Action, bool, error) {
	for _, before := range slices.Backward(t.before) { // what was decided last about it
		for i := range before.Actions {
			if a := &before.Actions[i]; a.Key == key {
				return a.Action, true, nil
			}
		}
	}
	a, ok, err := t.reader.store.Action(ctx, t.Trigger.Key.Account, key)
	if err != nil {
		return a, false, storeError{err}
	}
	return a, ok, nil
}

// SetTimer sets a timer of the conversation to a time of day, with data in JSON for the turn that it starts, or nil. It keeps that
// time when the clock is set back, unlike one of After. A timer of the same name is replaced; a zero time cancels it.
func (t *Turn) SetTimer(name string, due time.Time, data []byte) {
	if !t.namesOwnTimer(name) {
		t.setTimer(name, due, data)
	}
}

// Record puts an entry into a list of the account. A list keeps the first entry of a key. Account, Peer, Trigger
// and At are the turn's own unless set.
func (t *Turn) Record(e event.Entry) {
	e.Account = t.Trigger.Key.Account
	if e.Peer == 0 {
		e.Peer = t.Trigger.Key.Peer
	}
	if e.Trigger == "" {
		e.Trigger = t.Trigger.ID()
	}
	if e.At.IsZero() {
		e.At = t.Now
	}
	t.entries = append(t.entries, e)
}

// Notify leaves a notice for people of ours: Who is told Text. The rest is the turn's own unless set.
func (t *Turn) Notify(n event.Notice) {
	n.Account = t.Trigger.Key.Account
	if n.ID == "" {
		n.ID = t.Trigger.ID() + "/" + t.route + "/" + strconv.Itoa(len(t.notices))
	}
	if n.Peer == 0 {
		n.Peer = t.Trigger.Key.Peer
	}
	if n.At.IsZero() {
		n.At = t.Now
	}
	t.notices = append(t.notices, n)
}

// setStoredTexts gives the trigger's events the texts that they are stored with.
func (t *Turn) setStoredTexts(trigger *event.Trigger) {
	for _, m := range t.masks {
		if trigger.Kind == event.ByEvent && trigger.Event.ID == m.Event {
			trigger.Event.Text = m.Text
		}
	}
}

// limitUseKey returns the key of the action that the turn's own limit uses belong to.
func (t *Turn) limitUseKey() string {
	if len(t.limitUses) == 0 || len(t.actions) == 0 {
		return ""
	}
	best := -1
	for i := range t.actions {
		switch a := &t.actions[i]; {
		case a.State.Final():
		case a.Verb.Makes():
			return a.Key
		case best < 0:
			best = i
		}
	}
	return t.actions[max(best, 0)].Key
}

// Held lets the action wait for a person, who releases or drops it. The limits it needs are used when it is
// released.
func Held(text string) Option {
	return func(t *Turn, a *record.Action) {
		if !a.State.Final() {
			outbox.ChangeState(&a.Action, event.StateHeld)
			reason.SetText(&a.Action, reason.Held, text)
			if text == event.NeedsApproval {
				a.Why = event.Because(reason.NeedsApproval)
			}
			a.DecidedAt, a.Position = t.Now, t.Now.UnixMicro()
		}
	}
}

// Watched records what would have been done: the action is stored as withdrawn, never leaves, and limit uses
// nothing.
func Watched(text string) Option {
	return func(t *Turn, a *record.Action) {
		t.recordOnly(a, "")
		reason.SetText(&a.Action, reason.Recorded, text)
	}
}

// recordOnly withdraws what a turn has decided.
func (t *Turn) recordOnly(a *record.Action, why event.Reason) {
	outbox.ChangeState(&a.Action, event.StateWithdrawn)
	reason.Set(&a.Action, why)
	a.DecidedAt, a.EndedAt = t.Now, t.Now
}

// Route returns the name of the route, or "flow/name" of the flow, that has taken the turn, or "fallback"; "" while none
// has. It is for middleware, behind its handler.
func (t *Turn) Route() string { return t.route }

// Decided returns the actions that the turn has collected so far. It is for middleware.
func (t *Turn) Decided() []event.Action {
	actions := make([]event.Action, len(t.actions))
	for i := range t.actions {
		actions[i] = t.actions[i].Action
	}
	return actions
}

// Amend applies options to all actions that the turn has collected so far. It is for middleware that
// puts a limit on what handlers decide.
func (t *Turn) Amend(options ...Option) {
	t.actions = slices.Clone(t.actions) // a handler that declines has it taken back
	for i := range t.actions {
		for _, o := range options {
			if o != nil {
				o(t, &t.actions[i])
			}
		}
	}
}

// Checkpoint returns a function that takes back what the turn decides from here on: actions, timers,
// changes of the conversation and of values, notes. What was read stays read. It is for middleware that goes on after
// its handler has failed.
func (t *Turn) Checkpoint() (restore func()) {
	was := *t
	return func() { t.takeBack(&was) }
}
