package rival

import (
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// CheckMessage looks whether a message that somebody of ours has written, as it seems, is a rival's. read is when it was.
func (w *Watch) CheckMessage(ctx context.Context, peer platform.UserID, m *platform.Message, read time.Time) error {
	if err := w.Store.MarkNow(ctx); err != nil { // what has arrived is stored lazily
		return err
	}
	said, err := w.Store.SaidSince(ctx, event.Key{Account: w.Account, Peer: peer}, w.begun())
	if err != nil {
		return err
	}
	o := other{id: m.ID, read: read.Truncate(time.Microsecond)} // as the store has its times
	if o.from, o.to, err = w.Store.TimesAround(ctx, w.Account, o.id); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	what, now := noNews, time.Now()
	if d, ok := w.findLocked(said, o, m.Text); ok {
		d.Peer, d.Guessed = peer, w.IsNameless()
		w.alert.Store(now.Add(rivalWithin).UnixMicro())
		what = w.noteDouble(d, now)
	} else if w.takesLocked(said, o, m.Text) {
		what = w.noteAnswered()
	}
	w.tellLocked(ctx, what, now)
	return nil
}

func (w *Watch) begun() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.began
}

// findLocked returns the double that a message makes with one of ours, with the first one of several.
func (w *Watch) findLocked(said []store.Said, o other, text string) (found double, ok bool) {
	for i := range said {
		x := &said[i]
		if x.State != event.StateDone || x.Result == 0 || x.LeftAt.Before(w.began) || x.To.Source == 0 || x.NotBefore.Before(w.began) {
			continue
		}
		ours := w.answerLocked(x)
		same, weight := compareAnswers(ours, o)
		if same && (!ok || ours.id < found.Ours) && outbox.SameText(x.Text, text) {
			found, ok = double{Ours: ours.id, Theirs: o.id, At: x.LeftAt, Weight: weight}, true
		}
	}
	return found, ok
}

// answerLocked returns what is known of a message of ours.
func (w *Watch) answerLocked(x *store.Said) answer {
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
	if began := w.polls.lastBegan(a.left); began.After(a.alone) {
		a.alone = began
	}
	return a
}

// takesLocked reports whether a message says what this bot holds since it has stopped.
func (w *Watch) takesLocked(said []store.Said, o other, text string) bool {
	for i := range said {
		x := &said[i]
		above := x.To.Source != event.Messages || x.To.Number < int64(o.id)
		if !w.Stopped.IsZero() && x.State == event.StateDue && above && outbox.SameText(x.Text, text) {
			return true
		}
	}
	return false
}

// saidNothing reports whether this bot has said nothing in a conversation for as long as it would be left to a person.
func (w *Watch) saidNothing(ctx context.Context, key event.Key, now time.Time) (bool, error) {
	said, err := w.Store.SaidSince(ctx, key, now.Add(-max(w.TakeoverFor, 0)))
	for i := range said {
		if said[i].State == event.StateDone {
			return false, err
		}
	}
	return err == nil, err
}
