package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// A rival is another bot on the same account, with a memory of its own. The platform gives no lock, so a bot
// finds out: both answer the same events, with the same words, within seconds.

const (
	rivalTalks  = 3                // conversations in which it has to happen
	rivalWithin = 10 * time.Minute // of one another
	// rivalApart is how far two answers to an event may be apart. A person of ours has to read the question, to find
	// a prepared answer and to send it, in one conversation after another; and who sees the bot's answer stand there
	// sends no other. Two bots are as far apart as a request takes: whichever reads later finds the other's answer.
	rivalApart = 3 * time.Second
)

// How much a double proves.
const (
	// prompt is an answer that left at once, and another one within seconds of it, for certain.
	prompt = 3
	// queued is the same of an answer that waited for its turn: a person who goes through the same questions meets it.
	queued = 1

	enoughToWarn = 2 * prompt          // another conversation may be one whose other answer was read late
	enoughToStop = rivalTalks * prompt // that is certain in each
)

// double is an event that was answered twice with the same words: by this bot, and by somebody else on its account.
type double struct {
	Peer   platform.UserID
	Ours   platform.MessageID
	Theirs platform.MessageID
	At     time.Time // when ours left
	Weight int       // prompt, queued, or 0: nobody can tell when the other one came
}

// lowerID is where a double stands among others. A rival sees the same.
func (d double) lowerID() platform.MessageID { return min(d.Ours, d.Theirs) }

// isOursLater reports whether our answer came second.
func (d double) isOursLater() bool { return d.Ours > d.Theirs }

// evidence is the doubles of the last rivalWithin, one of each conversation. A rival sees the same ones, some of them
// earlier or later.
type evidence []double

// add takes in a double. It returns the first one of all, and whether they prove a rival.
func (e *evidence) add(d double) (first double, proof bool) {
	if i := slices.IndexFunc(*e, func(o double) bool { return o.Peer == d.Peer }); i >= 0 {
		o := (*e)[i]
		weight := max(d.Weight, o.Weight)
		if o.lowerID() < d.lowerID() {
			d = o
		}
		d.Weight = weight
		*e = slices.Delete(*e, i, i+1)
	}
	*e = append(*e, d)
	newest := slices.MaxFunc(*e, func(a, b double) int { return a.At.Compare(b.At) })
	*e = slices.DeleteFunc(*e, func(o double) bool { return newest.At.Sub(o.At) >= rivalWithin })
	weight := 0
	for _, o := range *e {
		weight += o.Weight
	}
	first = slices.MinFunc(*e, func(a, b double) int { return cmp.Compare(a.lowerID(), b.lowerID()) })
	enough := enoughToWarn
	if first.isOursLater() {
		enough = enoughToStop
	}
	//mutate:rival-enough
	return first, len(*e) >= rivalTalks && weight >= enough
}

// answer is a message of ours, with what bounds the time at which it came into being.
type answer struct {
	id    platform.MessageID
	to    event.ID  // the event that it answers
	ready time.Time // when it was to leave
	alone time.Time // when no other answer was there, for certain
	left  time.Time
	came  time.Time // when its id was known
}

// other is a message of the account that this bot has not sent.
type other struct {
	id       platform.MessageID
	read     time.Time // when it was read
	from, to time.Time // it came into being in between, as far as that is known; see store.Reader.TimesAround
}

// compareAnswers reports whether two messages of the same words answer the same event, as far as is known within seconds, and
// how much that proves. Of what was read before ours left the bot knew: it answers nothing that somebody else has
// answered.
func compareAnswers(a answer, o other) (same bool, weight int) {
	if a.to.Source == event.Messages && int64(o.id) <= a.to.Number || !o.read.After(a.left) {
		return false, 0
	}
	latest := o.read
	if !o.to.IsZero() && o.to.Before(latest) {
		latest = o.to
	}
	apart := latest.Sub(a.came)
	if o.id < a.id {
		apart = a.came.Sub(a.alone)
	}
	switch {
	case o.from.Sub(a.came) > rivalApart:
		return false, 0
	case apart > rivalApart: //mutate:rival-seconds
		return true, 0
	//mutate:rival-queued
	case a.came.Sub(a.ready) > rivalApart:
		return true, queued
	}
	return true, prompt
}

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

