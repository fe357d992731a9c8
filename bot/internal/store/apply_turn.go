package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// storeTurn stores the turn of write i; false when its trigger was handled before, or a limit use of its own was
// denied.
func (a *applier) storeTurn(g *group, i int) (bool, error) {
	t := g.writes[i].Turn
	if len(t.Values) > 0 {
		old, err := a.isOutdated(t)
		if old {
			g.noteStale(i)
		}
		if err != nil || old {
			return false, err
		}
	}
	fresh, err := a.storeStart(g, i)
	if err == nil && g.receipts[i].Err == nil { // the trigger is handled now, or was before
		err = a.removeTried(&t.Trigger) //mutate:suspect-untried
	}
	if err != nil || !fresh {
		return false, err
	}
	if err := a.storeConversation(&g.writes[i]); err != nil {
		return false, err
	}
	for i := range t.Timers {
		if err := a.storeTimer(&t.Timers[i]); err != nil {
			return false, err
		}
	}
	key := t.Trigger.Key
	if len(t.Facts) > 0 {
		if err := a.storeFacts(key.Account, t.Trigger.ID(), t.Facts); err != nil {
			return false, err
		}
	}
	if t.Withdraw != "" {
		// In this order: uses are found by the actions that are still due. And before the turn's own actions are stored, which stay.
		if err := a.giveBackAll.key(key.Account).int(int64(key.Peer)).do(); err != nil {
			return false, err
		}
		if err := a.withdrawAll.str(t.Withdraw).str(string(reason.TakenBack)).at(t.At).key(key.Account).int(int64(key.Peer)).do(); err != nil {
			return false, err
		}
	}
	if err := a.storeRetries(t); err != nil {
		return false, err
	}
	// Before the actions: a person waits when the answer is denied now, although the turn has decided to give one.
	if err := a.storeWait(key, &t.Wait); err != nil {
		return false, err
	}
	for n := range t.Actions {
		if leaves, err := a.storeAction(t, &t.Actions[n]); err != nil {
			return false, err
		} else if !leaves {
			g.noteDenied(i, n)
		}
	}
	return true, a.storeExtras(t)
}

// storeStart stores what started the turn of write i, and takes the turn's own limit uses; false when nothing of
// the turn is to be stored.
func (a *applier) storeStart(g *group, i int) (bool, error) {
	t := g.writes[i].Turn
	limitUses := t.limitUses()
	// That a trigger was handled is stored before its limits are known to be free, since it says whether the turn is new at all; where they
	// are not, that goes back, and nothing else of the group does.
	if len(limitUses) > 0 && a.way.waitsForAnswers() {
		if err := a.savepoint.do(); err != nil {
			return false, err
		}
	}
	fresh, err := a.storeTrigger(t)
	if err != nil {
		return false, err
	}
	if !fresh {
		g.noteDropped(i)
	}
	if len(limitUses) == 0 {
		return fresh, nil
	}
	if fresh {
		limit, err := a.useLimits(t.Trigger.Key.Account, t.ClaimantKey(), limitUses, t.At)
		if err != nil {
			return false, err
		}
		if limit != "" { //mutate:denied
			if err := a.back.do(); err != nil {
				return false, err
			}
			g.denyTurn(i, limit)
			fresh = false
		}
	}
	if !a.way.waitsForAnswers() {
		return fresh, nil
	}
	return fresh, a.release.do()
}

// storeExtras stores what few turns have.
func (a *applier) storeExtras(t *Turn) error {
	key := t.Trigger.Key
	for _, m := range t.Masks {
		if err := a.mask.addSecret(seal.EventText.OfEvent(key.Account, m.Event), m.Text).key(key.Account).int(int64(m.Event.Source)).int(m.Event.Number).do(); err != nil {
			return err
		}
	}
	if err := a.storePending(t.Deliveries); err != nil { //mutate:delivery-stored
		return err
	}
	if err := a.storeNotices(t); err != nil {
		return err
	}
	if err := a.storeValues(key.Account, t.Values); err != nil {
		return err
	}
	if err := a.storeKnown(key.Account, t.Known); err != nil {
		return err
	}
	if err := a.storeIgnored(key, t.Ignore, t.At); err != nil {
		return err
	}
	if err := a.resume(t); err != nil {
		return err
	}
	return a.useRules(t)
}

