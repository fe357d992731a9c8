package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/internal/reason"
)

// People may pause a rule, or a whole account: nothing of it leaves, what is decided is only recorded, and what has left
// without an answer is reconciled all the same. It lasts over restarts, until somebody lets it go on.

// OutcomePaused is the outcome of a turn that did nothing since its account, or the rule that would have decided, is
// paused.
const OutcomePaused = "paused"

// Pause is since when something is paused, and by whom; "" when nobody said so.
type Pause struct {
	Since time.Time `json:"since"`
	By    string    `json:"by,omitempty"`
}

// Pauses are what people have paused on an account. They are kept in the store; see PausesOf.
type Pauses struct {
	Account *Pause           `json:"account,omitempty"` // nil when the account is not paused
	Rules   map[string]Pause `json:"rules,omitempty"`   // by the ids of rules
}

// pauseFact is the name under which Pauses are known of their account.
const pauseFact = "pause"

// PausesOf returns what is paused on an account, as it is stored. The error is that of the store.
func PausesOf(ctx context.Context, st Knower, account event.Account) (Pauses, error) {
	var p Pauses
	f, ok, err := st.Known(ctx, account, pauseFact)
	if err == nil && ok {
		err = json.Unmarshal(f.Value, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read what is paused on %s: %w", account, err)
	}
	return p, nil
}

// None reports whether nothing is paused.
func (p *Pauses) None() bool { return p.Account == nil && len(p.Rules) == 0 }

// with returns the pauses as they are after a request; changed is false when it asks for what is so.
func (p Pauses) with(q *event.Request, now time.Time) (after Pauses, changed bool) {
	after = Pauses{Account: p.Account, Rules: maps.Clone(p.Rules)}
	_, was := p.Rules[q.Action]
	if q.Action == "" {
		was = p.Account != nil
	}
	pauses := q.Wish == event.WishPause
	switch {
	case was == pauses:
		return after, false
	case q.Action == "" && pauses:
		after.Account = &Pause{Since: now, By: q.By}
	case q.Action == "":
		after.Account = nil
	case pauses:
		if after.Rules == nil {
			after.Rules = map[string]Pause{}
		}
		after.Rules[q.Action] = Pause{Since: now, By: q.By}
	default:
		delete(after.Rules, q.Action)
	}
	return after, true
}

// toFacts returns the pauses as they are stored.
func (p *Pauses) toFacts(now time.Time) []event.Fact {
	value, err := json.Marshal(p)
	if err != nil {
		panic(err) // names and times always encode
	}
	return []event.Fact{{Name: pauseFact, Value: value, ReadAt: now}}
}

// pauses are what is paused on an account in this incarnation.
type pauses struct {
	now    atomic.Pointer[Pauses] // what is in force; nil: nothing was ever paused
	late   atomic.Int64           // how often something went on behind the end of its pause
	mu     sync.Mutex             // guards the fields below
	stored Pauses
	busy   bool // something is on its way into the store
}

// currentPauses returns what is paused on the account; nil when nothing is.
func (a *account) currentPauses() *Pauses {
	p := a.pauses.now.Load()
	if p == nil || p.None() {
		return nil
	}
	return p
}

// pauseReason says why an action waits until a person lets it go on.
func (a *account) pauseReason(x *event.Action) event.Reason {
	p := a.currentPauses()
	if p == nil || x.Rule == "" {
		return ""
	}
	for rule := range strings.SplitSeq(x.Rule, ", ") {
		if _, paused := p.Rules[rule]; paused {
			return reason.PausedBy(rule)
		}
	}
	return ""
}

// restorePauses takes up what was paused in an earlier incarnation, or has been asked for since: before anything leaves.
func (a *account) restorePauses(ctx context.Context, asked []event.Request) error {
	was, err := PausesOf(ctx, a.bot.store, a.name)
	if err != nil {
		return err
	}
	now := was
	for i := range asked {
		if asked[i].Wish == event.WishPause {
			now, _ = now.with(&asked[i], time.Now())
		}
	}
	a.pauses.mu.Lock()
	a.pauses.stored = was
	a.pauses.mu.Unlock()
	// Stored is what the next wish builds on: what was asked for and is not stored comes again, as the request that it is.
	a.pauses.now.Store(&now) //mutate:pause-restore
	if now.Account != nil {
		a.outbox.Pause()
		a.bot.log.Warn("the account is paused: nothing of it leaves here", "account", a.name, "since", now.Account.Since,
			"do", "to let it go on: nectar resume --account "+string(a.name))
	}
	for rule, p := range now.Rules {
		a.bot.log.Warn("a rule is paused", "account", a.name, "rule", rule, "since", p.Since, "do", "to let it go on: nectar resume "+rule)
	}
	return nil
}

// pause pauses something, or lets it go on, because a person wants that, one wish after another: false when one before it
// is not stored yet. A pause takes effect at once, and its end when that is stored.
func (a *account) pause(q *event.Request) bool {
	now := time.Now()
	a.pauses.mu.Lock()
	defer a.pauses.mu.Unlock()
	if a.pauses.busy { // it comes again
		a.requests.done(q)
		return false
	}
	a.pauses.busy = true
	then, changed := a.pauses.stored.with(q, now)
	turn := &store.Turn{Trigger: q.Trigger(), Known: then.toFacts(now), Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: pauseNote(q, changed), By: q.By}, At: now}
	if !changed {
		turn.Record.Outcome = OutcomeObsolete
	}
	// A pause that is not stored yet only holds back too much; an end that is not stored would let leave what after a crash is paused again.
	if q.Wish == event.WishPause {
		a.countsLocked(q, now)
	} else if changed {
		turn.Resume = &store.Resume{Rule: q.Action}
	}
	a.bot.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		a.pauses.mu.Lock()
		defer a.pauses.mu.Unlock()
		a.pauses.busy = false
		if r.Err == nil && !r.Dropped {
			a.pauses.stored = then
			a.countsLocked(q, now)
			a.outbox.TakeUpReleased(a.term)
			a.bot.timers.wake()
			a.bot.nudges.wake()
		}
		a.requests.done(q)
	}})
	return true
}