// How long an account goes on whatever it sees of a rival.
const (
	sparedByPerson = 24 * time.Hour   // after a person has said so
	sparedAlone    = 10 * time.Minute // after nobody else has answered what it held, and each time twice as long
)

// Rivalry is how an account stands towards another bot that answers on it, with a memory of its own. It is kept in
// the store; see RivalryOf.
type Rivalry struct {
	// Stopped is since when nothing of the account leaves, because of the other bot; zero while it is at work.
	Stopped time.Time `json:"stopped,omitzero"`
	// Answer is the message of ours that came second, for which it stopped.
	Answer platform.MessageID `json:"answer,omitempty"`
	// Proven tells that since then somebody else has answered what this bot held.
	Proven bool `json:"proven,omitempty"`
	// Seen is when another bot was last seen to answer; zero for never.
	Seen time.Time `json:"seen,omitzero"`
	// Spared is until when the account does not stop by itself.
	Spared time.Time `json:"spared,omitzero"`
	// Alone is how often it has gone on by itself since nobody else answered what it held.
	Alone int `json:"alone,omitempty"`
}

// rivalryFact is the name under which a Rivalry is known of its account.
const rivalryFact = "rival"

// Knower is a store, as far as it tells what is known of an account.
type Knower interface {
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
}

// RivalryOf returns how an account stands, as it is stored. The error is that of the store.
func RivalryOf(ctx context.Context, st Knower, account event.Account) (Rivalry, error) {
	var r Rivalry
	f, ok, err := st.Known(ctx, account, rivalryFact)
	if err == nil && ok {
		err = json.Unmarshal(f.Value, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read whether another bot was seen on %s: %w", account, err)
	}
	return r, nil
}

// news is what changes for an account.
type news uint8

const (
	noNews  news = iota
	stops        // nothing leaves any more
	warns        // it goes on, and the other one should stop
	leads        // the same, and it had stopped
	insists      // it goes on, since it was told to
	proves       // it was right to stop
	returns      // it goes on again, since nobody else answers
)

// rivalry is a Rivalry with the evidence that this incarnation has. It changes by its methods alone, which know no clock.
type rivalry struct {
	Rivalry
	evidence
	first double    // that decided last
	told  time.Time // when it was last said that it goes on
}

// noteDouble takes in an event that was answered twice. The bot whose answer came second in the first conversation of the
// evidence stops; the other one sees the same, and goes on.
func (r *rivalry) noteDouble(d double, now time.Time) news {
	first, proof := r.add(d)
	if !proof {
		return noNews
	}
	r.Seen = now
	switch behind, stopped := first.isOursLater(), !r.Stopped.IsZero(); {
	case stopped && (behind || r.Proven || first.lowerID() > r.first.lowerID()):
		return noNews
	case stopped: // what it learns late, the other one may have known before
		r.Stopped, r.first, r.told = time.Time{}, first, now
		return leads
	case behind && !now.Before(r.Spared): //mutate:rival-behind
		r.Stopped, r.Answer, r.Proven, r.first = now, first.Ours, false, first
		return stops
	case now.Sub(r.told) < rivalWithin:
		return noNews
	case behind:
		r.told = now
		return insists
	}
	r.told = now
	return warns
}

// noteAnswered notes that somebody else has answered what this bot held.
func (r *rivalry) noteAnswered() news {
	if r.Stopped.IsZero() || r.Proven {
		return noNews
	}
	r.Proven, r.Alone = true, 0
	return proves
}

// noteAlone notes that nobody has answered what this bot holds, although there was time: it was a platform that delivers
// twice, or both bots have stopped, or the other one is gone.
func (r *rivalry) noteAlone(now time.Time) news {
	if r.Stopped.IsZero() || r.Proven {
		return noNews
	}
	r.Stopped, r.Spared = time.Time{}, now.Add(min(sparedAlone<<min(r.Alone, 10), sparedByPerson))
	r.Alone++
	return returns
}

// resume notes that a person wants the account to go on; false when it was not stopped.
func (r *rivalry) resume(now time.Time) (was bool) {
	was = !r.Stopped.IsZero()
	*r = rivalry{Rivalry: Rivalry{Seen: r.Seen, Spared: now.Add(sparedByPerson)}}
	return was
}
