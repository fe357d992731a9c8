package rival

import (
	"cmp"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	rivalTalks  = 3                // conversations in which it has to happen
	rivalWithin = 10 * time.Minute // of one another
	// rivalApart is how far two answers to an event may be apart. A person of ours has to read the question, to find
	// a prepared answer and to send it, in one conversation after another; and who sees the bot's answer stand there
	// sends no other. Two bots are as far apart as a request takes: the one that reads later finds the other's answer.
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
	Peer    platform.UserID
	Ours    platform.MessageID
	Theirs  platform.MessageID
	At      time.Time // when ours left
	Weight  int       // prompt, queued, or 0: nobody can tell when the other one came
	Guessed bool      // which of the two is ours
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
