package outbox_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// memory is a ledger on a disk. Lazy marks that are not on the disk yet go with it.
type memory struct {
	*disk
	lazy     []outbox.Mark
	dead     bool          // crashed: nothing gets to the disk any more
	broken   bool          // the disk refuses writes
	delay    time.Duration // of a commit
	slow     time.Duration // of a reading, after which its answer may be old
	caught   chan struct{} // what is marked as sending now is on its way to the disk until this is closed
	inFlight int           // how many are on their way so
	aged     int           // how many ages were stored
	lawless  bool          // it takes any mark, as the store does, whatever the action was before
}

var (
	errDead   = errors.New("the process is dead")
	errBroken = errors.New("the disk is full")
	errEnded  = outbox.ErrEnded
)

func (m *memory) NextPosition() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.position++
	return m.position
}

func (m *memory) QueueMarks(marks ...outbox.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lazy = append(m.lazy, marks...)
}

func (m *memory) MarkNow(ctx context.Context, marks ...outbox.Mark) error {
	caught := m.catching()
	if caught == nil || len(marks) == 0 || marks[0].State != event.StateSending {
		return m.commit(ctx, nil, marks)
	}
	m.inFlightOf(1)
	<-caught
	m.inFlightOf(-1)
	return errors.Join(m.commit(context.WithoutCancel(ctx), nil, marks), ctx.Err()) // it lands whoever waits
}

// catch keeps what is marked as sending from now on on its way to the disk, until land.
func (m *memory) catch() (land func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.caught = make(chan struct{})
	return sync.OnceFunc(func() { close(m.caught) })
}

// catches reports whether something is on its way.
func (m *memory) catches() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.inFlight > 0
}

func (m *memory) inFlightOf(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight += n
}

func (m *memory) catching() chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.caught
}

