package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/rival"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// The beginning of a term reads some thirty things, nearly all of which are nothing. Where many terms begin at once, that is asked about
// all of their accounts together.

const aheadAtLeast = 4 // accounts for which that is worth its while

// readAhead reads what the terms of accounts begin with; nil when each reads for itself.
func (b *Bot) readAhead(ctx context.Context, accounts []event.Account) *store.Ahead {
	if len(accounts) < aheadAtLeast {
		return nil
	}
	ahead, err := b.store.BeginAll(ctx, accounts, b.beginning)
	if err != nil {
		return nil // each account says why
	}
	return ahead
}

// beginning asks the store what the beginning of a term asks it; see account.beginTerm. What is missing here is read by each account.
func (b *Bot) beginning(ctx context.Context, account event.Account) {
	st := b.store
	_, _ = st.Keeper(account).LoadSession(ctx)
	if b.cfg.TakeoverFor >= 0 {
		_, _ = st.Cursors(ctx, account, event.Messages, []platform.UserID{0})
		_, _ = st.Cursors(ctx, account, event.Snapshots, []platform.UserID{0})
	}
	for _, source := range restoredSources {
		_, _ = st.Newest(ctx, account, source, restored)
		_, _ = st.Cursors(ctx, account, source, []platform.UserID{0})
	}
	poll.ReadAhead(ctx, st, account, b.cfg.NoMessages)
	_, _ = st.Ignored(ctx, account)
	_, _ = st.Facts(ctx, account, store.Tried)
	_, _ = st.RequestsOf(ctx, account)
	for _, name := range []string{rival.Fact, carefulFact, pauseFact, spentFact, refusalFact} {
		_, _, _ = st.Known(ctx, account, name)
	}
	_, _ = st.PullIn(ctx, account, time.Now())
	outbox.ReadAhead(ctx, st, account)
	_, _ = st.HeldBefore(ctx, account, time.Now(), maxPending)
	_, _ = st.PendingEvents(ctx, account, 0, maxPending)
}

// What is stored for an account is one person's on the platform. An account whose credentials sign in as somebody else has no term:
// it would answer with what the one before owes, and pass over what was written to it before the other's cursors. Nor is it tried
// again before somebody has changed it, since each try is a sign-in.

// isAnother reports whether an account could not be taken up since its credentials are another person's.
func isAnother(err error) bool {
	if parked, is := errors.AsType[*session.ParkedError](err); is && parked.Other.ID != 0 { //mutate:another-term
		return true
	}
	return false
}

// tellParked says why an account is not taken up, nor tried again.
func (b *Bot) tellParked(name event.Account, err error) {
	b.log.Error("an account is not taken up: its credentials are another person's", "account", name, "err", err)
	b.cfg.Observe(name, event.PollResult{}, err)
}

// noneBegan returns the error of a start with which no account could be taken up.
func noneBegan(errs []error) error {
	for _, err := range errs {
		if !isAnother(err) {
			return err
		}
	}
	return errors.Join(errs...)
}

