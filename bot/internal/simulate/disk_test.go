package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// slowestDisk is how long it takes at most, at the usual speed, until a commit that is made is answered.
const slowestDisk = 8 * time.Millisecond

// around makes a commit, which takes its time, and may be the last thing that an incarnation does.
func (p *power) around(ctx context.Context, d *dice, rush float64) func(commit func() error) error {
	ctx = context.WithoutCancel(ctx)
	return func(commit func() error) error {
		if p.out.Load() {
			return errDark
		}
		drawn := d.draw(fmt.Sprint("commit of life ", p.incarnation))
		name := fmt.Sprint("commit ", drawn.time)
		pause := drawn.between(time.Microsecond, time.Millisecond) // so that all of one instant are in it
		if err := d.wait(ctx, p.dark, pause, name); err != nil {
			return err
		}
		if err := p.boundary("commit begins"); err != nil {
			return err
		}
		p.disk.Lock()
		before := p.logSize()
		err := commit()
		after := p.logSize()
		p.disk.Unlock()
		if err != nil {
			return err
		}
		if after > before {
			if err := p.torn("commit breaks off", before+drawn.n(after-before)); err != nil {
				return err
			}
		}
		if err := p.boundary("commit is done"); err != nil {
			return err
		}
		took := time.Duration(rush * float64(drawn.between(200*time.Microsecond, slowestDisk)))
		_ = d.wait(ctx, nil, took, name) // it is done, whatever becomes of us
		return nil
	}
}

// disk is a store whose answers take a moment each, which is drawn from what was asked: so that those
// who ask at one instant go on at different ones.
type disk struct {
	store.Store
	power *power
	dice  *dice
}

// seek lets an answer take its time.
func (s disk) seek(ctx context.Context, format string, args ...any) error {
	if s.power.out.Load() {
		return errDark
	}
	if s.power.way != nil {
		if err := s.power.way(ctx); err != nil {
			return err
		}
	}
	return s.pause(ctx, format, args...)
}

// pause is the moment that an answer takes. The answer to what was stored takes it alone: it does not get lost any more, since a store
// finds out what became of a commit before it tells.
func (s disk) pause(ctx context.Context, format string, args ...any) error {
	name := fmt.Sprintf("life %d ", s.power.incarnation) + fmt.Sprintf(format, args...)
	d := s.dice.draw(name)
	return s.dice.wait(ctx, s.power.dark, d.between(time.Microsecond, 300*time.Microsecond), name)
}

// seek lets the answer of a question take its time.
func seek[T any](ctx context.Context, s disk, answer func() (T, error), format string, args ...any) (T, error) {
	if err := s.seek(ctx, format, args...); err != nil {
		var none T
		return none, err
	}
	return answer()
}

// Conversation is that of store.Store, as are all methods here.
func (s disk) Conversation(ctx context.Context, key event.Key) (conversation.State, error) {
	return seek(ctx, s, func() (conversation.State, error) { return s.Store.Conversation(ctx, key) }, "conversation %v", key)
}

func (s disk) StoredEvents(ctx context.Context, account event.Account, ids []event.ID) (map[event.ID]bool, error) {
	return seek(ctx, s, func() (map[event.ID]bool, error) { return s.Store.StoredEvents(ctx, account, ids) }, "stored %v", sorted(ids))
}

func (s disk) SaidSince(ctx context.Context, key event.Key, since time.Time) ([]store.Said, error) {
	return seek(ctx, s, func() ([]store.Said, error) { return s.Store.SaidSince(ctx, key, since) }, "said %v", key)
}

func (s disk) RecentEvents(ctx context.Context, key event.Key, limit int) ([]event.Event, error) {
	return seek(ctx, s, func() ([]event.Event, error) { return s.Store.RecentEvents(ctx, key, limit) }, "recent %v", key)
}

func (s disk) PendingEvents(ctx context.Context, account event.Account, peer int64, limit int) ([]store.PendingEvent, error) {
	return seek(ctx, s, func() ([]store.PendingEvent, error) { return s.Store.PendingEvents(ctx, account, peer, limit) }, "pending %v %d", account, peer)
}

