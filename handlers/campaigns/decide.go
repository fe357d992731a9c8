package campaigns

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// input is everything that a decision depends on. decide changes none of it.
type input struct {
	Campaign     *Campaign
	Slot         Slot
	Memory       *Memory
	Uses         *Uses
	AccountFacts *AccountFacts
	Facts        *Facts // what was read; nil: a plan, in which the platform stays as it is and everybody approves in time
	Now          time.Time

	after  time.Time     // the slot has waited until then
	widest time.Duration // no publication keeps farther apart; 0: not known
}

// decider decides one slot.
type decider struct {
	input
	v    Verdict
	t    time.Time // when it would leave
	rely bool      // the facts count: it may leave
	lost Why       // why the slot is lost, for any post
	full bool      // it is lost since there is no room, by what was planned alone
}

// decideSlot says what becomes of a slot, and why. Everything else that knows of slots, the plan included, asks it.
func decideSlot(in input) Verdict {
	d := decider{input: in}
	d.v.Slot, d.v.At = in.Slot, in.Slot.Minute
	if d.widest == 0 {
		d.widest = in.Uses.widestDistance()
	}
	// First what cannot change any more: a slot that is booked stays as it is, also after an edit of its campaign.
	if d.over() {
		return d.v
	}
	d.v.Until = d.approvedUntil(d.until())
	d.t = LaterTime(LaterTime(in.Slot.Minute, in.Now), in.after)
	if d.t.After(d.v.Until) {
		// It cannot leave then. Why is looked for at its own minute, and is not what came close to it since.
		d.t = in.Slot.Minute
	}
	d.v.At = d.inZone(d.t)
	if d.loses(); d.v.Kind != "" {
		return d.v
	}
	// Nothing is read for a slot that is lost: it only says which post would have come.
	d.rely = in.Facts != nil && d.lost.Code == ""
	if d.chooseItem(); d.v.Void.Code != "" {
		d.v.Until = d.until() //mutate:slots-void-until
	}
	switch {
	case d.v.Kind != "": // there is nothing to publish, or it is not known yet
	case d.lost.Code != "":
		d.skip(d.lost)
	case d.AccountFacts.isWithheld(d.Campaign, d.v.Item): //mutate:slots-withheld
		d.skip(Why{Code: EditWaits, Name: d.v.Item.Name()})
	case d.v.Item.Status == Watch:
		d.v.Kind = Watched
	default:
		d.decideApproval()
	}
	return d.v
}

// over decides slots about which nothing is left to decide.
func (d *decider) over() bool {
	s, m, v := &d.Slot, d.Memory, &d.v
	switch {
	case len(m.Book) > 0 && d.decideBooked():
		return true
	case m.Ended != nil:
		d.skip(Why{Code: Ended, At: d.inZone(m.Ended.At), Name: m.Ended.Why})
		return true
	case d.Facts != nil && d.Facts.Stop != nil:
		v.Kind, v.Why = Stops, Why{Code: Ended, At: d.inZone(d.Facts.Stop.At), Name: d.Facts.Stop.Why}
		return true
	case s.NoDay:
		d.skip(Why{Code: Missing})
		return true
	}
	if from, is := m.Moved[s.ID]; is { //mutate:slots-moved
		d.skip(Why{Code: Moved, Name: from.Clock.String()})
		return true
	}
	return false
}

// decideBooked tells what became of a slot that was decided before.
func (d *decider) decideBooked() bool {
	if !d.Memory.isDecided(d.Slot.ID) {
		return false
	}
	e, v := d.Memory.Book[d.Slot.ID], &d.v
	v.Kind, v.At, v.Post, v.Renew, v.Entry = Booked, LaterTime(e.Minute, e.At), e.Post, e.Renew, &e
	if i, there := d.Campaign.index[e.Item]; there {
		v.Item = &d.Campaign.Items[i]
	}
	return true
}

// tolerance is how late a slot may leave that is not to be late.
const tolerance = 2 * time.Minute