// restore learns who the account is, as it is kept. Why a session cannot be read, or got, says the first call; the error is that of
// credentials which are another person's.
func (a *account) restore(ctx context.Context) error {
	if _, err := a.broker.Restore(ctx); isAnother(err) {
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	return nil
}

// spentFact is the name under which it is known how much of its pace an account has used up.
const spentFact = "spent"

// spentNote is what is known of it.
type spentNote struct {
	outbox.Spent
	// Open: a term has begun with it that has not ended. Only where workers share a database: of one that died nobody knows what it has
	// used up since.
	Open bool `json:"open,omitempty"`
}

// keepSpent lets the next term know how much of its pace the account has used up. Without that, each change of hands, and each
// restart, would grant a fresh burst, and what the platform asked for would be forgotten.
func (a *account) keepSpent() {
	now := time.Now()
	spent, some := a.outbox.SpentPace(now)
	if !a.atWork.Load() || !some && !a.bot.leased.Load() {
		return
	}
	a.noteSpent(&spentNote{Spent: spent}) //mutate:spent-kept
}

func (a *account) noteSpent(note *spentNote) {
	value, err := json.Marshal(note)
	if err != nil {
		return // a number that is none; nothing worse comes of it than a burst
	}
	a.bot.store.Commit(store.Write{Known: &store.Known{Account: a.name, Fact: event.Fact{Name: spentFact, Value: value, ReadAt: note.At}}, Done: func(store.Receipt) {}})
}

// lastSpent returns what is known of the account's last term; nil for nothing.
func (a *account) lastSpent(ctx context.Context) (*spentNote, error) {
	f, ok, err := a.bot.store.Known(ctx, a.name, spentFact)
	if !ok || err != nil {
		return nil, err
	}
	note := &spentNote{}
	if err := json.Unmarshal(f.Value, note); err != nil {
		a.bot.log.Warn("what the account has used up of its pace cannot be read; it begins anew", "account", a.name, "err", err)
		return nil, nil //nolint:nilnil // nothing is known
	}
	return note, nil
}

// inheritPace takes up how much of its pace the account has used up in its last term. After a crash nobody knows: where another worker
// has died, all of it counts as used up, and a process that was alone on its database begins anew.
func (a *account) inheritPace(last *spentNote) {
	var note spentNote
	ok := last != nil
	if ok {
		note = *last
	}
	if a.bot.leased.Load() {
		if !ok || note.Open { //mutate:spent-unknown
			note.Spent = outbox.Spent{At: time.Now()}
		}
		note.Open = true
		a.noteSpent(&note)
	}
	if ok || note.Open {
		a.outbox.InheritPace(note.Spent)
	}
}

// wishes are what people asked of an account while no bot ran. Until all of it is stored, what an earlier incarnation has decided
// stays where it is: somebody may want just that not to leave.
type wishes struct {
	mu   sync.Mutex         // guards the fields below
	open map[int64]struct{} // by event.Request.Number
	end  *time.Timer
}

// wishPatience is how long a start waits for that: a turn may need a platform that does not answer.
const wishPatience = 10 * time.Second

// restoreWishes has the dispatcher wait for what people asked for. A pause counts already; see restorePauses.
func (a *account) restoreWishes(asked []event.Request) {
	a.wishes.mu.Lock()
	defer a.wishes.mu.Unlock()
	for i := range asked {
		switch asked[i].Wish {
		case event.WishPause, event.WishGoOn, event.WishResume:
		default:
			if a.wishes.open == nil {
				a.wishes.open = map[int64]struct{}{}
			}
			a.wishes.open[asked[i].Number] = struct{}{}
		}
	}
	if len(a.wishes.open) > 0 {
		a.outbox.DeferStored() //mutate:wished-wait
	}
}

// takeWaiting brings what people asked for while no bot ran into the lanes, before anything else of a start: what they want goes
// before what the time has made due.
func (a *account) takeWaiting(asked []event.Request) {
	a.takeRequests(asked, 0)
	a.awaitWishes()
}

// awaitWishes ends the waiting when it has lasted too long. What is asked for is in its lane by now.
func (a *account) awaitWishes() {
	a.wishes.mu.Lock()
	defer a.wishes.mu.Unlock()
	if len(a.wishes.open) == 0 {
		return
	}
	a.wishes.end = time.AfterFunc(wishPatience, func() {
		a.wishes.mu.Lock()
		defer a.wishes.mu.Unlock()
		n := len(a.wishes.open)
		if n == 0 || a.term.Err() != nil { // all is done, or the term has ended
			return
		}
		a.bot.log.Warn("what people asked for while no bot ran is not done yet; what was decided before leaves meanwhile",
			"account", a.name, "requests", n)
		clear(a.wishes.open)
		a.outbox.ReleaseStored(a.term) //mutate:wished-end
	})
}

// noteGranted notes that what people asked for is stored.
func (a *account) noteGranted(q *event.Request) {
	if q == nil {
		return
	}
	a.wishes.mu.Lock()
	defer a.wishes.mu.Unlock()
	if _, ok := a.wishes.open[q.Number]; !ok {
		return
	}
	if delete(a.wishes.open, q.Number); len(a.wishes.open) > 0 {
		return
	}
	if a.wishes.end != nil {
		a.wishes.end.Stop()
	}
	a.outbox.ReleaseStored(a.term)
}

// refusalFact is the name under which it is known that an account's credentials were refused.
const refusalFact = "refused"

// keepRefusal lets other workers know that the account's credentials were refused: each of them that tries at once brings the account
// closer to being locked. A process that is alone on its database is started by somebody who may have put things right.
func (a *account) keepRefusal(r session.Refusal) {
	if !a.bot.leased.Load() {
		return
	}
	value, err := json.Marshal(r)
	if err != nil {
		return // a text, a time and a number always encode
	}
	//mutate:refusal-kept
	a.bot.store.Commit(store.Write{Known: &store.Known{Account: a.name, Fact: event.Fact{Name: refusalFact, Value: value, ReadAt: time.Now()}}, Done: func(store.Receipt) {}})
}

// waitOutRefusal takes up what another worker has met.
func (a *account) waitOutRefusal(ctx context.Context) error {
	if !a.bot.leased.Load() {
		return nil
	}
	f, ok, err := a.bot.store.Known(ctx, a.name, refusalFact)
	if err != nil || !ok {
		return err
	}
	var r session.Refusal
	if json.Unmarshal(f.Value, &r) == nil { // or it is asked for once more
		a.broker.Heed(r)
	}
	return nil
}
