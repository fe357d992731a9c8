package replay

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

// Replay lets recorded turns happen again by other rules, on a clock of their own: that of the recording.
// Nothing is sent. What people said is answered anew, with the conversations as they come to be by these
// rules; they begin as they were at the first event of each person. Limits are counted in memory, people
// take a few hundred bytes each.
//
// What a turn had read of the platform is known from the recording. What was not read then counts as not
// so.
type Replay interface {
	// Edited says which recorded actions left with a text that a person changed, by their keys: such a text does not count
	// as another answer than the one that these rules would prepare. Call it before Add.
	Edited(keys map[string]bool)
	// Add takes the next turn of the recording. They have to come in the order in which they were handled.
	Add(recorded record.Recorded) error
	// End goes on to the end of the recording, and reports what is left.
	End()
	// Count says what the replay has come to so far.
	Count() ReplayCount
}

// NewReplay returns a replay by v. It calls report with each exchange as soon as it is over; report may keep the exchange. An
// exchange compares v with what was done at the time, or, with base, with what the version base does.
func NewReplay(base, v *rules.Version, report func(*Exchange)) Replay {
	if base == nil {
		return newPlayer(v, report)
	}
	return newComparison(base, v, report)
}

// player is a Replay by one version.
type player struct {
	v      *rules.Version
	report func(*Exchange)

	clock  time.Time
	people map[platform.UserID]*replayed
	timers replayTimers
	limits replayLimits
	lists  map[string]map[string]bool // keys of entries, by list
	ahead  aheadTurns
	edited map[string]bool // keys of actions
	count  ReplayCount
}

// ReplayCount says what a replay came to.
type ReplayCount struct {
	Events  int `json:"events"`  // that were replayed
	People  int `json:"people"`  // how many people they come from
	Same    int `json:"same"`    // exchanges in which the same is done, or nothing
	Silent  int `json:"silent"`  // exchanges in which the rules do nothing
	Changed int `json:"changed"` // exchanges in which something else is done
	New     int `json:"new"`     // exchanges in which something is done, and nothing was
	Gone    int `json:"gone"`    // exchanges in which nothing is done, and something was
	Private int `json:"private"` // exchanges with texts that were not kept: not compared
	Awake   int `json:"awake"`   // of the same: what was on watch, and would be done now
	Asleep  int `json:"asleep"`  // of the same: what was done, and would be on watch now
	Edited  int `json:"edited"`  // of the same: what a person said in other words when they approved it
	Owned   int `json:"owned"`   // events while a person had the conversation: left out
	Others  int `json:"others"`  // events that parts of the program handled, or nobody: left out
	Begun   int `json:"begun"`   // events of bursts that the recording has only a part of: left out
	Unread  int `json:"unread"`  // facts that were not recorded, and count as not so
	Failed  int `json:"failed"`  // turns that these rules cannot decide
}

// Changes tells how many exchanges end otherwise.
func (c *ReplayCount) Changes() int { return c.Changed + c.New + c.Gone }

func newPlayer(v *rules.Version, report func(*Exchange)) *player {
	return &player{
		v: v, report: report, people: map[platform.UserID]*replayed{}, lists: map[string]map[string]bool{},
		limits: newReplayLimits(), ahead: aheadTurns{people: map[platform.UserID][]*aheadTurn{}},
	}
}

// Edited implements Replay.
func (r *player) Edited(keys map[string]bool) { r.edited = keys }

// Count implements Replay.
func (r *player) Count() ReplayCount {
	c := r.count
	c.People = len(r.people)
	return c
}

// Add implements Replay.
func (r *player) Add(recorded record.Recorded) error {
	if err := r.ahead.add(recorded); err != nil {
		return err
	}
	for r.ahead.isFull() {
		r.happen(r.ahead.firstTurn())
		r.ahead.dropFirst()
	}
	return nil
}

// End implements Replay.
func (r *player) End() {
	for r.ahead.len() > 0 {
		r.happen(r.ahead.firstTurn())
		r.ahead.dropFirst()
	}
	for _, p := range r.people {
		r.endLast(p)
		r.flush(p)
	}
}

