package bot

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// To forget a person is a turn of her conversation: nobody else decides there while what is kept of her goes. What is due
// is withdrawn at once, and what is on its way is waited for, since what became of it has to be known. What she wrote and
// the bot has read by then is forgotten with the rest; what she writes afterwards is a stranger's.

// forgetPatience is how long it may take to forget a person, of whom there may be a million rows: that is no handler's, and a try that is broken off begins
// anew.
const forgetPatience = 24 * time.Hour

// tryTimeout returns how long this try may take, also by what its handlers may.
func (b *Bot) tryTimeout(j *job) time.Duration {
	if q := j.trigger.Request; q != nil && q.Wish == event.WishForget {
		return forgetPatience
	}
	return min(b.cfg.HandlerTimeout, j.timeLeft())
}

// forgetful knows whom an account forgets and ignores.
type forgetful struct {
	some atomic.Bool // people are ignored

	mu      sync.Mutex // guards the fields below
	ignored map[platform.UserID]struct{}
	doing   map[int64]*oblivion // by the number of the request
}

// oblivion is how far a person is forgotten in this incarnation.
type oblivion struct {
	*store.Forgetting
	waits int // how often it was looked whether anything is on its way
}

// isIgnored reports whether a person is left alone.
func (f *forgetful) isIgnored(peer platform.UserID) bool {
	if !f.some.Load() { //mutate:forget-ignores
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.ignored[peer]
	return ok
}

// setIgnored leaves a person alone, or not any more.
func (f *forgetful) setIgnored(peer platform.UserID, alone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ignored == nil {
		f.ignored = map[platform.UserID]struct{}{}
	}
	if alone {
		f.ignored[peer] = struct{}{}
	} else {
		delete(f.ignored, peer)
	}
	f.some.Store(len(f.ignored) > 0)
}

// restoreIgnored takes up whom an earlier incarnation left alone.
func (a *account) restoreIgnored(ctx context.Context) error {
	all, err := a.bot.store.Ignored(ctx, a.name)
	for _, x := range all {
		a.forgetful.setIgnored(x.Peer, true) //mutate:forget-restore
	}
	return err
}

// about returns how far a request was done.
func (f *forgetful) about(q *event.Request) *oblivion {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.doing[q.Number]
	if o == nil {
		o = &oblivion{Forgetting: store.NewForgetting(*q)}
		if f.doing == nil {
			f.doing = map[int64]*oblivion{}
		}
		f.doing[q.Number] = o
	}
	return o
}

// done notes that a request is stored.
func (f *forgetful) done(q *event.Request) {
	if q == nil || q.Wish != event.WishForget && q.Wish != event.WishHeed {
		return
	}
	f.mu.Lock()
	delete(f.doing, q.Number)
	f.mu.Unlock()
	if q.Wish == event.WishHeed {
		f.setIgnored(q.Key.Peer, false)
	}
}

// forgetPerson forgets a person.
func (b *Bot) forgetPerson(ctx context.Context, t *Turn, q *event.Request) error {
	a := t.reader.account
	o := a.forgetful.about(q)
	// Before the withdrawal: what is decided while that is on its way has a place above, and is not taken back with what was there.
	place := b.store.NextPosition()
	open, err := b.store.WithdrawDue(ctx, q.Key, event.Because(reason.Forgotten))
	if err != nil {
		return storeError{err}
	}
	a.quiet.NoteTakenBack(q.Key.Peer, place, reason.SentenceOf(event.Because(reason.Forgotten)))
	unread := false
	if open == 0 { //mutate:forget-unnamed
		if unread, err = a.hasUnread(ctx, q.Key.Peer); err != nil {
			return err
		}
	}
	// Its answer would come for a row that is gone, and what it makes on the platform would be taken for a person's.
	//mutate:forget-unread-ends
	if open > 0 || unread && o.waits < readTries { //mutate:forget-waits
		o.waits++
		return waitError{min(time.Second<<min(o.waits, 10)/4, waitPause)}
	}
	// Before the rows go: what she writes meanwhile would begin a conversation anew, and be answered.
	if q.Ignore {
		a.forgetful.setIgnored(q.Key.Peer, true)
		yes := true
		t.ignore = &yes
	}
	a.forgetQueue(q.Key.Peer)
	o.StartAgain()
	// In bites, each a commit of its own: turns of others would wait for one transaction with all of it. The request goes with the turn's own commit,
	// behind them, so that a crash in between begins again.
	for done := false; !done; {
		if done, err = b.store.ForgetPerson(ctx, o.Forgetting); err != nil {
			return storeError{err}
		}
	}
	t.rec.Why = event.Because(reason.Erased)
	t.Note("forgot what was kept: %d rows", o.Erased)
	t.Note("the bot's own log, and the phones, chats and mailboxes that it called, keep what they were told")
	if q.Ignore {
		t.Note("%d is left alone from now on", int64(q.Key.Peer))
	}
	if o.LogKept {
		t.Note("somebody reads the database, so its log still has what was deleted: it goes with the next stop of the bot")
	}
	return nil
}

const (
	readTries = 8   // how often the bot waits for what it has said to be shown, about half a minute in all: it may have been deleted
	readPage  = 100 // messages
)

// hasUnread reads the conversation if the bot has said something there that no answer has named, so that its id is known before its text goes: without both it
// would be taken for a person's. It reports whether to look again.
func (a *account) hasUnread(ctx context.Context, peer platform.UserID) (bool, error) {
	if !a.mindsSpeaker() || !a.outbox.IsNameless() {
		return false, nil
	}
	unnamed, err := a.bot.store.UnnamedActions(ctx, a.name, event.VerbMessage, int64(peer), 1)
	switch {
	case err != nil:
		return false, storeError{err}
	case len(unnamed) == 0:
		return false, nil
	}
	// What it shows is judged behind it; see judgeUnattributed.
	_, err = read(ctx, &a.reader, func(ctx context.Context, c *platform.Client) ([]platform.Message, error) {
		return dispatcherPlatform{outbox.Client{Client: c}, a}.Messages(ctx, platform.MessagesParams{Peer: peer, PageSize: readPage})
	})
	return !platform.Final(err) && !platform.NoEndpoint(err), nil
}

// unignorePerson lets a person be heard again who was left alone.
func (*Bot) unignorePerson(t *Turn, q *event.Request) {
	if !t.reader.account.forgetful.isIgnored(q.Key.Peer) {
		t.noteObsolete("%d is not ignored", int64(q.Key.Peer))
		return
	}
	no := false
	t.ignore = &no
	t.Note("%d is not ignored any more", int64(q.Key.Peer))
}

// forgetQueue empties what waits in the lane of a conversation, behind the turn that runs: it was read before, and will
// have no handler.
func (a *account) forgetQueue(peer platform.UserID) {
	l := a.lanes.lookup(peer)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conv.Store(nil) // it goes
	for _, jobs := range [][]*job{l.queue, l.toRetry} {
		for _, j := range jobs {
			switch {
			case j.trigger.Kind == event.ByRequest:
			case j.trigger.Kind == event.ByTimer && j.trigger.Timer.Name == takebackTimer: // who has it stays
			default:
				j.forgotten, j.facts, j.storedFacts = true, nil, 0 //mutate:forget-queue
				redactEvent(&j.trigger.Event)
			}
		}
	}
}

// redactEvent takes out of an event what was said, and who said it. Its kind stays with it, also when it is stored before its
// turn: nothing is left to be handled by then, also when something is wished.
func redactEvent(e *event.Event) {
	e.Name, e.User, e.Text, e.Image, e.Kind = "", "", "", "", event.KindForgotten //mutate:forget-kind
}

// concludeIgnored decides a turn that has no handler, since its person was forgotten, or is ignored; false for all others.
func (b *Bot) concludeIgnored(_ context.Context, t *Turn) (bool, error) {
	if t.unheard != "" {
		t.rec.Outcome = t.unheard
	}
	return t.unheard != "", nil
}

// ignoredOutcome tells what becomes of a trigger whose person was forgotten since, or is ignored: the outcome, "" for the usual.
func (a *account) ignoredOutcome(j *job) string {
	switch {
	case j.trigger.Kind == event.ByRequest:
		return ""
	case j.trigger.Kind == event.ByEvent && a.forgetful.isIgnored(j.trigger.Key.Peer):
		return OutcomeIgnored
	case j.forgotten, j.trigger.Event.Kind == event.KindForgotten:
		return OutcomeForgotten
	}
	return ""
}

// waitError says that a turn waits for something of the bot's own, and for how long.
type waitError struct{ pause time.Duration }

func (e waitError) Error() string {
	return fmt.Sprintf("something is on its way to the person; looking again in %v", e.pause)
}
