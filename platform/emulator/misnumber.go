package emulator

import (
	"cmp"
	"slices"

	"github.com/nectar-bot/nectar/platform"
)

// misnumbering says which rows are shown under wrong ids, as a database shows them that was restored, moved,
// or written to by hand.
type misnumbering struct {
	nextMessage map[[2]platform.UserID]platform.MessageID
	nextRow     map[platform.UserID]platform.NotificationID
	messages    []*message
	rows        []*notification
}

// Misnumbered is a message, or a row of notifications, that shows under an id that is not its own.
type Misnumbered struct {
	From platform.UserID // who wrote the message; 0 for a row of the notification lists of To
	To   platform.UserID
	As   int64 // the id
	Last bool  // the last one that there is, not the next one to come; it keeps its place
}

// Misnumber lets something show under an id that is not its own, until Renumber. What is to come stands where that id
// belongs.
func (p *Platform) Misnumber(m Misnumbered) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch to := p.users[m.To]; {
	case m.From != 0 && m.Last:
		p.misnumbered.lastMessage(p.users[m.From], to, platform.MessageID(m.As))
	case m.From != 0:
		if p.misnumbered.nextMessage == nil {
			p.misnumbered.nextMessage = map[[2]platform.UserID]platform.MessageID{}
		}
		p.misnumbered.nextMessage[[2]platform.UserID{m.From, m.To}] = platform.MessageID(m.As)
	case m.Last:
		p.misnumbered.lastRow(to, platform.NotificationID(m.As))
	default:
		if p.misnumbered.nextRow == nil {
			p.misnumbered.nextRow = map[platform.UserID]platform.NotificationID{}
		}
		p.misnumbered.nextRow[m.To] = platform.NotificationID(m.As)
	}
}

func (n *misnumbering) lastMessage(from, to *user, as platform.MessageID) {
	for _, m := range slices.Backward(from.chats.by[to].log.list) {
		if m.from == from {
			m.shown = as
			n.messages = append(n.messages, m)
			return
		}
	}
}

func (n *misnumbering) lastRow(to *user, as platform.NotificationID) {
	if rows := to.notifs; len(rows) > 0 {
		row := rows[len(rows)-1]
		row.shown = as
		n.rows = append(n.rows, row)
	}
}

// Renumber lets everything show under its own id again, or drops what did not: nobody sees it any more.
func (p *Platform) Renumber(drop bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.misnumbered.messages {
		if drop {
			c := m.from.chats.by[m.to]
			c.forgetMessage(m)
			c.other.forgetMessage(m)
		}
		m.shown = 0
	}
	for _, n := range p.misnumbered.rows {
		if drop {
			list := n.to.notificationList(n.subject)
			*list = slices.DeleteFunc(*list, func(row *notification) bool { return row == n })
		} else {
			n.shown = 0
		}
	}
	p.misnumbered = misnumbering{}
}

// numberMessage gives a new message the id that it is to show.
func (n *misnumbering) numberMessage(m *message) {
	pair := [2]platform.UserID{m.from.id, m.to.id}
	as, is := n.nextMessage[pair]
	if is {
		delete(n.nextMessage, pair)
		m.shown = as
		n.messages = append(n.messages, m)
	}
}

// numberRow gives a new notification the id that it is to show.
func (n *misnumbering) numberRow(row *notification) {
	as, is := n.nextRow[row.to.id]
	if is {
		delete(n.nextRow, row.to.id)
		row.shown = as
		n.rows = append(n.rows, row)
	}
}

// shownID returns the id under which a message shows.
func (m *message) shownID() platform.MessageID { return cmp.Or(m.shown, m.id) }

// shownID returns the id under which a notification shows.
func (n *notification) shownID() platform.NotificationID { return cmp.Or(n.shown, n.id) }

// inOrder returns the messages of a conversation by the ids that they show.
func (n *misnumbering) inOrder(list []*message) []*message {
	if len(n.messages) == 0 {
		return list
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *message) int { return cmp.Compare(a.shownID(), b.shownID()) })
	return list
}

// rowsInOrder returns the rows of a list by the ids that they show.
func (n *misnumbering) rowsInOrder(list []*notification) []*notification {
	if len(n.rows) == 0 {
		return list
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *notification) int { return cmp.Compare(a.shownID(), b.shownID()) })
	return list
}

// SkipIDs lets the ids of messages and notifications go on n further up, as those of a platform do on which much
// happens that an account does not see.
func (p *Platform) SkipIDs(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids.message += n
	p.ids.notification += n
}

// NumberAnew gives all messages new ids in their order, beginning with a given one; later messages go on behind them. A platform that was moved into
// another database does the same.
func (p *Platform) NumberAnew(first platform.MessageID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	anew := func(id platform.MessageID) platform.MessageID { // of an id, or of where a mark stands
		return first - 1 + platform.MessageID(searchMessages(p.messages, id+1))
	}
	for _, u := range p.users {
		for _, c := range u.chats.by {
			if c.seen != 0 {
				c.seen = anew(c.seen)
			}
			if c.cleared != 0 {
				c.cleared = anew(c.cleared)
			}
		}
	}
	for i, m := range p.messages {
		m.id, m.shown = first+platform.MessageID(i), 0
	}
	p.ids.message = int64(first) - 1 + int64(len(p.messages))
	p.misnumbered.messages = nil
}