// storeNotices stores entries, and notices unless they are about an entry that was there before.
func (a *applier) storeNotices(t *Turn) error {
	var known [][2]string
	for _, list := range t.DropLists {
		if err := a.dropList.key(t.Trigger.Key.Account).str(list).do(); err != nil {
			return err
		}
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		n, err := a.entry.key(e.Account).str(e.List).str(e.Key).int(int64(e.Peer)).str(e.Trigger).
			addSecret(seal.EntryText.CellWithin(e.Account, e.List, e.Key), e.Text).addSecret(seal.EntryData.CellWithin(e.Account, e.List, e.Key), string(e.Data)).at(e.At).runUsual()
		if err != nil {
			return err
		}
		if n == 0 {
			known = append(known, [2]string{e.List, e.Key})
		}
	}
	return a.tellNew(t.Notices, known)
}

// tellNew stores notices, but for those about entries that are known.
func (a *applier) tellNew(notices []event.Notice, known [][2]string) error {
	for i := range notices {
		n := &notices[i]
		if n.List != "" && slices.Contains(known, [2]string{n.List, n.Key}) { //mutate:told-once
			continue
		}
		if err := a.notice.key(n.Account).str(n.ID).str(n.Who).addSecret(seal.NoticeText.CellOf(n.Account, n.ID), n.Text).int(int64(n.Peer)).at(n.At).at(n.SentAt).bool(n.Private).
			str(n.Kind).addSecret(seal.NoticeDetails.CellOf(n.Account, n.ID), string(n.Details)).str(string(n.Reached)).do(); err != nil {
			return err
		}
	}
	return nil
}

// storeTrigger marks what started a turn as handled; false when it was so before. Nothing else of the turn
// is stored by then; a timer or request that was left of the trigger is taken away, or it would come again
// for ever.
func (a *applier) storeTrigger(t *Turn) (bool, error) {
	switch t.Trigger.Kind {
	case event.ByEvent:
		return a.handled(&t.Trigger.Event, t)
	case event.ByTimer:
		n, err := a.fire.addOccurrence(&t.Trigger.Timer).runUsual()
		if err != nil || n == 0 {
			return false, err
		}
	case event.ByNudge: // no row waits for it
	case event.ByRequest:
		if fresh, err := a.takeRequest(t.Trigger.Request); err != nil || !fresh {
			return false, err
		}
	}
	key, id := t.Trigger.Key, t.Trigger.ID()
	n, err := a.turn.key(key.Account).str(id).int(int64(key.Peer)).at(t.At).
		addRecord(&t.Record, seal.TurnNote.CellOf(key.Account, id), seal.TurnBefore.CellOf(key.Account, id)).str(t.Record.By).str(string(t.Record.Why)).runUsual()
	return n > 0, err
}

// handled stores an event as handled; false when it was so before.
func (a *applier) handled(e *event.Event, t *Turn) (bool, error) {
	if a.isBelowLowWater(e) {
		return a.finishOld(e, record.EventHandled, 0, bind.ToMicros(t.At), &t.Record)
	}
	n, err := a.handle.addEvent(e).at(t.At).eventRecord(e, &t.Record).at(e.SaidAt).runUsual()
	return n > 0, err
}

// storeConversation stores the conversation on top of the version that it was made of.
func (a *applier) storeConversation(w *Write) error {
	c := w.Turn.Conversation
	if c == nil {
		return nil
	}
	st := &a.change
	if c.Version == 1 {
		st = a.greet.key(c.Key.Account).int(int64(c.Key.Peer))
	}
	st.str(c.Name).str(c.User).str(c.Owner).at(c.OwnerSince).at(c.Unreachable).str(c.Flow.Flow).str(c.Flow.State).
		str(w.body.labels)
	if w.body.body == seal.EmptyBody {
		st.str(seal.EmptyBody)
	} else {
		st.addSecret(seal.ConversationValues.OfConversation(c.Key), w.body.body)
	}
	st.at(w.Turn.At)
	if c.Version != 1 {
		st.key(c.Key.Account).int(int64(c.Key.Peer)).int(c.Version - 1)
	}
	n, err := st.runUsual()
	// No row of that version: another process, or a person who is forgotten, has changed it. What was made of the old one is not stored on top.
	if err == nil && n == 0 {
		err = ErrStale
	}
	return err
}

// storeFacts stores what a turn, or a try of it, recorded. What is recorded already stays.
func (a *applier) storeFacts(account event.Account, trigger string, facts []event.Fact) error {
	for _, f := range facts {
		if err := a.fact.key(account).str(trigger).str(f.Name).addSecret(seal.FactValue.CellWithin(account, trigger, f.Name), string(f.Value)).at(f.ReadAt).do(); err != nil {
			return err
		}
	}
	return nil
}

