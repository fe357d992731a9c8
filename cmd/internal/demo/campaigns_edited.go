package demo

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What is done to edited campaigns.
const (
	toCorrect = "corrected" // a typo of a text
	toEdit    = "edited"    // a slot is added, or taken away
	toMove    = "moved"     // a slot, by a command
)

// Edited is a campaign of the demo that is changed while it runs: its file, or a minute of it. It publishes texts, on an account of its own. What has to
// come of it is laid down before it begins, by hand and not by the plan, and the platform tells whether it did.
type Edited struct {
	Campaign
	How     string     // toCorrect, toEdit, toMove
	What    string     // of this one
	Was, Is EditedFile // what its file says before and after; the same where a slot is moved
	Moves   []string   // where the slot is moved to, one after another: a time by the clocks of the campaign, or back
	Applies bool       // a person puts the edit in force; otherwise one that waits goes on waiting
	Acts    time.Time  // when it is changed; AfterIt: and the text with the typo has been published
	AfterIt bool
	Until   time.Time // until then it has to be in force, or wait, so that it is certain what comes
	Comes   []Coming  // and nothing else
	Changed time.Time // when it was seen that it is in force, or waits; zero: not before Until
}

// EditedFile is what the file of an edited campaign says.
type EditedFile struct {
	Texts  []string
	Named  bool        // they have ids
	Slots  []time.Time // beside one on each of some days to come
	Repeat string
}

// Coming is a text, and the slot that it has to come in.
type Coming struct {
	At   time.Time
	Text string
}

const (
	editedFrom  = 80 * time.Second        // from the first slot of a demo to the first one that is changed
	editedEvery = time.Minute             // from there to the next ones
	editedApart = 1200 * time.Millisecond // between those that are changed together
	editedAhead = 72 * time.Second        // before its slot a campaign is changed: slots are decided a minute before
	editedSure  = 61 * time.Second        // before its slot that has to be in force
	editedFar   = 10 * time.Minute        // too far ahead to come in a demo
	editedMost  = 12                      // sets of all changes
)

// editedKind is what may be done to a campaign: lay lays down one whose slot is to be changed. It needs another one two minutes before where early is true.
type editedKind struct {
	what  string
	early bool
	lay   func(e *Edited, slot, end time.Time)
}

// editedKinds are all changes: a demo of campaigns has sets of them.
func editedKinds() []editedKind {
	return []editedKind{
		{"a text with an id is corrected", false, func(e *Edited, slot, end time.Time) { e.correct(true, slot, end) }},
		{"a slot is added", false, func(e *Edited, slot, _ time.Time) {
			e.edit(nil, []time.Time{slot}, true, slot)
			e.Applies, e.Acts, e.Until = false, slot.Add(-editedAhead/2), slot.Add(-2*time.Second)
		}},
		{"a slot is moved away", false, func(e *Edited, slot, end time.Time) { e.move(slot, laterSlot(slot, end), end) }},
		{"a slot is taken away", false, func(e *Edited, slot, _ time.Time) {
			e.edit([]time.Time{slot}, nil, false, slot)
		}},
		{"a text without an id is corrected", false, func(e *Edited, slot, end time.Time) { e.correct(false, slot, end) }},
		{"a slot is moved near", false, func(e *Edited, slot, end time.Time) { e.move(slot.Add(editedFar), slot, end) }},
		{"a slot is taken away, and nobody applies it", false, func(e *Edited, slot, _ time.Time) {
			e.edit([]time.Time{slot}, nil, true, slot)
			e.Applies = false
		}},
		{"a slot is moved, and back", false, func(e *Edited, slot, end time.Time) {
			e.move(slot, slot.Add(editedFar), end)
			e.Moves, e.Comes = append(e.Moves, "back"), []Coming{{slot, e.Was.Texts[0]}}
		}},
		{"a text is corrected, and nobody applies it", false, func(e *Edited, slot, _ time.Time) {
			e.correct(true, slot, slot)
			e.Applies, e.Comes = false, nil
		}},
		{"a text is corrected that has had its turn", true, func(e *Edited, slot, _ time.Time) {
			e.correctLate(slot, 2, "each_text: 2 times")
			e.Comes = append(e.Comes, Coming{slot, e.Was.Texts[1]})
		}},
		{"a text is corrected that has come as often as it may", true, func(e *Edited, slot, _ time.Time) { e.correctLate(slot, 1, "each_text: 1 time") }},
		{"a text is corrected within its gap", true, func(e *Edited, slot, _ time.Time) { e.correctLate(slot, 1, "each_text: 3 times, gap: 1d") }},
	}
}

