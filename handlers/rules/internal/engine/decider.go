package engine

import (
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// deciders are those that decide nothing now. One is 4 KB, and a turn needs one for each round.
var deciders = sync.Pool{New: func() any { return new(decider) }}

// putAway gives the decider back. Its text stays read for the next round, which needs what was missing in this one.
func (d *decider) putAway() {
	if len(d.out.Needs) > 0 && d.reading != nil {
		d.v.heard.Store(&heard{d.said, d.reading})
	}
	*d = decider{}
	deciders.Put(d)
}

// decider makes one decision.
type decider struct {
	v   *Version
	in  decision.Input
	now time.Time

	state decision.State
	out   decision.Decision
	err   error

	when    grammar.When
	event   event.Event // the last one of a burst
	from    time.Time   // how early the first one of a burst may have been said; zero when nobody knows
	ids     []event.ID  // what is answered
	said    string
	reading *match.Reading
	hits    []int // the text conditions that hold
	posts   map[string][]int

	winner   *rule // who gives the answer, or is silent for it
	held     string
	doer     *rule // the first rule that did something
	stayed   *rule // the first one that was held back and would not have answered
	staying  string
	untold   map[string]string
	mode     mode
	day      text.Day        // that was answered last in the conversation with steps; zero when none was
	offset   time.Duration   // how long what follows waits
	waited   bool            // it stands behind a wait
	spoken   time.Time       // when the last thing said so far leaves
	line     int             // numbers what is said by a rule
	status   decision.Status // of what is performed
	at       *rule           // the rule that is performed
	mute     bool            // nothing may leave: one of our people has the conversation
	begins   bool            // what was written ends a silence: it asks for nothing, unless a rule says so
	dry      bool            // on watch: nothing but actions is recorded
	quiet    bool            // something was not done because of quiet hours
	changed  bool
	acted    bool
	handed   bool // the conversation is given away, or will be once that is approved
	bundle   int  // of the decision, which what is done now belongs to; below 0: it is to be begun
	watched  []string
	owner    string   // of ours who has the conversation, as a sentence; "" when that is not why nothing is said
	nearest  string   // of the text condition that was looked at last, what came near to it
	saidHeld []string // what the reason says of what was held back
	left     string   // why the conversation with steps that the person stood in is over; "" when it is not
	shadow   *rule    // who would give the answer of the rules on watch

	matched  bool               // a rule has matched that answers, likes, reposts or follows
	liked    bool               // one on watch has, and would not have answered
	paused   map[string]string  // what is paused by hand; see Input.Paused
	withheld []holding          // what would have answered, and was held back
	taking   bool               // rules are tried that are for what was held back
	took     []holding          // those that they are tried for
	takers   []string           // the rules that did something about it
	put      int                // where the last action stands that was decided by the rule that is performed; -1 for none
	within   *decision.Progress // of the step in which the person stays, even if rules act; nil for none
	last     event.ID           // of the words that are decided about; zero for nobody's
	since    time.Time          // when the first of them was said
	saidAt   time.Time          // and the last one
	calls    string             // the rule that calls somebody unless it is dealt with; "" for none
	// calledAfter is the longest of the times after which those who are called now were to be, or are to be reminded.
	calledAfter time.Duration
	// asksNothing says that what was said wants no answer: silence, or that it is over.
	asksNothing bool
	unsaid      string // why nothing of what is done now happens on the platform; "" when it does
	burstParts
}