// until is when the slot is too late.
func (d *decider) until() time.Time {
	s, c := &d.Slot, d.Campaign
	until := s.Minute.Add(tolerance)
	if c.Missed.What != Within {
		return until
	}
	end := s.Minute.Add(c.Missed.Within)
	// It gives way to the next slot of its campaign, and does not push that off: or one outage would shift a whole day.
	if next := s.Next.Add(-c.KeepApart); !s.Next.IsZero() && next.Before(end) {
		end = next
	}
	return LaterTime(until, end)
}

// loses finds why the slot is lost for any post. What may come later waits.
func (d *decider) loses() {
	c, m := d.Campaign, d.Memory
	if note, is := m.Skips[d.Slot.ID]; is {
		d.lost = Why{Code: SkippedBy, Name: deciderName(&note)}
		return
	}
	for _, note := range []*Note{m.Paused, d.AccountFacts.Paused} {
		if note != nil && (note.Until.IsZero() || d.Slot.Minute.Before(note.Until)) { //mutate:slots-pause-until
			d.lost = Why{Code: OnPause, Name: " by " + deciderName(note)}
		}
	}
	switch watching := c.Status == Watch; {
	case d.lost.Code != "":
	case c.Status == Paused:
		d.lost = Why{Code: OnPause, Name: " in the file"}
	case d.Now.After(d.v.Until): //mutate:slots-late
		d.lost = d.lateWhy(d.v.Until)
		r, _ := d.findCrowd()
		d.full = r.planned // nothing could have come anyway
	case !watching && c.Whole > 0 && m.Whole >= c.Whole:
		d.lost, d.full = Why{Code: OverWhole, N: c.Whole}, true
	case !watching && c.Total.Max > 0 && c.Total.Per == 0 && m.Whole >= c.Total.Max:
		d.lost, d.full = Why{Code: OverWhole, N: c.Total.Max}, true
	default:
		d.crowded()
	}
}

// crowded keeps distances and limits.
func (d *decider) crowded() {
	if r, is := d.findCrowd(); is {
		d.full = r.planned
		d.putOff(r.why, r.until, r.briefly)
	}
}

// crowd is what leaves a slot no room.
type crowd struct {
	why     Why
	until   time.Time // there is room then
	briefly bool      // it may be put off until then, as far as it is in time
	planned bool      // the plan had shown it
}

// findCrowd looks whether distances and limits leave the slot no room.
func (d *decider) findCrowd() (crowd, bool) {
	c, u, budget := d.Campaign, d.Uses, &d.AccountFacts.Budget
	// A minute at least, which is what slots are named by: two of one minute never both leave.
	apart := max(c.KeepApart, budget.Apart, time.Minute)
	if p, until, is := u.findClash(d.t, apart, d.widest); is {
		r := crowd{why: tooClose(d.inZone(p.At), max(apart, p.Apart), p.Hand), until: until, planned: !p.Late}
		r.briefly = p.Late //mutate:slots-unplanned
		return r, true
	}
	if until, is := isFull(c.Total, d.t, len(d.Memory.Recent), func(i int) time.Time { return d.Memory.Recent[i] }); is {
		return crowd{overLimit(OverTotal, c.Total, d.inZone(until)), until, false, true}, true
	}
	if until, is := isFull(budget.Most, d.t, len(u.Published), u.countedAt); is { //mutate:slots-budget
		_, planned := isFull(budget.Most, d.t, len(u.Published), u.plannedAt)
		return crowd{overLimit(OverBudget, budget.Most, d.inZone(until)), until, false, planned}, true
	}
	return crowd{}, false
}

// tooClose is why something may not come: what was published at a time, by a hand or by ours, keeps it away.
func tooClose(at time.Time, apart time.Duration, hand bool) Why {
	w := Why{Code: TooClose, At: at, Span: apart}
	if hand {
		w.Name = " by hand"
	}
	return w
}

func overLimit(code Code, l text.Limit, until time.Time) Why {
	return Why{Code: code, N: l.Max, Span: l.Per, At: until}
}

// putOff puts the slot off, as far as its campaign lets it be late; briefly, as far as it is still in time.
func (d *decider) putOff(why Why, until time.Time, briefly bool) {
	d.lost = why
	// People have approved this minute: what would leave at another one is something else.
	if shown, is := d.approvedMinute(); is && until.Sub(shown) > tolerance { //mutate:slots-approved-minute
		return
	}
	if (briefly || d.Campaign.Missed.What == Within) && !until.After(d.v.Until) {
		d.v.Kind, d.v.Why, d.v.At = Wait, why, d.inZone(until)
	}
}

