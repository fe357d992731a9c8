package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// A timer of a conversation mostly judges that a person was silent. It must not, before everything was heard that the
// person may have said in time: it waits for a good read of the conversation that began after the timer was due. After
// an outage, a stop or a machine's sleep that read finds what was written meanwhile, and its turns come first.

// silences are due timers of an account that wait until their conversation was heard.
type silences struct {
	mu    sync.Mutex              // guards the fields below
	wait  map[string]*silence     // by the id of the timer
	peers map[platform.UserID]int // of their conversations, how many
}

// silence is a timer that waits.
type silence struct {
	since time.Time      // when that began, less what does not count
	asked time.Time      // when it was last looked at
	used  []event.Source // the conversation's sources; nil while nobody asked
}

// hasWaiting reports whether timers wait for a conversation to be heard, or with peer 0 for any.
func (s *silences) hasWaiting(peer platform.UserID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.peers) > 0 && (peer == 0 || s.peers[peer] > 0)
}

// isTimerReady reports whether a due timer may have its turn, with what its decision record has to say. Otherwise its conversation has to
// be heard first.
func (a *account) isTimerReady(t *event.Timer) (ok bool, note string) {
	if t.Key.Peer == 0 || a.bot.router.atOnce(t.Name) { //mutate:timers-listen
		return true, ""
	}
	now, s := time.Now(), &a.silences
	h := a.hearingFor(t, now)
	if h.all() {
		s.forgetTimer(t)
		return true, ""
	}
	// While nothing can be read at all the wait does not count: an outage must not make people silent who have written.
	w, waited := s.noteTimer(t, now, a.IsPlatformDown())
	if w.used == nil && h.hearsAny() {
		w.used = a.sourcesOf(a.term, t.Key)
	}
	switch {
	case h.hearsAny() && h.enough(w.used):
	// A single chat that the platform never shows would hold its timers for ever. The decision record says on what it rests.
	case waited >= patience: //mutate:timers-patience
		note = fmt.Sprintf("the conversation could not be read for %v", patience)
	default:
		// It is asked for now: the next poll of an account at rest may be a minute away, and the timer is due.
		a.poller.ReadNext(t.Key.Peer)
		a.requestPoll()
		return false, ""
	}
	s.forgetTimer(t)
	return true, note
}

// hearing tells which sources were heard since a timer was due.
type hearing struct{ chat, notifs, mentions bool }

func (h hearing) all() bool      { return h.chat && h.notifs && h.mentions }
func (h hearing) hearsAny() bool { return h.chat || h.notifs || h.mentions }

// enough reports whether all of these were heard. A source that the conversation never used does not count; it may be one
// that the platform does not have.
func (h hearing) enough(used []event.Source) bool {
	//mutate:timers-sources
	return len(used) > 0 && !slices.ContainsFunc(used, func(s event.Source) bool {
		switch s {
		case event.Notifs:
			return !h.notifs
		case event.Mentions:
			return !h.mentions
		default:
			return !h.chat
		}
	})
}

func (a *account) hearingFor(t *event.Timer, now time.Time) hearing {
	since := func(heard time.Time) bool { return !heard.IsZero() && !earlierTime(heard, now).Before(t.Due) }
	return hearing{
		chat: since(a.poller.HeardUntil(t.Key.Peer)), notifs: since(a.poller.HeardList(event.Notifs)), mentions: since(a.poller.HeardList(event.Mentions)),
	}
}

// sourcesOf returns the sources that a conversation has used, of late; nil when the store does not tell.
func (a *account) sourcesOf(ctx context.Context, key event.Key) []event.Source {
	used, err := a.bot.store.Sources(ctx, key)
	switch {
	case err != nil:
		return nil
	case len(used) == 0:
		return []event.Source{event.Messages}
	}
	return used
}

// earlierTime returns a time of this incarnation by the clock on the wall or by the steady one, whichever says earlier: the one may
// be set, the other stands still while a machine sleeps.
func earlierTime(t, now time.Time) time.Time {
	wall, steady := t.Round(0), now.Round(0).Add(-now.Sub(t))
	if steady.Before(wall) {
		return steady
	}
	return wall
}

// noteTimer notes that a timer waits, and returns for how long although others were heard.
func (s *silences) noteTimer(t *event.Timer, now time.Time, out bool) (*silence, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := t.ID()
	w := s.wait[id]
	if w == nil {
		w = &silence{since: now, asked: now}
		if s.wait == nil {
			s.wait, s.peers = map[string]*silence{}, map[platform.UserID]int{}
		}
		s.wait[id] = w
		s.peers[t.Key.Peer]++
	}
	if out {
		w.since = w.since.Add(now.Sub(w.asked))
	}
	w.asked = now
	return w, now.Sub(w.since)
}

// forgetTimer notes that a timer waits no more.
func (s *silences) forgetTimer(t *event.Timer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := t.ID()
	if s.wait[id] == nil {
		return
	}
	delete(s.wait, id)
	if s.peers[t.Key.Peer]--; s.peers[t.Key.Peer] == 0 {
		delete(s.peers, t.Key.Peer)
	}
}

// atOnce reports whether timers of a name judge nobody's silence.
func (r *Router) atOnce(name string) bool {
	return strings.HasPrefix(name, ownTimers) || slices.ContainsFunc(r.prompt, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
