package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// listener hears for a bot what becomes of actions; see outbox.Listener.
type listener struct{ *Bot }

// ActionEnded is told of each action that reached an end.
func (l listener) ActionEnded(a event.Action) {
	l.counted.countAction(&a)
	acc := l.accounts.byName(a.Account)
	if acc != nil {
		acc.heldTooLate(&a)
	}
	switch {
	case acc != nil && a.Verb == event.VerbRenew:
		acc.notifyRenewalFailed(&a)
		return
	case acc == nil || a.Verb != event.VerbMessage:
		return
	case a.State == event.StateRefused:
		l.noteUnreachable(a)
		return
	case a.State != event.StateDone:
		return
	}
	acc.doubts.NoteOurs(platform.MessageID(a.Result))
	acc.rivals.NoteSent(a.Peer)
	acc.poller.NoteSent(a.Peer, cmp.Or(platform.MessageID(a.Result), poll.Unnamed), a.Text)
}

// What begins the decisions that tell of a renewal that ended without its repost, and of one whose repost is owed for long.
const (
	renewedChoice = "renewed/"
	owedChoice    = "owed/"
)

// notifyRenewalFailed tells people of ours when a repost that was taken back, or may have been, cannot be made again.
func (a *account) notifyRenewalFailed(x *event.Action) {
	if x.State != event.StateRefused || !outbox.OwesRepost(x) {
		return
	}
	text := fmt.Sprintf("post %d is not reposted any more: %s", x.Post, x.Reason)
	//mutate:renew-told
	a.tellOfRenewal(renewedChoice+x.Key, text)
}

// RepostOwed tells people of ours, once, when a repost has been owed for a day.
func (l listener) RepostOwed(x event.Action) {
	if a := l.accounts.byName(x.Account); a != nil {
		a.tellOfRenewal(owedChoice+x.Key, fmt.Sprintf("the repost of %d was taken back, or may have been, to be made anew, and could not be made for a day; it still will be. "+
			"What stands in its way: nectar accounts, nectar health", x.Post))
	}
}

// tellOfRenewal stores a notice; once for each choice, over all incarnations.
func (a *account) tellOfRenewal(choice, text string) {
	now, trigger := time.Now(), event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: a.name}, Choice: choice}
	a.save(&store.Turn{
		Trigger: trigger, Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: text}, At: now,
		Notices: []event.Notice{{Account: a.name, ID: trigger.ID() + "/0", Who: event.Everybody, At: now, Text: fmt.Sprintf("Account %s: %s.", a.name, text)}},
	})
}

// A peer who refuses messages – privacy settings, a block – is left alone for a while, or until they
// write themselves.

const (
	unreachableFor = 24 * time.Hour
	refusedChoice  = "unreachable/" // the decision that a refusal leads to, with the action's key
	maxRefusals    = 256            // waiting to be noted; more are forgotten, and tried again
)

// noteRefusals lets the conversations of refused messages remember it, until ctx is done.
func (b *Bot) noteRefusals(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-b.refusals:
			if acc := b.accounts.byName(a.Account); acc.beginWork() {
				acc.submitJob(&job{trigger: event.Trigger{Kind: event.ByRequest, Key: a.Conversation(), Choice: refusedChoice + a.Key}})
				acc.endWork()
			}
		}
	}
}

// noteUnreachable notes that the platform refused a message to a peer.
func (b *Bot) noteUnreachable(a event.Action) {
	select {
	case b.refusals <- a:
	default:
	}
}

// refusedMessage notes that the peer refused a message.
func (t *Turn) refusedMessage() {
	t.Conversation.Unreachable, t.changed = t.Now.Add(unreachableFor), true
	t.Note("%s refused a message; no more are tried until %s", t.Peer().User, t.Conversation.Unreachable.UTC().Format(time.RFC3339))
}

// clearUnreachable clears what an earlier refusal left once the peer writes.
func (t *Turn) clearUnreachable() {
	if t.Event.Kind == event.KindMessage && !t.Conversation.Unreachable.IsZero() { //mutate:reachable
		t.Conversation.Unreachable, t.changed = time.Time{}, true
	}
}

// warnedEvery is how often routes hear of one kind of warning at most.
const warnedEvery = time.Minute

// WarnedFor matches the turn that the bot begins in an account's own conversation when the platform warns the account: it is
// asked for fewer calls, its session is parked or its sign-in refused, a publication is refused for a reason that is not what it
// was about, a repost does not take. Only accounts that has is true of have such a turn; nil is all. Of each kind there is one
// a minute at most, and one that waits is replaced by the next. Like every nudge it is not stored.
func WarnedFor(name string, has func(account event.Account) bool) Matcher[event.Warning] {
	m := NewMatcher(func(_ context.Context, t *Turn) (event.Warning, bool) {
		var w event.Warning
		n := t.Trigger.Nudge
		if n == nil || n.Name != name || json.Unmarshal(n.Data, &w) != nil {
			return event.Warning{}, false
		}
		return w, true
	}, kindNudge)
	m.named = func(nudge string) bool { return nudge == name }
	m.warned, m.warns = name, has
	return m
}

// warnings are those that routes have heard of.
type warnings struct {
	mu   sync.Mutex // guards the field below
	last map[event.WarningKind]time.Time
}

// warn tells the routes that want to know that the platform has warned the account.
func (a *account) warn(kind event.WarningKind, why string) {
	for _, rt := range a.bot.router.warned {
		if rt.warns != nil && !rt.warns(a.name) {
			continue
		}
		a.warnings.mu.Lock()
		last, known := a.warnings.last[kind]
		fresh := !known || time.Since(last) >= warnedEvery
		if fresh {
			if a.warnings.last == nil {
				a.warnings.last = map[event.WarningKind]time.Time{}
			}
			a.warnings.last[kind] = time.Now()
		}
		a.warnings.mu.Unlock()
		if !fresh {
			return
		}
		raw, err := json.Marshal(event.Warning{Kind: kind, Why: why})
		if err == nil {
			a.bot.nudges.add(nudge{a, event.Nudge{Name: rt.warned, Data: raw}})
		}
	}
}

// noteCallFailure hears of each call that failed.
func (a *account) noteCallFailure(err error) {
	if len(a.bot.router.warned) == 0 {
		return
	}
	_, sessionless := errors.AsType[*platform.SessionError](err)
	switch {
	case errors.Is(err, platform.ErrRateLimited):
		a.warn(event.WarnedBusy, "the platform asked for fewer calls")
	case sessionless && a.signInRefused():
		a.warn(event.WarnedSession, fmt.Sprintf("the session of %s: %v", a.name, a.broker.State().Err))
	}
}

// signInRefused reports whether the account has no session since the platform refuses it one.
func (a *account) signInRefused() bool {
	s := a.broker.State()
	paused, is := errors.AsType[*session.PausedError](s.Err)
	return s.Phase == session.Parked || s.Phase == session.Paused && is && paused.Refused
}

// PublicationWarned hears of publications that the platform does not take from the account.
func (l listener) PublicationWarned(x event.Action, kind event.WarningKind, why string) {
	if a := l.accounts.byName(x.Account); a != nil {
		a.warn(kind, why)
	}
}
