package campaigns

import "time"

// How long before its deadline an approval is asked for, and how long before the slot at most.
const (
	askedFor = 24 * time.Hour
	askedMax = PreparedBefore
)

// PreparedBefore is how long before its slot something is prepared at most.
const PreparedBefore = 7 * 24 * time.Hour

// AskedBefore returns how long before its slot something is prepared of which an approval is over at least so long before: what is found
// at run time is looked for then.
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

// approvedUntil returns when the slot is too late: what people have approved leaves no later than they were shown, whatever an edit has
// made of the slots around it.
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
