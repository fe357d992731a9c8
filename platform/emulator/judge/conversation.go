package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/words"
)

// publications is the conversation that stands for what the account publishes.
const publications platform.UserID = 0

// debt is something that is owed until it arrives, or until nobody can ask for it any more.
type debt struct{ arrived, excused bool }

func (d debt) owed() bool { return !d.arrived && !d.excused }

// oweReply returns a new debt and counts it.
func (j *judge) oweReply(excused bool) debt {
	if !excused {
		j.owed++
	}
	return debt{excused: excused}
}

// due is a reply that is owed.
type due struct {
	debt
	text string
	said string             // the message that it answers
	id   platform.MessageID // of that
	at   time.Time          // when that was said
	twin int                // the next one of the same text; 0: none yet
}

// note is a message that is owed for something else than a message. It has no place in the order
// of the conversation.
type note struct {
	debt
	text string
	kind emulator.EntryKind // what it is for
}

// arrival is a message that arrived and was no note.
type arrival struct {
	text string
	due  int // its place in the order of the conversation; -1: none
}

// conversation is what the bot owes to one person, and what arrived there.
type conversation struct {
	peer    platform.UserID
	blocked bool

	due     []due            // in the order in which the messages were said
	waiting map[string]twins // by text: what of due has not arrived
	arrived []arrival

	notes  map[string][]*note // by text: what is addressed to peer and has not arrived
	owing  []*note            // for the deeds of peer, wherever they are addressed
	wishes []*toggle          // for the deeds of peer
}

// twins is a run of places in conversation.due with the same text.
type twins struct{ first, last int }

// conversationWith returns that of peer, new when it is the first time.
func (j *judge) conversationWith(peer platform.UserID) *conversation {
	c := j.conversations[peer]
	if c == nil {
		c = &conversation{peer: peer}
		j.conversations[peer] = c
		j.inOrder = append(j.inOrder, c)
	}
	return c
}

// expectDue appends d to what is due.
func (c *conversation) expectDue(d due) {
	if c.waiting == nil {
		c.waiting = map[string]twins{}
	}
	place := len(c.due)
	c.due = append(c.due, d)
	t, known := c.waiting[d.text]
	if known {
		c.due[t.last].twin = place
	} else {
		t.first = place
	}
	t.last = place
	c.waiting[d.text] = t
}

// take returns the place of the first reply of that text that has not arrived; -1: none.
func (c *conversation) take(text string) int {
	t, known := c.waiting[text]
	if !known {
		return -1
	}
	place := t.first
	if place == t.last {
		delete(c.waiting, text)
	} else {
		t.first = c.due[place].twin
		c.waiting[text] = t
	}
	return place
}

// takeNote returns the first note of that text that has not arrived, or nil. One that is owed comes
// before one that need not arrive any more.
func (c *conversation) takeNote(text string) *note {
	waiting := c.notes[text]
	if len(waiting) == 0 {
		return nil
	}
	place := max(0, slices.IndexFunc(waiting, func(n *note) bool { return n.owed() }))
	n := waiting[place]
	c.notes[text] = slices.Delete(waiting, place, place+1)
	return n
}

// set changes a debt and keeps the count of what is owed.
func (j *judge) set(d *debt, to debt) {
	if d.owed() {
		j.owed--
	}
	*d = to
	if d.owed() {
		j.owed++
	}
}

// noteArrived enters a message or a post of the account and matches it with the first one of its text
// that is due. What was not asked for at this time is no answer to what is asked later.
func (j *judge) noteArrived(c *conversation, e emulator.Entry) {
	text := strings.TrimSpace(e.Text)
	place := c.take(text)
	if place < 0 {
		if n := c.takeNote(text); n != nil {
			j.set(&n.debt, debt{arrived: true})
			return
		}
		j.surplus(c, text)
		return
	}
	d := &c.due[place]
	j.set(&d.debt, debt{arrived: true})
	j.count.Replies++
	took := e.At.Sub(d.at)
	j.latencies = append(j.latencies, took)
	if j.expect.Answered != nil {
		j.expect.Answered(d.id, e.At)
	}
	if j.expect.Within > 0 && took > j.expect.Within {
		j.count.Late++
		j.found.add("late: %s waited %v for %s", j.nameOf(c), took, words.QuoteExcerpt(text))
	}
	c.arrived = append(c.arrived, arrival{text, place})
}

// surplus enters what arrived and was not due.
func (j *judge) surplus(c *conversation, text string) {
	j.count.Doubled++
	c.arrived = append(c.arrived, arrival{text, -1})
	if j.found.isFull() {
		return
	}
	if c.knows(text) {
		j.found.add("doubled: %s got %s once more than was due", j.nameOf(c), words.QuoteExcerpt(text))
	} else {
		j.found.add("not due: %s got %s", j.nameOf(c), words.QuoteExcerpt(text))
	}
}

// knows reports whether text was ever due.
func (c *conversation) knows(text string) bool {
	if _, noticed := c.notes[text]; noticed {
		return true
	}
	return slices.ContainsFunc(c.due, func(d due) bool { return d.text == text })
}

// judgeReplies counts what is missing and what is out of order, and tells it in words; name is that of
// the person.
func (c *conversation) judgeReplies(v *Verdict, d *details, name string) {
	for _, missing := range c.due {
		if missing.owed() {
			v.Lost++
			d.add("lost: %s said %s and never got %s", name, words.QuoteExcerpt(missing.said), words.QuoteExcerpt(missing.text))
		}
	}
	for _, n := range c.owing {
		if n.owed() {
			v.Lost++
			d.add("lost: %s %s and never got %s", name, n.kind, words.QuoteExcerpt(n.text))
		}
	}
	if n := c.outOfOrder(); n > 0 {
		v.OutOfOrder += n
		first, second := c.firstOvertaking()
		d.add("out of order: %s got %s before %s (%d such)", name, words.QuoteExcerpt(first), words.QuoteExcerpt(second), n)
	}
}

// notify enters what is owed once for a cause. The second time it only stands again.
func (j *judge) notify(c *conversation, why cause, to *conversation, texts func() []string) {
	if known, again := j.notes[why]; again {
		for _, n := range known {
			j.set(&n.debt, debt{arrived: n.arrived, excused: c.blocked})
		}
		return
	}
	j.notes[why] = nil
	for _, text := range texts() {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		n := &note{text: text, kind: why.kind, debt: j.oweReply(c.blocked)}
		j.notes[why] = append(j.notes[why], n)
		c.owing = append(c.owing, n)
		if to.notes == nil {
			to.notes = map[string][]*note{}
		}
		to.notes[text] = append(to.notes[text], n)
	}
}

// noteWithdrawn enters that a person took the cause back.
func (j *judge) noteWithdrawn(why cause) {
	for _, n := range j.notes[why] {
		j.set(&n.debt, debt{arrived: n.arrived, excused: true})
	}
}

// noteBlocked enters a block between the account and the person, from either side, or its end. What
// was not answered by then cannot be.
func (j *judge) noteBlocked(c *conversation, on bool) {
	c.blocked = on
	if !on {
		return
	}
	for i := range c.due {
		j.set(&c.due[i].debt, debt{arrived: c.due[i].arrived, excused: true})
	}
	for _, n := range c.owing {
		j.set(&n.debt, debt{arrived: n.arrived, excused: true})
	}
	for _, t := range c.wishes {
		j.excuseToggle(t)
	}
	j.excuseToggle(j.follows.toggleOf(int64(c.peer)))
}