func (s disk) Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error) {
	return seek(ctx, s, func() ([]event.Fact, error) { return s.Store.Facts(ctx, account, trigger) }, "facts %v %s", account, trigger)
}

func (s disk) DueKnown(ctx context.Context, account event.Account, known bool, now time.Time, except []platform.UserID, limit int) ([]event.Action, error) {
	return seek(ctx, s, func() ([]event.Action, error) { return s.Store.DueKnown(ctx, account, known, now, except, limit) }, "due %v %v %v", account, known, sorted(except))
}

func (s disk) DueActions(ctx context.Context, account event.Account, now time.Time, except []platform.UserID, limit int) ([]event.Action, error) {
	return seek(ctx, s, func() ([]event.Action, error) { return s.Store.DueActions(ctx, account, now, except, limit) }, "due %v %v", account, sorted(except))
}

func (s disk) UnnamedActions(ctx context.Context, account event.Account, verb event.Verb, target int64, limit int) ([]event.Action, error) {
	return seek(ctx, s, func() ([]event.Action, error) { return s.Store.UnnamedActions(ctx, account, verb, target, limit) }, "unnamed %v %v %d", account, verb, target)
}

func (s disk) NextDue(ctx context.Context, account event.Account) (time.Time, error) {
	return seek(ctx, s, func() (time.Time, error) { return s.Store.NextDue(ctx, account) }, "next due %v", account)
}

func (s disk) LateActions(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error) {
	return seek(ctx, s, func() ([]event.Action, error) { return s.Store.LateActions(ctx, account, now, limit) }, "late %v", account)
}

func (s disk) NextUntil(ctx context.Context, account event.Account, now time.Time) (time.Time, error) {
	return seek(ctx, s, func() (time.Time, error) { return s.Store.NextUntil(ctx, account, now) }, "next until %v", account)
}

func (s disk) Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error) {
	return seek(ctx, s, func() (map[int64]bool, error) { return s.Store.Results(ctx, account, verb, ids) }, "results %v %v %v", account, verb, sorted(ids))
}

func (s disk) Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]record.Cursor, error) {
	return seek(ctx, s, func() ([]record.Cursor, error) { return s.Store.Cursors(ctx, account, source, peers) }, "cursors %v %v %v", account, source, sorted(peers))
}

func (s disk) CursorsAfter(ctx context.Context, account event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error) {
	return seek(ctx, s, func() ([]record.Cursor, error) { return s.Store.CursorsAfter(ctx, account, source, after, limit) }, "cursors %v %v after %d", account, source, after)
}

func (s disk) WithdrawDue(ctx context.Context, key event.Key, why event.Reason) (int, error) {
	if err := s.seek(ctx, "recall %v", key); err != nil {
		return 0, err
	}
	open, err := s.Store.WithdrawDue(ctx, key, why)
	return open, errors.Join(err, s.pause(ctx, "recalled %v", key))
}

// ForgetPerson does each step at an instant of its own.
func (s disk) ForgetPerson(ctx context.Context, f *store.Forgetting) (bool, error) {
	if err := s.seek(ctx, "forget %v", f.Request.Key); err != nil {
		return false, err
	}
	done, err := s.Store.ForgetPerson(ctx, f)
	return done, errors.Join(err, s.pause(ctx, "forgot %v", f.Request.Key))
}

func (s disk) DueTimers(ctx context.Context, now time.Time, limit int) (due []record.DueTimer, next time.Time, err error) {
	if err := s.seek(ctx, "due timers"); err != nil {
		return nil, time.Time{}, err
	}
	return s.Store.DueTimers(ctx, now, limit)
}

// MarkNow lets each of those who waited for one commit go on at an instant of its own.
func (s disk) MarkNow(ctx context.Context, marks ...outbox.Mark) error {
	if err := s.Store.MarkNow(ctx, marks...); err != nil {
		return err
	}
	who, _ := ctx.Value(actor{}).(string)
	for i := range marks {
		who += " " + marks[i].Key + "=" + string(marks[i].State)
	}
	return s.pause(ctx, "mark %s", who)
}

// sorted names a set: what is asked for often comes out of a map.
func sorted[T any](set []T) string {
	names := make([]string, len(set))
	for i, x := range set {
		names[i] = fmt.Sprint(x)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
