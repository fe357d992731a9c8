package bot

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

const (
	pollsKept  = 128
	restsKept  = 8                      // of an account that has sent nothing for long
	pollsApart = 250 * time.Millisecond // of those kept
)

// rivals watches for another bot on an account.
type rivals struct {
	mu sync.Mutex // guards the fields below
	rivalry
	began   time.Time     // of this incarnation: nothing from before proves anything
	alert   atomic.Int64  // until then a rival is suspected, in Unix microseconds
	looks   []look        // while it is
	left    atomic.Int64  // when a message left last, in Unix microseconds
	polls   []cycle       // the last ones
	unsaved []*store.Turn // what the store has refused
	checked time.Time     // when it was last looked whether others answer what is held
	unheard int64         // when it was last seen that nobody can be heard to answer, in Unix microseconds
	twin    event.Account // another account of this bot, which is the same person on the platform
}

// cycle is a poll that succeeded: from when to when, in Unix microseconds.
type cycle struct{ began, ended int64 }

// noteDeparture notes that a message is about to leave.
func (r *rivals) noteDeparture() { r.left.Store(time.Now().UnixMicro()) }

// notePoll notes a poll that succeeded.
func (r *rivals) notePoll(result event.PollResult) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	c := cycle{result.Began.UnixMicro(), now.UnixMicro() + 1} // never earlier than it was
	n := len(r.polls)
	if n > 0 && time.Duration(c.ended-r.polls[n-1].ended)*time.Microsecond < pollsApart {
		return
	}
	most := pollsKept
	if now.Sub(time.UnixMicro(r.left.Load())) > rivalWithin { // what leaves later only needs the last one
		most = restsKept
	}
	if n < most {
		r.polls = append(r.polls, c)
		return
	}
	rest := r.polls[n-most+1:]
	if cap(r.polls) > 2*most {
		r.polls = make([]cycle, 0, most)
	}
	r.polls = append(append(r.polls[:0], rest...), c)
}

// shownLocked returns when the last poll began that had ended by then: what it did not show was not there. Zero when
// there is none.
func (r *rivals) shownLocked(by time.Time) (began time.Time) {
	last := int64(0)
	for _, p := range r.polls {
		if p.ended <= by.UnixMicro() && p.began > last {
			last, began = p.began, time.UnixMicro(p.began)
		}
	}
	return began
}

// checkForRival looks whether a message that somebody of ours has written, as it seems, is a rival's.
func (a *account) checkForRival(ctx context.Context, peer platform.UserID, s *unattributed) error {
	r := &a.rivals
	if err := a.bot.store.MarkNow(ctx); err != nil { // what has arrived is stored lazily
		return err
	}
	said, err := a.bot.store.SaidSince(ctx, event.Key{Account: a.name, Peer: peer}, r.began)
	if err != nil {
		return err
	}
	o := other{id: s.message.ID, read: s.read.Truncate(time.Microsecond)} // as the store has its times
	if o.from, o.to, err = a.bot.store.TimesAround(ctx, a.name, o.id); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	what, now := noNews, time.Now()
	if d, ok := r.findLocked(said, o, s.message.Text); ok {
		d.Peer = peer
		r.alert.Store(now.Add(rivalWithin).UnixMicro())
		what = r.noteDouble(d, now)
	} else if r.takesLocked(said, o, s.message.Text) {
		what = r.noteAnswered()
	}
	a.tellLocked(what, now)
	return nil
}

// findLocked returns the double that a message makes with one of ours, with the first one of several.
func (r *rivals) findLocked(said []store.Said, o other, text string) (found double, ok bool) {
	for i := range said {
		x := &said[i]
		if x.State != event.StateDone || x.Result == 0 || x.LeftAt.Before(r.began) || x.To.Source == 0 || x.NotBefore.Before(r.began) {
			continue
		}
		ours := r.answerLocked(x)
		same, weight := compareAnswers(ours, o)
		if same && (!ok || ours.id < found.Ours) && outbox.SameText(x.Text, text) {
			found, ok = double{Ours: ours.id, Theirs: o.id, At: x.LeftAt, Weight: weight}, true
		}
	}
	return found, ok
}

// answerLocked returns what is known of a message of ours.
func (r *rivals) answerLocked(x *store.Said) answer {
	a := answer{id: platform.MessageID(x.Result), to: x.To, ready: x.SeenAt, alone: x.SeenAt, left: x.LeftAt, came: x.EndedAt}
	switch {
	case x.Due.After(x.DecidedAt): // it was not to leave at once
		a.ready = x.Due
	case !strings.HasPrefix(x.Key, x.To.String()): // a timer's
		a.ready = x.DecidedAt
	}
	if x.To.Source != event.Messages { // it is not read with the chat
		a.alone = x.NotBefore
	}
	if began := r.shownLocked(a.left); began.After(a.alone) {
		a.alone = began
	}
	return a
}

// takesLocked reports whether a message says what this bot holds since it has stopped.
func (r *rivals) takesLocked(said []store.Said, o other, text string) bool {
	for i := range said {
		x := &said[i]
		above := x.To.Source != event.Messages || x.To.Number < int64(o.id)
		if !r.Stopped.IsZero() && x.State == event.StateDue && above && outbox.SameText(x.Text, text) {
			return true
		}
	}
	return false
}