// countsLocked lets a wish count, beside what else is in force: also what was asked for since, and is not stored yet.
func (a *account) countsLocked(q *event.Request, now time.Time) {
	p, _ := a.pauses.now.Load().with(q, now) //mutate:pause-beside
	a.pauses.now.Store(&p)
	if p.Account != nil {
		a.outbox.Pause() //mutate:pause-halt
		return
	}
	a.rivals.GoOnUnlessStopped()
}

// pauseNote says what became of a request.
func pauseNote(q *event.Request, changed bool) string {
	what := "the rule " + q.Action
	if q.Action == "" {
		what = "the account"
	}
	switch pauses := q.Wish == event.WishPause; {
	case pauses && changed:
		return what + " is paused"
	case pauses:
		return what + " was paused already"
	case changed:
		return what + " goes on"
	}
	return what + " was not paused"
}

// pausedTimer is when a timer of an account that was just paused is looked at again.
const pausedTimer = time.Minute

// isPaused reports whether the account of a turn is paused.
func (t *Turn) isPaused() bool { return t.pauses != nil && t.pauses.Account != nil }

// pausesTimer reports whether timers of a name wait while the account is paused: all but those that judge nobody's
// silence, and the bot's own.
func (a *account) pausesTimer(name string) bool {
	p := a.currentPauses()
	return p != nil && p.Account != nil && !a.bot.router.atOnce(name)
}

// putOffTimer lets a timer wait that was in its lane when its account was paused; false when the turn has to be handled.
func (b *Bot) putOffTimer(_ context.Context, t *Turn) (bool, error) {
	if !t.isPaused() || t.Trigger.Kind != event.ByTimer || b.router.atOnce(t.Trigger.Timer.Name) {
		return false, nil
	}
	t.putOff(pausedTimer)
	t.rec.Outcome = OutcomePaused
	t.Note("%s", reason.SentenceOf(reason.PausedBy("")))
	return true, nil
}

// onlyRecorded makes a turn of an account that is paused one that does nothing: what it would have done stays recorded.
func (t *Turn) onlyRecorded() {
	if !t.minds && !t.isDelivery() { //mutate:paused-route
		found, masks := t.found.paused, t.masks
		t.Conversation, t.changed, t.timers, t.withdraw, t.decisions = found.conversation, found.changed, found.timers, found.withdraw, found.decisions
		t.masks = masks // what is private stays so
		t.values = valuesAsRead(t.values, nil)
		if !t.unanswered {
			t.rec.Outcome = OutcomePaused
		}
		t.Note("%s", reason.SentenceOf(reason.PausedBy("")))
	}
	for i := range t.actions {
		if a := &t.actions[i]; !a.State.Final() { //mutate:paused-action
			t.recordOnly(a, reason.PausedBy(""))
			a.LimitUses = nil
		}
	}
}

// The end of a rule's pause lets go on what is held because of it by then. The dispatcher may hold something while that end is on
// its way into the store, and that is stored behind it: it has to go on by itself, after a crash as well.

// isOver reports whether a rule is not paused any more.
func (a *account) isOver(rule string) bool {
	p := a.currentPauses()
	if p == nil {
		return true
	}
	_, paused := p.Rules[rule]
	return !paused
}

// heldTooLate lets an action go on that was held for a pause that was over when that was stored.
func (a *account) heldTooLate(x *event.Action) {
	if x.State != event.StateHeld {
		return
	}
	if rule := reason.PausedRule(x); rule != "" && a.isOver(rule) { //mutate:held-too-late
		a.letGoOn(rule)
	}
}

// letGoOn lets what is held for a rule's pause go on, if the rule is not paused again. What the store refuses is tried again.
func (a *account) letGoOn(rule string) {
	if !a.isOver(rule) || a.term.Err() != nil {
		return
	}
	a.bot.store.Commit(store.Write{Turn: a.goesOn(rule), Done: func(r store.Receipt) {
		if r.Err != nil {
			time.AfterFunc(time.Second, func() { a.letGoOn(rule) })
			return
		}
		a.outbox.TakeUpReleased(a.term)
	}})
}

// goesOn is a turn that lets go on what is held for a rule's pause.
func (a *account) goesOn(rule string) *store.Turn {
	now := time.Now()
	return &store.Turn{
		Trigger: event.Trigger{
			Kind: event.ByRequest, Key: event.Key{Account: a.name}, Choice: fmt.Sprintf("gone-on/%s/%d/%d", rule, now.UnixMicro(), a.pauses.late.Add(1)),
		},
		Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: "the rule " + rule + " goes on: what was held as its pause ended"},
		Resume: &store.Resume{Rule: rule}, At: now,
	}
}

// restoreLate lets go on what an earlier incarnation held too late.
func (a *account) restoreLate(ctx context.Context) error {
	held, err := a.bot.store.HeldBefore(ctx, a.name, time.Now().AddDate(100, 0, 0), maxPending)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range held {
		rule := reason.PausedRule(&held[i])
		if rule == "" || seen[rule] || !a.isOver(rule) {
			continue
		}
		seen[rule] = true
		a.letGoOn(rule)
	}
	return nil
}