// skip leaves the slot empty. Its post keeps its turn where the plan knows beforehand that a distance or the budget leaves no room, and where the limits of
// the campaign do: a post that is due whenever there is none would otherwise never come. What was missed, approved by nobody, or kept away by what nobody had
// planned, takes the turn with it, so that nothing else shifts, unless the post is to have the next slot.
func (d *decider) skip(why Why) {
	d.v.Kind, d.v.Why = Skip, why
	next := d.Campaign.Missed.What == NextSlot
	switch why.Code {
	case Late, ClockWrong, TooClose, OverBudget, OverTotal, OverWhole:
		if next || d.full && d.Memory.Force.keepsTurns() { //mutate:slots-no-room
			d.v.turn = turn{}
		}
	case Unapproved, Unasked:
		if next {
			d.v.turn = turn{}
		}
	default: // a person wanted it empty, or the post may not come
	}
}

// inZone returns a time as people of the campaign read it.
func (d *decider) inZone(t time.Time) time.Time { return t.In(d.Campaign.Zone) }

// deciderName is who decided something.
func deciderName(n *Note) string {
	if n.By == "" {
		return "somebody"
	}
	return n.By
}

// LaterTime returns the later one of two times.
func LaterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// How long before its deadline an approval is asked for, and how long before the slot at most.
const (
	askedFor = 24 * time.Hour
	askedMax = PreparedBefore
)

// PreparedBefore is how long before its slot something is prepared at most.
const PreparedBefore = 7 * 24 * time.Hour

// AskedBefore returns how long before its slot a publication is prepared when its approval has to be over at least atLeast before the slot. A
// search for a post is made then.
func AskedBefore(atLeast time.Duration) time.Duration {
	if ahead := atLeast + askedFor; ahead <= askedMax || atLeast >= askedMax {
		return ahead
	}
	return askedMax
}

// approvedMinute returns the minute that people have approved; false when they have approved nothing for the slot.
func (d *decider) approvedMinute() (time.Time, bool) {
	e, is := d.Memory.Book[d.Slot.ID]
	return e.At, is && e.State == Prepared && !e.Approved.IsZero()
}

// approvedUntil returns when the slot is too late: what people have approved leaves no later than they were shown, also when an edit has
// moved the slots around it.
func (d *decider) approvedUntil(until time.Time) time.Time {
	e := d.Memory.Book[d.Slot.ID]
	if _, approved := d.approvedMinute(); approved && e.Minute.Equal(d.Slot.Minute) && !e.Until.IsZero() && e.Until.Before(until) {
		return e.Until
	}
	return until
}

// decideApproval decides whether a person has to see it first, and what came of that. The deadline counts from the clock on the wall, so
// that it is as round as that.
func (d *decider) decideApproval() {
	v, at := &d.v, d.Slot.At
	v.Kind = Go
	if v.Item.Status != Ask && (!v.Renew || d.Uses.Lifts == Yes) { //mutate:slots-first-renewal
		return
	}
	// From the clock on the wall, without the jitter: people are told a round time.
	v.Kind, v.Approve, v.Deadline = Asks, true, at.Add(-d.Campaign.AtLeast)
	v.Ask = at.Add(-AskedBefore(d.Campaign.AtLeast))
	e := d.Memory.Book[d.Slot.ID]
	switch {
	case v.Held && !e.Refused.IsZero():
		d.skip(Why{Code: RefusedBy, Name: deciderName(&Note{By: e.By})})
	case v.Held && !e.Approved.IsZero() && !e.Approved.After(v.Deadline): //mutate:slots-given
		v.Kind, v.Approved = Go, true // it counts from when it was given
	case !d.Now.After(v.Deadline): //mutate:slots-deadline
	case v.Held:
		d.skip(Why{Code: Unapproved, At: d.inZone(v.Deadline)})
	default:
		d.skip(Why{Code: Unasked, At: d.inZone(v.Deadline)})
	}
}
