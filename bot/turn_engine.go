package bot

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/store"
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

func (e engineTurn) TakenBack(ctx context.Context, post platform.PostID) (time.Time, error) {
	at, err := e.reader.store.TakenBack(ctx, e.Trigger.Key.Account, post)
	if err != nil {
		return time.Time{}, storeError{err}
	}
	return at, nil
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
