package campaigns

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Memory is what is remembered of a campaign from slot to slot. It is stored as JSON: what an older version stored must still be
// read. Nothing in it is kept by the number of a line.
type Memory struct {
	Force Force `json:"force"` // what is in force, see Revise

	// Items have the order of the file that is in force; those that are not in it any more stand behind.
	Items []used   `json:"items,omitempty"`
	Place string   `json:"place,omitempty"` // the item that came last in the order of the round
	Last  string   `json:"last,omitempty"`  // the item that came last
	Round int      `json:"round,omitempty"`
	Owed  []string `json:"owed,omitempty"` // items that were passed over, and come first the next time

	Whole  int       `json:"whole,omitempty"`  // publications
	Recent times     `json:"recent,omitempty"` // the publications that rolling limits count
	Book   Book      `json:"book,omitempty"`   // the slots that are open, and those of the last days
	Upto   time.Time `json:"upto,omitzero"`    // the Minute of the latest slot that was decided

	Skips map[SlotID]Note   `json:"skips,omitempty"` // single slots that a person has taken out
	Moved map[SlotID]SlotID `json:"moved,omitempty"` // slots that stand, under a new clock, for one of the same day that is over
	// Rescheduled are single slots that a person has given another minute. They keep their names.
	Rescheduled map[SlotID]Reschedule `json:"rescheduled,omitempty"`
	Paused      *Note                 `json:"paused,omitempty"`
	Ended       *Note                 `json:"ended,omitempty"`
}

// Force is what is in force of a campaign's slots, and since when.
type Force struct {
	Since  time.Time     `json:"since,omitzero"` // slots before it never existed, but those that were Open then
	Open   []SlotID      `json:"open,omitempty"`
	Zone   string        `json:"zone,omitempty"`
	Starts string        `json:"starts,omitempty"`
	Ends   string        `json:"ends,omitempty"`
	Lines  []string      `json:"lines,omitempty"`
	Except []string      `json:"except,omitempty"`
	Jitter int           `json:"jitter,omitempty"` // minutes
	Behind time.Duration `json:"behind,omitempty"`
	// Keeps says that a slot for which there was no room leaves its post its turn. It is false of what came into force before that was so: a campaign
	// that runs goes on as it was planned, until its slots are written anew.
	Keeps bool `json:"keeps,omitempty"`
}

// keepsTurns is Keeps, which is true where nothing is in force yet.
func (f *Force) keepsTurns() bool { return f.Keeps || f.Since.IsZero() }

// used says how an item was used by its campaign.
type used struct {
	Key   string    `json:"key"`
	Done  int       `json:"done,omitempty"`  // publications, also those that it would have made while on watch
	Turns int       `json:"turns,omitempty"` // rounds in which it had its turn, including rounds that it missed
	Turn  time.Time `json:"turn,omitzero"`   // the slot of its last turn
	Last  time.Time `json:"last,omitzero"`   // its last publication
	Drawn string    `json:"drawn,omitempty"` // the key that it had when its place in rounds was drawn; "" for Key
}

// Note is something that a person decided, or that happened.
type Note struct {
	By  string    `json:"by,omitempty"`
	At  time.Time `json:"at,omitzero"`
	Why string    `json:"why,omitempty"`
	// Until is when it is over by itself; zero: not before somebody ends it.
	Until time.Time `json:"until,omitzero"`
}

// Reschedule is the minute that a person has given a slot.
type Reschedule struct {
	To time.Time `json:"to"`
	Note
}

const (
	// keep is how long a slot that is over stays in a Memory, at least: longer than anything can be late.
	keep = 4 * 24 * time.Hour
	// lump is the span of time that slots are forgotten by, together: the store of the memory writes only what has changed of it.
	lump = 12 * time.Hour
)

// clone returns a memory that may be changed.
func (m *Memory) clone() Memory {
	c := *m
	c.Items, c.Recent = slices.Clone(m.Items), slices.Clone(m.Recent)
	c.Book, c.Skips, c.Moved = maps.Clone(m.Book), maps.Clone(m.Skips), maps.Clone(m.Moved)
	c.Rescheduled = maps.Clone(m.Rescheduled)
	return c // Owed and Force.Open are never changed in place
}

// isDecided reports whether a slot was decided before.
func (m *Memory) isDecided(id SlotID) bool {
	if e, known := m.Book[id]; known && e.State.Decided() { //mutate:slots-twice
		return true
	}
	return false
}

