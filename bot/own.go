package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// An account has a conversation of its own, with nobody: see event.Own. Its turns are begun by timers, nudges and what people
// ask of the account, one after another. They may publish, repost, like, reply to posts, keep lists and values, and call
// people of ours. What needs a person they cannot do.

// ErrNoPerson is the error of a turn of the account's own conversation that does what is done with a person.
var ErrNoPerson = errors.New("the account's own conversation has no person")

// errOwnID is the error of a turn in a conversation of the account with itself.
var errOwnID = errors.New("a conversation with the account itself has no turns: what the account does by itself is in event.Own(account)")

// ofAccount reports whether the turn is one of the account's own. An event of nobody, which a platform may show, is none.
func (t *Turn) ofAccount() bool {
	return t.Trigger.Key.Own() && (t.Trigger.Kind != event.ByEvent || t.isDelivery())
}

// withPerson returns an error where what is to be done needs a person, and the turn has none.
func (t *Turn) withPerson(what string) error {
	if !t.ofAccount() { //mutate:own-person
		return nil
	}
	return fmt.Errorf("%s: %w", what, ErrNoPerson)
}

// failWithoutPerson lets the turn fail where what is to be done needs a person, and it has none; false otherwise.
func (t *Turn) failWithoutPerson(what string) bool {
	err := t.withPerson(what)
	if t.failed == nil {
		t.failed = err
	}
	return err != nil
}

// limitScope names whose uses of a limit are counted: the person's, or the account's own.
func (t *Turn) limitScope() string {
	if t.ofAccount() {
		return "own"
	}
	return fmt.Sprintf("peer:%d", t.Trigger.Key.Peer)
}

// refuseItself returns an error for a turn that no event started and that is in the account's conversation with itself, where
// nothing would happen, and nobody would know why.
func (b *Bot) refuseItself(_ context.Context, t *Turn) (bool, error) {
	key := t.Trigger.Key
	if t.Trigger.Kind == event.ByEvent || key.Own() {
		return false, nil
	}
	a := t.reader.account
	if us, ok := b.selves.Load(self{a.home, key.Peer}); ok && us == a.name { //mutate:own-id
		return true, fmt.Errorf("%d: %w", key.Peer, errOwnID)
	}
	return false, nil
}

// Nudge begins a turn of the account's own conversation, for the route that matches Nudged(name), with data in JSON for its
// handler, or nil. It is for what no event tells: the program has read its files anew, say. The turn comes soon, behind what
// waits in that conversation; before Run, with its start; while the account is paused, when it goes on, unless its route minds
// pauses itself. One of the same name that waits for the start, or for the end of a pause, is replaced.
//
// A nudge is not stored: one whose turn is not when the process ends does not come again. What has to begin with each start
// is a route that matches Started. The error is ErrNotServed, or says that no route is for the name,
// or that data cannot be JSON.
func (b *Bot) Nudge(account event.Account, name string, data any) error {
	a := b.accounts.byName(account)
	switch {
	case a == nil:
		return fmt.Errorf("nudge %s of %q: %w", name, account, ErrNotServed)
	case !b.router.has(kindNudge, name):
		return fmt.Errorf("nudge %q of %s: no route is for it: make one with bot.On and bot.Nudged", name, account)
	}
	n := nudge{account: a, Nudge: event.Nudge{Name: name}}
	if data != nil {
		raw, err := json.Marshal(data)
		if err != nil {
			return fmt.Errorf("nudge %s of %s: %w", name, account, err)
		}
		n.Data = raw
	}
	b.nudges.add(n)
	return nil
}

// nudge is a nudge that waits to be brought into its lane.
type nudge struct {
	account *account
	event.Nudge
}

// nudges are those that wait.
type nudges struct {
	mu      sync.Mutex // guards the fields below
	waiting []nudge
	woken   chan struct{}
}

func newNudges() *nudges {
	return &nudges{woken: make(chan struct{}, 1)}
}

// add lets a nudge wait, in the place of one of its name.
func (ns *nudges) add(n nudge) {
	ns.mu.Lock()
	same := func(x nudge) bool { return x.account == n.account && x.Name == n.Name }
	if i := slices.IndexFunc(ns.waiting, same); i >= 0 {
		ns.waiting[i] = n
	} else {
		ns.waiting = append(ns.waiting, n)
	}
	ns.mu.Unlock()
	ns.wake()
}

func (ns *nudges) wake() {
	select {
	case ns.woken <- struct{}{}:
	default:
	}
}

// takeReady returns those that may have their turn.
func (ns *nudges) takeReady(may func(n *nudge) bool) (ready []nudge) {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	ns.waiting = slices.DeleteFunc(ns.waiting, func(n nudge) bool {
		if !may(&n) {
			return false
		}
		ready = append(ready, n)
		return true
	})
	return ready
}

// nudgeNumber returns a number for a nudge. An earlier term may have given it, too; see renumberNudge.
func (a *account) nudgeNumber() int64 {
	for {
		last := a.nudged.Load()
		if n := max(last+1, time.Now().UnixMicro()); a.nudged.CompareAndSwap(last, n) {
			return n
		}
	}
}

