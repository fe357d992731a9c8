package emulator

import (
	"cmp"
	"slices"

	"github.com/nectar-bot/nectar/platform"
)

// misnumbering is what shows under ids that are not its own: as a database does that was restored, moved, or
// written to by hand.
type misnumbering struct {
	nextMessage map[[2]platform.UserID]platform.MessageID
	nextRow     map[platform.UserID]platform.NotificationID
	messages    []*message
	rows        []*notification
}

// MisnumberMessage lets the next message of one person to another show under an id that is not its own, until
// Renumber or DropMisnumbered. It stands where that id belongs.
func (p *Platform) MisnumberMessage(from, to platform.UserID, as platform.MessageID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.misnumbered.nextMessage == nil {
		p.misnumbered.nextMessage = map[[2]platform.UserID]platform.MessageID{}
	}
	p.misnumbered.nextMessage[[2]platform.UserID{from, to}] = as
}

// MisnumberNotification lets the next row of somebody's notification lists show under an id that is not its own,
// until Renumber or DropMisnumbered.
func (p *Platform) MisnumberNotification(to platform.UserID, as platform.NotificationID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.misnumbered.nextRow == nil {
		p.misnumbered.nextRow = map[platform.UserID]platform.NotificationID{}
	}
	p.misnumbered.nextRow[to] = as
}

// MisnumberLastMessage lets the last message of one person to another show under an id that is not its own.
func (p *Platform) MisnumberLastMessage(from, to platform.UserID, as platform.MessageID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range slices.Backward(p.users[from].chats.by[p.users[to]].talk.list) {
		if m.from.id == from {
			m.shown = as
			p.misnumbered.messages = append(p.misnumbered.messages, m)
			return
		}
	}
}

// MisnumberLastNotification lets the last row of somebody's notifications show under an id that is not its own.
func (p *Platform) MisnumberLastNotification(to platform.UserID, as platform.NotificationID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rows := p.users[to].notifs; len(rows) > 0 {
		n := rows[len(rows)-1]
		n.shown = as
		p.misnumbered.rows = append(p.misnumbered.rows, n)
	}
}

// Renumber lets everything show under its own id again.
func (p *Platform) Renumber() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.misnumbered.messages {
		m.shown = 0
	}
	for _, n := range p.misnumbered.rows {
		n.shown = 0
	}
	p.misnumbered = misnumbering{}
}

// DropMisnumbered takes everything out of everybody's sight that shows under an id that is not its own.
func (p *Platform) DropMisnumbered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.misnumbered.messages {
		c := m.from.chats.by[m.to]
		c.forget(m)
		c.other.forget(m)
		m.shown = 0
	}
	for _, n := range p.misnumbered.rows {
		list := n.to.list(n.subject)
		*list = slices.DeleteFunc(*list, func(row *notification) bool { return row == n })
	}
	p.misnumbered = misnumbering{}
}

// message gives a new message the id that it is to show.
func (n *misnumbering) message(m *message) {
	pair := [2]platform.UserID{m.from.id, m.to.id}
	as, is := n.nextMessage[pair]
	if is {
		delete(n.nextMessage, pair)
		m.shown = as
		n.messages = append(n.messages, m)
	}
}

// row gives a new notification the id that it is to show.
func (n *misnumbering) row(row *notification) {
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