// endLast ends what is under way when the recording ends: what that had not answered yet is left out.
func (r *player) endLast(p *replayed) {
	x := p.exchange
	switch {
	case x == nil:
	case x.waits:
		r.count.Begun += len(x.Events)
		p.exchange = nil
	default:
		if i := slices.IndexFunc(p.timers, func(t event.Timer) bool { return t.Name == engine.TimerBurst }); i >= 0 {
			r.fireTimer(p, p.timers[i])
		}
	}
}

// happen lets a recorded turn happen again.
func (r *player) happen(t *aheadTurn) {
	if r.clock.IsZero() {
		r.clock = handledAt(&t.Recorded)
		r.limits.began = r.clock
	}
	r.advanceClock(handledAt(&t.Recorded))
	if t.Turn != nil {
		r.turned(t)
		return
	}
	r.happened(t)
}

// happened lets an event happen again.
func (r *player) happened(t *aheadTurn) {
	e := t.Event
	switch {
	case e.Record.Outcome == bot.OutcomeOwned:
		r.count.Owned++
		if p := r.people[e.Peer]; p != nil {
			p.owned = true
			r.noteSilenceWish(p, t)
		}
		return
	case !replayable(&e.Record) || e.Kind == event.KindDelivery:
		r.count.Others++
		return
	}
	p := r.personOf(t)
	if p == nil {
		r.count.Begun++
		return
	}
	r.count.Events++
	p.freshenPerson(t)
	r.meetEvent(p, t)
	trigger, err := restoreTrigger(&t.Recorded, t.facts)
	if err != nil {
		r.count.Failed++
		return
	}
	d, ok := r.decideTrigger(p, trigger)
	x := p.exchange
	x.add(t, restoreEvent(e, t.facts), r.edited)
	if e.Kind == event.KindMessage {
		x.waits = e.Record.Outcome == string(decision.Gathering)
	}
	if ok {
		x.now(trigger, &d)
	}
	r.limits.noteTurn(&t.Recorded)
	r.close(p)
}

// replayable reports whether rules would decide about a recorded event: they did, or nobody did.
func replayable(t *event.DecisionRecord) bool {
	return Ours(t.Route) && (t.Outcome != bot.OutcomeLate) || t.Route == "" && t.Outcome == bot.OutcomeUnmatched
}

// turned takes what a recorded turn did that no event started.
func (r *player) turned(t *aheadTurn) {
	p := r.people[t.Turn.Peer]
	if p == nil {
		return
	}
	timer, err := event.ParseTimer(t.Turn.ID)
	name := timer.Name
	r.limits.noteTurn(&t.Recorded)
	switch {
	case err != nil: // a person's decision
		r.asked(p, t)
	case t.Turn.Record.Outcome == bot.OutcomeOwned:
		p.owned = true
		if name == engine.TimerBurst && p.exchange != nil {
			p.exchange.waits = false
			r.close(p)
		}
	case name == engine.TimerBurst && p.exchange != nil:
		p.exchange.addTurn(t, r.edited)
		p.exchange.waits = false
		r.close(p)
	case Ours(t.Turn.Record.Route) && name != engine.TimerBurst && len(t.Actions) > 0:
		p.laterExchange(r.clock).addTurn(t, r.edited)
	}
}

// asked takes what a person of ours did: somebody who wrote by hand has the conversation.
func (r *player) asked(p *replayed, t *aheadTurn) {
	if wroteByHand(t.Turn.ID) {
		p.owned, p.state.OwnerWrote, p.state.TakenBack = true, r.clock, r.clock
	}
}

// decideTrigger decides about a trigger, and takes the decision over; false when it cannot be decided.
func (r *player) decideTrigger(p *replayed, trigger event.Trigger) (decision.Decision, bool) {
	facts := r.ahead.privateFacts(p.state.Peer)
	for range engine.MostRounds {
		d, err := r.v.Decide(decision.Input{Trigger: trigger, State: p.state, Facts: facts, Now: r.clock, Variants: true})
		if err != nil {
			break
		}
		if len(d.Needs) == 0 {
			r.applyDecision(p, trigger, &d)
			return d, true
		}
		if facts == nil {
			facts = decision.Facts{}
		}
		for _, n := range d.Needs {
			facts[n.Name] = r.read(p, n)
		}
	}
	r.count.Failed++
	return decision.Decision{}, false
}