// submitStarts begins the turns that come with each start of an account's term, of those routes that are meant; nil is all.
func (a *account) submitStarts(meant func(*Route) bool) {
	for _, rt := range a.bot.router.started {
		if (meant == nil || meant(rt)) && (rt.starts == nil || rt.starts(a.name)) {
			a.bot.nudges.add(nudge{account: a, Nudge: event.Nudge{Name: rt.started}}) //mutate:own-started
		}
	}
}

// runNudges brings nudges into the lanes of their accounts, until ctx is done.
func (b *Bot) runNudges(ctx context.Context) {
	for {
		for _, n := range b.nudges.takeReady(func(n *nudge) bool {
			return n.account.workers.IsStopped() || n.account.atWork.Load() && !b.holdsNudges(n.account.currentPauses(), n.Name)
		}) {
			if !n.account.beginWork() {
				continue // its account is gone
			}
			n.Number = n.account.nudgeNumber()
			n.account.submitJob(&job{trigger: event.Trigger{Kind: event.ByNudge, Key: event.Own(n.account.name), Nudge: &n.Nudge}})
			n.account.endWork()
		}
		select {
		case <-ctx.Done():
			return
		case <-b.nudges.woken:
		}
	}
}

// holdsNudges reports whether nudges of a name wait, as the account is paused.
func (b *Bot) holdsNudges(p *Pauses, name string) bool {
	//mutate:own-paused
	return p != nil && p.Account != nil && !b.router.mindsPauses(kindNudge, name)
}

// putOffNudge lets a nudge wait that was in its lane when its account was paused; false when the turn has to be handled.
func (b *Bot) putOffNudge(_ context.Context, t *Turn) (bool, error) {
	if t.Trigger.Kind != event.ByNudge || !b.holdsNudges(t.pauses, t.Trigger.Nudge.Name) {
		return false, nil
	}
	n := *t.Trigger.Nudge
	b.nudges.add(nudge{t.reader.account, n})
	t.rec.Outcome = OutcomePaused
	t.Note("%s", reason.SentenceOf(reason.PausedBy("")))
	return true, nil
}

// renumberNudge gives a nudge another number, whose number an earlier incarnation had given; false when the trigger is none.
func (a *account) renumberNudge(t *event.Trigger) bool {
	if t.Kind != event.ByNudge { //mutate:own-renumber
		return false
	}
	again := *t.Nudge
	again.Number = a.nudgeNumber()
	t.Nudge = &again
	return true
}

// Names of the facts that say what began a turn, where its id does not.
const (
	nudgeFact = "nudge"
	toldFact  = "told"
)

// recordCause records what began a turn, where its id does not say it.
func (t *Turn) recordCause(ctx context.Context) error {
	switch q := t.Trigger.Request; {
	case t.Trigger.Kind == event.ByNudge && t.Trigger.Nudge.Data != nil:
		_, err := Fact(ctx, t, nudgeFact, func(context.Context) (json.RawMessage, error) { return t.Trigger.Nudge.Data, nil })
		return err
	case q != nil && q.Wish == event.WishTell:
		_, err := Fact(ctx, t, toldFact, func(context.Context) (event.Told, error) { return toldBy(q), nil })
		return err
	}
	return nil
}

// onlyReads reports whether a turn of the account's own has decided nothing from what it has read, but when to look again: nobody asks about that
// later, and who watches a page all day would fill the database with it.
func (t *Turn) onlyReads() bool {
	return t.ofAccount() && t.Trigger.Kind == event.ByTimer && !t.changed && t.rec.Version == "" && t.withdraw == "" &&
		len(t.deliveries)+len(t.actions)+len(t.entries)+len(t.dropLists)+len(t.notices)+len(t.limitUses)+len(t.retries)+len(t.rings) == 0 &&
		!slices.ContainsFunc(t.values, func(u usedValue) bool { return u.changed })
}

// routeRequest gives what a person asks of the program to the route for it.
func (b *Bot) routeRequest(ctx context.Context, t *Turn, q *event.Request) error {
	switch {
	case !q.Key.Own():
		t.noteObsolete("%s is asked of the account, and not of a conversation", q.Subject)
		return nil
	case !b.router.has(kindTold, q.Subject):
		t.noteObsolete("nothing in this program is asked for %q", q.Subject)
		return nil
	// Not put off: the person who asked waits for an answer, and what it was asked for may be wrong by the time the pause is over.
	case t.isPaused() && !b.router.mindsPauses(kindTold, q.Subject):
		t.noteObsolete("%s: nothing was done; let it go on first, and ask again", reason.SentenceOf(reason.PausedBy("")))
		return nil
	}
	// The commit takes the request's row away, and with it what was asked for: the turn keeps that as a fact.
	if err := t.recordCause(ctx); err != nil { //mutate:own-cause
		return err
	}
	if err := b.callMiddleware(ctx, t); err != nil {
		return err
	}
	if t.rec.Outcome == OutcomeUnmatched || t.rec.Outcome == "" && t.route == "" { // or middleware has kept it
		t.noteObsolete("nothing in this program wants what %q asks for", q.Subject)
	}
	return nil
}

// toldBy returns what a request tells a route.
func toldBy(q *event.Request) event.Told {
	return event.Told{Subject: q.Subject, Text: q.Text, By: q.By}
}