// usedItem returns what is remembered of the i-th item; i counts the items of the campaign.
func (m *Memory) usedItem(i int, key string) used {
	if j := m.at(i, key); j >= 0 {
		return m.Items[j]
	}
	return used{Key: key}
}

// changeItem is usedItem, to be changed.
func (m *Memory) changeItem(i int, key string) *used {
	j := m.at(i, key)
	if j < 0 {
		j = len(m.Items)
		m.Items = append(m.Items, used{Key: key})
	}
	return &m.Items[j]
}

// at finds an item, most likely at i.
func (m *Memory) at(i int, key string) int {
	if i < len(m.Items) && m.Items[i].Key == key { //mutate:slots-by-post
		return i
	}
	return slices.IndexFunc(m.Items, func(u used) bool { return u.Key == key })
}

// forgetOld leaves out what is over for long.
func (m *Memory) forgetOld(now time.Time) {
	old := now.Add(-keep).Truncate(lump)
	day := text.DayOf(old.UTC()).String()
	// A slot that a person moves is over only when both its minutes are: what is known of it holds until then.
	over := func(id SlotID) bool {
		return id.Day.String() < day && m.Rescheduled[id].To.Before(old) //mutate:slots-rescheduled-kept
	}
	maps.DeleteFunc(m.Book, func(id SlotID, e Entry) bool {
		_, moved := m.Rescheduled[id]
		return !e.State.Open() && e.Minute.Before(old) && (!moved || over(id))
	})
	maps.DeleteFunc(m.Skips, func(id SlotID, _ Note) bool { return over(id) })
	maps.DeleteFunc(m.Moved, func(id, _ SlotID) bool { return over(id) })
	maps.DeleteFunc(m.Rescheduled, func(id SlotID, _ Reschedule) bool { return over(id) })
}

// Book says what became of slots, or what is prepared for them.
type Book map[SlotID]Entry

// Asked returns the slots that wait for a person, in the order of their minutes.
func (b Book) Asked() (all []SlotID) {
	for id, e := range b {
		if e.State == Prepared && e.Approved.IsZero() && e.Refused.IsZero() {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, func(x, y SlotID) int {
		return cmp.Or(b[x].Minute.Compare(b[y].Minute), strings.Compare(x.String(), y.String()))
	})
	return all
}

// Entry is a slot in the book.
type Entry struct {
	State  State           `json:"state"`
	Minute time.Time       `json:"minute"` // that the plan shows
	At     time.Time       `json:"at,omitzero"`
	Item   string          `json:"item,omitempty"`
	Post   platform.PostID `json:"post,omitempty"`
	Renew  bool            `json:"renew,omitempty"`
	Row    platform.RowID  `json:"row,omitempty"` // of the post on our own page when it was decided; 0: it was not shown there
	Why    string          `json:"why,omitempty"` // why it stayed empty

	// Of what is prepared: a hash of the words that people saw (of an own text, its TextKey), and what became of the approval.
	Words    string    `json:"words,omitempty"`
	Prepared time.Time `json:"prepared,omitzero"`
	Until    time.Time `json:"until,omitzero"`    // when it is too late, as people were shown it
	Approved time.Time `json:"approved,omitzero"` // when the person gave it
	Refused  time.Time `json:"refused,omitzero"`
	By       string    `json:"by,omitempty"`

	// What was remembered before, for when it does not come about.
	Was   *Use      `json:"was,omitempty"`
	Last  time.Time `json:"last,omitzero"`
	Turns int       `json:"turns,omitempty"`
}

// State is where a slot stands.
type State string

// The states of a slot. Their values are stored; they never change.
const (
	Prepared State = "prepared" // held for a person
	Going    State = "going"    // decided: it waits for its minute, or is on its way
	Done     State = "done"     // published
	Would    State = "would"    // would have been published, but for the status watch
	Empty    State = "empty"    // skipped, or refused by the platform
)

// Open reports whether something may still be published in the slot.
func (s State) Open() bool { return s == Prepared || s == Going }

// hasHappened reports whether the slot was used: no other one comes in its place.
func (s State) hasHappened() bool { return s == Going || s == Done || s == Would }

// Decided reports whether the slot is over for decide.
func (s State) Decided() bool { return s != Prepared }