// laterSlot is where a slot is moved to: by a minute where the demo lasts so long.
func laterSlot(slot, end time.Time) time.Time {
	if to := slot.Add(time.Minute); !to.After(end) {
		return to
	}
	return slot.Add(editedFar)
}

// correct lets the first of two texts have a typo that is corrected before it comes. The other one has the slot after it, where there is time for one.
func (e *Edited) correct(named bool, slot, end time.Time) {
	other := "Something else of " + e.ID + ": the cherries are ripe, and the market is open"
	e.How, e.Applies = toCorrect, true
	e.Was = EditedFile{Texts: []string{"The asparagus is hre at last: come and see us, says " + e.ID, other}, Named: named, Slots: []time.Time{slot}, Repeat: "each_text: 1 time"}
	e.Comes = []Coming{{slot, "The asparagus is here at last: come and see us, says " + e.ID}}
	if next := slot.Add(time.Minute); !next.After(end) {
		e.Was.Slots = append(e.Was.Slots, next)
		e.Comes = append(e.Comes, Coming{next, other})
	}
	e.Is = e.Was
	e.Is.Texts = []string{e.Comes[0].Text, other}
}

// correctLate lets the typo of the first of some texts be corrected when it has come, in a slot before. Of the texts, only that comes.
func (e *Edited) correctLate(slot time.Time, texts int, repeat string) {
	e.correct(false, slot, slot)
	first := slot.Add(-2 * time.Minute)
	e.Was.Slots, e.AfterIt, e.Acts = []time.Time{first, slot}, true, first.Add(2*time.Second)
	e.Was.Texts, e.Is.Texts = e.Was.Texts[:texts], e.Is.Texts[:texts]
	e.Was.Repeat, e.Comes = repeat, []Coming{{first, e.Was.Texts[0]}}
	e.Is.Slots, e.Is.Repeat = e.Was.Slots, repeat
}

// edit changes the slots of a campaign.
func (e *Edited) edit(was, is []time.Time, comes bool, slot time.Time) {
	e.How, e.Applies = toEdit, true
	e.Was = EditedFile{Texts: []string{"What " + e.ID + " has to say: the market is open"}, Slots: was, Repeat: "gap: 1d"}
	if e.Is = e.Was; comes {
		e.Comes = []Coming{{slot, e.Was.Texts[0]}}
	}
	e.Is.Slots = is
}

// move gives a slot another minute.
func (e *Edited) move(from, to, end time.Time) {
	e.How, e.Moves = toMove, []string{e.clockText(to)}
	e.Was = EditedFile{Texts: []string{"What " + e.ID + " has to say: the market has moved"}, Slots: []time.Time{from}, Repeat: "each_text: 1 time"}
	if e.Is = e.Was; !to.After(end) {
		e.Comes = []Coming{{to, e.Was.Texts[0]}}
	}
}

// openEdited makes the accounts and the zones of edited campaigns.
func (st *stage) openEdited(begin time.Time) error {
	if !st.demo.hasEdited() {
		return nil
	}
	end, sets := begin.Add(st.demo.Lasts), 0
	for base := begin.Add(editedFrom); base.Before(end) && sets < editedMost; base = base.Add(editedEvery) {
		if !st.hasClockFor(base.Add(-editedAhead), base.Add(time.Duration(len(editedKinds()))*editedApart)) {
			continue // what a person does while the clock is wrong may be refused
		}
		for range max(st.demo.Campaigns/20, 1) {
			sets++
			at := base
			for _, k := range editedKinds() {
				if at.After(end) || k.early && at.Add(-2*time.Minute).Before(begin) {
					continue
				}
				if err := st.openEditedOf(k, at.Truncate(time.Second), end); err != nil {
					return err
				}
				at = at.Add(editedApart)
			}
		}
	}
	return st.writeEdited(nil)
}

// openEditedOf makes one.
func (st *stage) openEditedOf(k editedKind, slot, end time.Time) error {
	name := fmt.Sprint("edited-", len(st.edited))
	e := &Edited{Campaign: Campaign{ID: name, Account: event.Account(name), First: slot}, What: k.what}
	e.Acts, e.Until = slot.Add(-editedAhead), slot.Add(-editedSure)
	k.lay(e, slot, end)
	st.shops[e.Account] = st.platform.AddAccount(emulator.Person{Username: name}, shopEmail(e.Account), demoPassword)
	st.edited = append(st.edited, e)
	return e.writeZone(st.zonesFolder())
}

// hasEdited reports whether campaigns are changed while they run. It takes a minute until a slot comes after that: a slot is decided a minute before.
func (d *Demo) hasEdited() bool { return d.Campaigns > 0 && !d.Talks && d.Lasts >= editedFrom }