// commit stores new actions and marks, after the lazy ones.
func (m *memory) commit(ctx context.Context, actions []event.Action, marks []outbox.Mark) error {
	if m.delay > 0 {
		select {
		case <-time.After(m.delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case m.dead:
		return errDead
	case m.broken:
		return errBroken
	}
	for _, k := range m.lazy {
		m.apply(k)
	}
	m.lazy = nil
	before := maps.Clone(m.rows)
	for _, k := range marks {
		if m.ended(k) {
			m.rows = before
			return errEnded
		}
		m.apply(k)
	}
	for _, a := range actions {
		old, ok := m.rows[a.Key]
		freed := m.freed[a.Key] && old.State == event.StateHeld
		if freed {
			m.decided(old)
		}
		if !ok || freed {
			m.rows[a.Key] = stored(a)
		}
	}
	m.release()
	return nil
}

// release notes what is sending for the first time.
func (m *memory) release() {
	var fresh []event.Action
	for k, a := range m.rows {
		if a.State == event.StateSending && !m.left[k] {
			m.left[k] = true
			fresh = append(fresh, a)
		}
	}
	slices.SortFunc(fresh, func(a, b event.Action) int { return cmp.Compare(a.Position, b.Position) })
	for _, a := range fresh {
		m.released = append(m.released, a.Key)
	}
}

// ageMarks returns how often an age was stored.
func (m *memory) ageMarks() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.aged
}

func (m *memory) apply(k outbox.Mark) {
	a, ok := m.rows[k.Key]
	open := a.State == event.StateSending || a.State == event.StateInDoubt
	switch {
	case k.Age != nil:
		m.aged++
		if open {
			m.ages[k.Key] = *k.Age
		}
		return
	case !ok || m.ended(k):
		return
	case k.Ageless:
		delete(m.ages, k.Key)
	}
	if !m.lawless && !mayBeStored(a.State, k.State) {
		panic(fmt.Sprintf("%s, which is stored as %s, is to be stored as %s", k.Key, a.State, k.State))
	}
	a.State, a.Result, a.Tries, a.Reason, a.Why, a.EndedAt = k.State, k.Result, k.Tries, k.Reason, k.Why, k.EndedAt
	a.Priority, a.Position, a.ReconcileFrom, a.Due, a.LeftAt = k.Priority, k.Position, k.ReconcileFrom, k.Due, k.LeftAt
	m.rows[k.Key] = stored(a)
}

// mayBeStored reports whether an action that is stored in a state may be stored in another next: that it is free to leave once more is not
// stored by itself.
func mayBeStored(from, to event.State) bool {
	return outbox.MayBecome(from, to) || from == event.StateInDoubt && outbox.MayBecome(event.StateSending, to)
}

// ended reports whether a mark would let an action leave that has come to an end, or is gone.
func (m *memory) ended(k outbox.Mark) bool {
	a, ok := m.rows[k.Key]
	if k.Waits {
		return a.State != event.StateDue && a.State != event.StateHeld
	}
	return k.State == event.StateSending && (!ok || a.State.Final())
}

// stored is an action as it comes back from a database.
func stored(a event.Action) event.Action {
	for _, t := range []*time.Time{&a.Due, &a.Until, &a.DecidedAt, &a.LeftAt, &a.EndedAt} {
		if !t.IsZero() {
			*t = time.UnixMicro(t.UnixMicro())
		}
	}
	return a
}

func (m *memory) DueActions(ctx context.Context, account event.Account, now time.Time, except []platform.UserID, limit int) ([]event.Action, error) {
	due, err := m.find(ctx, account, func(a *event.Action) bool {
		return a.State == event.StateDue && a.Due.UnixMicro() <= now.UnixMicro() && !slices.Contains(except, a.Peer)
	})
	slices.SortFunc(due, inOrder)
	return due[:min(limit, len(due))], err
}

func (m *memory) UnnamedActions(ctx context.Context, account event.Account, verb event.Verb, target int64, limit int) ([]event.Action, error) {
	unnamed, err := m.find(ctx, account, func(a *event.Action) bool {
		return a.State == event.StateDone && a.Result == 0 && a.Verb == verb && (verb == event.VerbMessage && int64(a.Peer) == target || verb == event.VerbPost && int64(a.Post) == target)
	})
	slices.SortFunc(unnamed, inOrder)
	return unnamed[:min(limit, len(unnamed))], err
}

// DueKnown knows nobody.
func (m *memory) DueKnown(ctx context.Context, account event.Account, known bool, now time.Time, except []platform.UserID, limit int) ([]event.Action, error) {
	if known {
		return nil, nil
	}
	return m.DueActions(ctx, account, now, except, limit)
}

func (m *memory) NextDue(ctx context.Context, account event.Account) (time.Time, error) {
	var next time.Time
	due, err := m.find(ctx, account, func(a *event.Action) bool { return a.State == event.StateDue })
	for _, a := range due {
		if next.IsZero() || a.Due.Before(next) {
			next = a.Due
		}
	}
	return next, err
}

func (m *memory) LateActions(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error) {
	late, err := m.find(ctx, account, func(a *event.Action) bool {
		waits := a.State == event.StateDue || a.State == event.StateHeld && a.LeftAt.IsZero()
		return waits && !a.Until.IsZero() && a.Until.UnixMicro() <= now.UnixMicro()
	})
	slices.SortStableFunc(late, func(a, b event.Action) int { return a.Until.Compare(b.Until) })
	return late[:min(limit, len(late))], err
}

func (m *memory) NextUntil(ctx context.Context, account event.Account, now time.Time) (next time.Time, err error) {
	waits, err := m.find(ctx, account, func(a *event.Action) bool {
		return (a.State == event.StateDue || a.State == event.StateHeld) && a.Until.UnixMicro() > now.UnixMicro()
	})
	for _, a := range waits {
		earliest(&next, a.Until)
	}
	return next, err
}

// Published returns what was published, or is to be: of what has left, when that was.
func (m *memory) Published(ctx context.Context, account event.Account, since time.Time) (all []event.Publication, err error) {
	some, err := m.find(ctx, account, func(a *event.Action) bool {
		switch a.State {
		case event.StateRefused, event.StateWithdrawn, event.StateDead:
			return false
		case event.StateHeld:
			return !a.LeftAt.IsZero() && a.Publishes() && max(a.Due.UnixMicro(), a.LeftAt.UnixMicro()) >= since.UnixMicro()
		default:
			return a.Publishes() && (a.State != event.StateDone || a.Why.Code() != reason.WasSo) && max(a.Due.UnixMicro(), a.LeftAt.UnixMicro()) >= since.UnixMicro()
		}
	})
	for _, a := range some {
		p := event.Publication{At: a.LeftAt, Ended: a.EndedAt, Verb: a.Verb, Post: a.Post, Key: a.Key, By: a.Key, State: a.State, Apart: a.Apart}
		if p.At.IsZero() || a.State == event.StateDue {
			p.At = a.Due
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(x, y event.Publication) int { return x.At.Compare(y.At) })
	return all, err
}

func earliest(t *time.Time, other time.Time) {
	if t.IsZero() || other.Before(*t) {
		*t = other
	}
}

func (m *memory) Open(ctx context.Context, account event.Account) ([]event.Action, error) {
	return m.find(ctx, account, func(a *event.Action) bool {
		return a.State == event.StateSending || a.State == event.StateInDoubt
	})
}

func (m *memory) DoubtAges(ctx context.Context, account event.Account) (map[string]outbox.Age, error) {
	open, err := m.Open(ctx, account)
	m.mu.Lock()
	defer m.mu.Unlock()
	ages := map[string]outbox.Age{}
	for _, a := range open {
		if age, ok := m.ages[a.Key]; ok {
			ages[a.Key] = age
		}
	}
	return ages, err
}

func (m *memory) HeldActions(ctx context.Context, account event.Account, _ int) ([]event.Action, error) {
	held, err := m.find(ctx, account, func(a *event.Action) bool {
		return a.State == event.StateHeld && a.Verb.Makes() && !a.LeftAt.IsZero()
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.strays {
		if a.Account == account && a.Verb.Makes() && !a.LeftAt.IsZero() {
			held = append(held, a)
		}
	}
	return held, err
}

func (m *memory) ActionsAhead(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error) {
	ahead, err := m.find(ctx, account, func(a *event.Action) bool {
		return a.State == event.StateDue && a.Due.UnixMicro() > now.UnixMicro() && !a.Due.After(a.DecidedAt)
	})
	slices.SortFunc(ahead, inOrder)
	return ahead[:min(limit, len(ahead))], err
}

// inOrder compares actions by priority, time and position.
func inOrder(a, b event.Action) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Due.Compare(b.Due), cmp.Compare(a.Position, b.Position))
}

func byPosition(a, b event.Action) int { return cmp.Compare(a.Position, b.Position) }

func (m *memory) RememberTrait(ctx context.Context, account event.Account, what string) error {
	if err := m.commit(ctx, nil, nil); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[string(account)+" "+what] = true
	return nil
}

func (m *memory) HasTrait(_ context.Context, account event.Account, what string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[string(account)+" "+what], nil
}

func (m *memory) Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error) {
	rows, err := m.find(ctx, account, func(a *event.Action) bool {
		return a.Verb == verb && a.Result > 0 && slices.Contains(ids, a.Result)
	})
	found := map[int64]bool{}
	for _, a := range rows {
		found[a.Result] = true
	}
	return found, err
}

// find returns rows by position.
func (m *memory) find(ctx context.Context, account event.Account, want func(*event.Action) bool) ([]event.Action, error) {
	rows, err := m.look(ctx, account, want)
	if m.slow > 0 {
		time.Sleep(m.slow)
	}
	return rows, err
}

func (m *memory) look(ctx context.Context, account event.Account, want func(*event.Action) bool) ([]event.Action, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if m.dead {
		return nil, errDead
	}
	rows := slices.Collect(maps.Values(m.rows))
	rows = slices.DeleteFunc(rows, func(a event.Action) bool { return a.Account != account || !want(&a) })
	slices.SortFunc(rows, byPosition)
	return rows, nil
}

// crash makes sure that nothing more gets to the disk, and forgets what is not there.
func (m *memory) crash() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead, m.lazy = true, nil
}

// refuse lets the disk refuse writes, or take them again.
func (m *memory) refuse(refuse bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = refuse
}