// storeAction stores an action with the limit uses it needs; without them it is withdrawn. It returns
// false when the action must not leave.
func (a *applier) storeAction(t *Turn, x *record.Action) (bool, error) {
	limitUses, err := limitUsesOf(t, x)
	if err != nil {
		return false, err
	}
	switch {
	// It is there already, and changes; and so is what was taken back. Everything below is of a new row.
	case x.Held:
		return true, a.storeHeld(x, limitUses, t.At)
	case x.TakenBack:
		return true, a.storeTakenBack(&x.Action)
	}
	n, err := a.storeActionRow(x, limitUses)
	if err == nil {
		err = a.storeName(t, x, n > 0)
	}
	if err != nil || n == 0 {
		return false, err
	}
	// What is held uses no limit: its uses are stored with it, and become those of the turn that releases it.
	if x.State == event.StateHeld || x.State.Final() {
		return true, a.storeApproval(x)
	}
	limit, err := a.useLimits(x.Account, x.Key, x.LimitUses, t.At)
	if err != nil || limit == "" {
		return err == nil, err
	}
	if err = a.withdraw.addReason(reason.UsedUp(limit)).at(t.At).key(x.Account).str(x.Key).do(); err == nil && x.Verb.Makes() {
		err = a.failedAnswer(x.Conversation(), x.Key, event.StateWithdrawn)
	}
	if err != nil || limitUses == "" {
		return false, err
	}
	return false, a.giveLimitUsesBack(x.Account, x.Key)
}

// storeActionRow stores a new action; 0 when its key is taken.
func (a *applier) storeActionRow(x *record.Action, limitUses string) (int64, error) {
	st, asks := &a.action, x.State == event.StateDue && x.Verb.Makes()
	if asks {
		st = &a.speak
	}
	st.key(x.Account).str(x.Key).int(int64(x.Peer)).str(string(x.Verb)).addSecret(seal.ActionText.CellOf(x.Account, x.Key), x.Text).int(int64(x.Post)).
		int(x.Target()).bool(x.Want).int(int64(x.Priority)).str(string(x.State)).at(x.Due).int(x.Position).int(x.ReconcileFrom).
		int(x.Result).int(int64(x.Tries)).str(x.Reason).at(x.DecidedAt).at(x.LeftAt).at(x.EndedAt).bool(x.Private).str(limitUses).str(x.Rule).at(x.Stale).at(x.Until).int(int64(x.Apart / time.Microsecond)).
		str(string(x.Why)).int(int64(x.Delay / time.Microsecond))
	if asks {
		st.key(x.Account).int(int64(x.Peer)).key(x.Account).int(int64(x.Peer)).int(askedAt(x.Key))
	}
	return st.int(knownBefore(&x.Action)).runUsual()
}

// storeMarks stores marks, in their order. An action that has ended does not leave any more.
func (a *applier) storeMarks(marks []outbox.Mark) error {
	var ended error
	for i := range marks {
		m, st := &marks[i], &a.mark
		if m.Age != nil {
			if err := a.storeAge(m); err != nil {
				return err
			}
			continue
		}
		switch {
		case m.State == event.StateSending:
			st = &a.leave
		case m.Waits:
			st = &a.lapseOne
		case m.State == event.StateDue: //mutate:known-back
			if err := a.regroupAction(m.Account, m.Key); err != nil {
				return err
			}
		case m.State == event.StateDone && m.Peer != 0:
			st = a.arrivedStatement(m)
		}
		n, err := int64(1), error(nil)
		// What is to leave, or waits, may have ended since it was read: a person, a pause or its latest departure was faster. The statement leaves
		// such a row alone, so it is asked whether it changed one.
		if st.addMark(m); st == &a.mark || st == &a.behind { // these change the row that is there
			err = st.do()
		} else {
			n, err = st.runUsual()
		}
		if err != nil {
			return err
		}
		if (isFailed(m.State) || m.Idle) && (n > 0 || !m.Waits) { //mutate:use-back
			if err := a.giveLimitUsesBack(m.Account, m.Key); err != nil {
				return err
			}
		}
		if isFailedAnswer(m) && (n > 0 || !m.Waits) { //mutate:wait-failed
			if err := a.failedAnswer(event.Key{Account: m.Account, Peer: m.Says}, m.Key, m.State); err != nil {
				return err
			}
		}
		if m.Ageless {
			if err := a.takeAge(m.Account, m.Key); err != nil {
				return err
			}
		}
		if m.Left {
			if err := a.countDeparture(m); err != nil {
				return err
			}
		}
		if n == 0 && (m.State == event.StateSending || m.Waits) {
			// Told at the end: of a lazy write the other marks are stored all the same. Any other write is refused as a whole.
			ended = fmt.Errorf("%s: %w", m.Key, ErrEnded)
		}
	}
	return ended
}
