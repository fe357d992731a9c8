package campaigns

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Account is all that is known of an account's campaigns at one time.
type Account struct {
	Campaigns    []*Campaign
	Memories     map[string]Memory // by the ID of the campaign; one that has none comes into force now
	Uses         Uses
	AccountFacts AccountFacts
	// TextsAsNew says that people want corrected texts to come as new ones with the next edit, as far as they have no id.
	TextsAsNew bool
}

// ByID returns one of some campaigns by its ID; nil for none.
func ByID(all []*Campaign, id string) *Campaign {
	for _, c := range all {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Taken reports whether a post, which a search might find, is used already: published before, or prepared for another slot.
func (a *Account) Taken(post platform.PostID) bool {
	if !a.Uses.Posts[PostKey(post)].Last.IsZero() {
		return true
	}
	for _, m := range a.Memories {
		for _, e := range m.Book {
			if e.State.Open() && e.Post == post {
				return true
			}
		}
	}
	return false
}

// Plan decides all slots between two times after now, from included and to not, in the order of their minutes. It shows them as they will be
// when nothing else happens: each is decided as if all before it had happened as decided. Slots that are due and were not decided yet come
// first. It returns no Wait: a slot that waits comes with its decision, when the wait is over.
func Plan(a *Account, now, from, to time.Time) iter.Seq[Verdict] {
	return func(yield func(Verdict) bool) {
		for v := range coming(newFold(a, now, true), to) {
			if !v.Slot.Minute.Before(from) && !yield(v) {
				return
			}
		}
	}
}

// Coming is Plan from the first slot on, without verdicts that are Booked. With each verdict it reports whether it comes in order: no slot
// waits, and all verdicts still to come are at its minute or later.
func Coming(a *Account, now, to time.Time) iter.Seq2[Verdict, bool] {
	return func(yield func(Verdict, bool) bool) { coming(newFold(a, now, false), to)(yield) }
}

// coming is Coming of a fold that has just begun.
func coming(f *fold, to time.Time) iter.Seq2[Verdict, bool] {
	return func(yield func(Verdict, bool) bool) {
		for {
			p, ok := f.pop(to)
			if !ok {
				return
			}
			v := decideSlot(f.input(&p))
			if v.Kind == Wait {
				f.wait(p, v.At, p.slot.Minute.Before(to))
				continue
			}
			f.noteDecided(&p, &v) //mutate:slots-fold
			if v.Slot.Minute.Before(to) && !yield(v, f.waiting == 0 && !p.waits && p.slot.Minute.After(f.now)) {
				return
			}
		}
	}
}

// Find decides one slot with what was read for it now, after all that come before it. When Verdict.Wake is still to come, that is what
// it will be as far as is known now; it is decided again then. It returns false when there is no such slot to be decided.
func Find(a *Account, id SlotID, facts *Facts, now time.Time) (Verdict, bool) {
	c := ByID(a.Campaigns, id.Campaign)
	if c == nil {
		return Verdict{}, false
	}
	s, there := c.Slot(id)
	m := a.Memories[id.Campaign]
	if to, moved := m.Rescheduled[id]; moved {
		s.Minute = to.To
	}
	// All before it are decided first: which post's turn it is, and what the limits leave, follows from them.
	for f := newFold(a, now, m.isDecided(id)); there; {
		p, ok := f.pop(LaterTime(s.Minute, f.now).Add(time.Second))
		if !ok {
			break
		}
		in, wanted := f.input(&p), p.slot.ID == id
		// Facts are of this slot alone. The others are taken as the plan takes them, or reading one post would change what another slot does.
		if wanted {
			in.Facts = facts
		}
		if wanted && facts != nil { // it is decided by that: what those before it were to show is not known yet
			known := f.uses
			known.Lifts = a.Uses.Lifts //mutate:slots-lifts-known
			in.Uses = &known
		}
		switch v := decideSlot(in); {
		// To wait for the platform is an answer. To wait for a time means that others come before, which may change what it will be.
		case v.Kind == Wait && !v.Why.Reading():
			f.wait(p, v.At, wanted)
		case wanted:
			return v, true
		default:
			f.noteDecided(&p, &v)
		}
	}
	return Verdict{}, false
}

// fold goes through the slots of an account.
type fold struct {
	a       *Account
	booked  bool // slots that were decided before come, too: they change nothing
	work    []*work
	uses    Uses
	now     time.Time
	widest  time.Duration
	queue   []place   // a heap
	slots   []pending // that are in the queue
	free    []int32   // of slots: not in use
	waiting int       // how many slots wait that the caller wants to hear of
	taken   int
}

// work is a campaign on its way.
type work struct {
	c   *Campaign
	m   Memory
	cal *calendar
}

// place is the place of a slot in the queue.
type place struct {
	unix, minute     int64 // when it comes, and when it was to come
	work, line, slot int32
}

// pending is the next slot of a campaign, or one that waits.
type pending struct {
	at    time.Time
	work  int
	slot  Slot
	waits bool
	known bool // it is counted as waiting
}

// newFold begins with what is known now.
func newFold(a *Account, now time.Time, booked bool) *fold {
	now = a.AccountFacts.TrueTime(now)
	f := &fold{a: a, booked: booked, uses: a.Uses.clone(), now: now, widest: max(a.Uses.widestDistance(), time.Minute)}
	all := slices.Clone(a.Campaigns)
	slices.SortStableFunc(all, func(x, y *Campaign) int { return strings.Compare(x.ID, y.ID) })
	f.work, f.queue = make([]*work, 0, len(all)), make([]place, 0, len(all)+8)
	for _, c := range all {
		m := a.Memories[c.ID]
		// A plan must not leave a trace in what it was given: the bot decides by it next.
		m.Items, m.Recent = slices.Clone(m.Items), slices.Clone(m.Recent) // take changes nothing else in place
		if m.Force.Since.IsZero() {
			m = Revise(c, m, now)
		}
		f.widest = max(f.widest, c.KeepApart)
		f.work = append(f.work, &work{c, m, m.undecidedSlots(c)})
		f.queueNext(len(f.work) - 1)
	}
	return f
}

// undecidedSlots returns the slots that are not decided.
func (m *Memory) undecidedSlots(c *Campaign) *calendar {
	since := m.Force.Since
	first := since
	for _, id := range m.Force.Open {
		at := id.Day.At(id.Clock, c.Zone)
		if to, moved := m.Rescheduled[id]; moved {
			at = to.To
		}
		if at.Before(first) {
			first = at
		}
	}
	k := c.calendarFrom(LaterTime(first, m.Upto.Add(-24*time.Hour)), since, m.Force.Open)
	if len(m.Rescheduled) > 0 {
		k.moveSlots(m.Rescheduled)
	}
	return k
}

// queueNext puts the next slot of a campaign into the queue.
func (f *fold) queueNext(i int) {
	w := f.work[i]
	s, ok := w.cal.next()
	for ok && !f.booked && w.m.isDecided(s.ID) {
		s, ok = w.cal.next()
	}
	if ok {
		f.push(pending{at: LaterTime(s.Minute, f.now), work: i, slot: s})
	}
}

// wait puts a slot off. A wanted one still has to be reported.
func (f *fold) wait(p pending, until time.Time, wanted bool) {
	p.at, p.waits, p.known = until, true, wanted
	if wanted {
		f.waiting++
	}
	f.push(p)
}

// input is what decide is asked.
func (f *fold) input(p *pending) input {
	w := f.work[p.work]
	in := input{Campaign: w.c, Slot: p.slot, Memory: &w.m, Uses: &f.uses, AccountFacts: &f.a.AccountFacts, Now: f.now, widest: f.widest}
	if p.waits {
		in.after = p.at
	}
	return in
}

// noteDecided remembers what was decided.
func (f *fold) noteDecided(p *pending, v *Verdict) {
	w := f.work[p.work]
	takeInPlace(w.c, &w.m, &f.uses, v)
	if f.taken++; f.taken%64 == 0 {
		// Now and then, or a plan over a year would look through a year of publications for each slot.
		f.uses.forgetOld(p.at.Add(-max(f.widest, f.a.AccountFacts.Budget.Most.Per)))
	}
}

// pop returns the next slot before to, or one that waits and came before to.
func (f *fold) pop(to time.Time) (pending, bool) {
	if len(f.queue) == 0 || f.queue[0].unix >= to.Add(time.Second-1).Unix() && f.waiting == 0 {
		return pending{}, false
	}
	first, last := f.queue[0].slot, len(f.queue)-1
	p := f.slots[first]
	f.free = append(f.free, first)
	f.queue[0] = f.queue[last]
	f.queue = f.queue[:last]
	f.sink()
	if p.known {
		f.waiting--
	}
	// One that waits has let the next one of its campaign in already, when it came the first time.
	if !p.waits {
		f.queueNext(p.work)
	}
	return p, true
}

// less orders slots by the minute in which they come; those of the same minute by when they were to come, by the names of their
// campaigns, and as they are written. So it makes no difference whether a slot has begun to wait.
func (f *fold) less(i, j int) bool {
	a, b := &f.queue[i], &f.queue[j]
	switch {
	case a.unix != b.unix:
		return a.unix < b.unix
	case a.minute != b.minute: //mutate:slots-order
		return a.minute < b.minute
	case a.work != b.work:
		return a.work < b.work
	}
	return a.line < b.line
}

func (f *fold) push(p pending) {
	slot := int32(len(f.slots))
	if n := len(f.free); n > 0 {
		slot, f.free = f.free[n-1], f.free[:n-1]
		f.slots[slot] = p
	} else {
		f.slots = append(f.slots, p)
	}
	f.queue = append(f.queue, place{p.at.Unix(), p.slot.Minute.Unix(), int32(p.work), int32(p.slot.Line), slot})
	for i := len(f.queue) - 1; i > 0 && f.less(i, (i-1)/2); i = (i - 1) / 2 {
		f.queue[i], f.queue[(i-1)/2] = f.queue[(i-1)/2], f.queue[i]
	}
}

// sink puts the first of the queue into its place.
func (f *fold) sink() {
	for i := 0; ; {
		least := i
		for j := 2*i + 1; j <= 2*i+2 && j < len(f.queue); j++ {
			if f.less(j, least) {
				least = j
			}
		}
		if least == i {
			return
		}
		f.queue[i], f.queue[least] = f.queue[least], f.queue[i]
		i = least
	}
}
