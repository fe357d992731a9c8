package bot

import (
	"cmp"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// A rival is another bot on the same account, with a memory of its own. The platform gives no lock, so a bot
// finds out: both answer the same events, with the same words, within seconds.

const (
	rivalTalks  = 3                // conversations in which it has to happen
	rivalWithin = 10 * time.Minute // of one another
	// rivalSeconds is how far two answers to an event may be apart. A person of ours has to read the question, to find
	// a prepared answer and to send it, in one conversation after another; and who sees the bot's answer stand there
	// sends no other. Two bots are as far apart as the pauses between their polls.
	rivalSeconds = 3 * time.Second
	// rivalSure is in how many of the conversations that has to be certain, for who goes on; for who stops, in all of
	// them. Where the other answer came second, and was read late, nobody can tell when it came.
	rivalSure = 2
)

// double is an event that was answered twice with the same words: by this bot, and by somebody else on its account.
type double struct {
	Peer   platform.UserID    `json:"peer"`
	Ours   platform.MessageID `json:"ours"`
	Theirs platform.MessageID `json:"theirs"`
	At     time.Time          `json:"at"`   // when ours left
	Sure   bool               `json:"sure"` // both came within seconds, for certain
}

// place is where a double stands among others. A rival sees the same.
func (d double) place() platform.MessageID { return min(d.Ours, d.Theirs) }

// behind tells whether our answer came second.
func (d double) behind() bool { return d.Ours > d.Theirs }

// evidence is the doubles of the last rivalWithin, one of each conversation. A rival sees the same ones, some of them
// earlier or later.
type evidence []double

// add takes in a double. It returns the first one of all, and whether they prove a rival.
func (e *evidence) add(d double) (first double, proof bool) {
	if i := slices.IndexFunc(*e, func(o double) bool { return o.Peer == d.Peer }); i >= 0 {
		o := (*e)[i]
		sure := d.Sure || o.Sure
		if o.place() < d.place() {
			d = o
		}
		d.Sure = sure
		*e = slices.Delete(*e, i, i+1)
	}
	*e = append(*e, d)
	newest := slices.MaxFunc(*e, func(a, b double) int { return a.At.Compare(b.At) })
	*e = slices.DeleteFunc(*e, func(o double) bool { return newest.At.Sub(o.At) >= rivalWithin })
	sure := 0
	for _, o := range *e {
		if o.Sure {
			sure++
		}
	}
	first = slices.MinFunc(*e, func(a, b double) int { return cmp.Compare(a.place(), b.place()) })
	enough := rivalSure
	if first.behind() {
		enough = rivalTalks
	}
	return first, len(*e) >= rivalTalks && sure >= enough
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
	from, to time.Time // it came into being in between, as far as that is known; see store.Store.Around
}

// doubles tells whether two messages of the same words answer the same event, as far as is known within seconds, and
// whether that is certain. Of what was read before ours left the bot knew: it answers nothing that somebody else has
// answered.
func doubles(a answer, o other) (same, sure bool) {
	if a.to.Source == event.Messages && int64(o.id) <= a.to.Number || !o.read.After(a.left) {
		return false, false
	}
	prompt := a.came.Sub(a.ready) <= rivalSeconds // what waits for its turn, a person may be faster than
	if o.id < a.id {
		return true, prompt && a.came.Sub(a.alone) <= rivalSeconds
	}
	latest := o.read
	if !o.to.IsZero() && o.to.Before(latest) {
		latest = o.to
	}
	return o.from.Sub(a.came) <= rivalSeconds, prompt && latest.Sub(a.came) <= rivalSeconds
}
