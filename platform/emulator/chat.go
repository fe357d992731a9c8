package emulator

import (
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
)

// chat is what one of two people sees of what they wrote to each other. It is a row of that
// person's chat list.
type chat struct {
	owner, peer *user
	other       *chat // what peer sees
	log         *chatLog
	last        *message           // newest that the owner sees; nil: the list does not show the chat
	unread      int                // messages of peer that were not seen
	seen        platform.MessageID // the owner saw all of peer's messages up to here
	cleared     platform.MessageID // the owner sees nothing up to here
	unlisted    int                // so many lists will leave the chat out

	newer, older *chat // neighbours in the list
	listed       bool

	// The row of get_chats, without its time; valid while version is that of the dialect.
	head, tail []byte
	version    int // -1 when something changed
}

// chatLog is what two people wrote to each other.
type chatLog struct {
	id   platform.ChatID
	list []*message // by id
}

// chats is somebody's chat list, the newest first. It is kept in order as messages come in.
type chats struct {
	by     map[*user]*chat
	newest *chat
	count  int
}

// chatOf returns owner's chat with peer, new if they never wrote.
func (p *Platform) chatOf(owner, peer *user) *chat {
	if c := owner.chats.by[peer]; c != nil {
		return c
	}
	t := &chatLog{id: p.ids.nextChat()}
	mine := &chat{owner: owner, peer: peer, log: t, version: -1}
	theirs := &chat{owner: peer, peer: owner, log: t, version: -1}
	mine.other, theirs.other = theirs, mine
	for _, c := range []*chat{mine, theirs} {
		if c.owner.chats.by == nil {
			c.owner.chats.by = map[*user]*chat{}
		}
		c.owner.chats.by[c.peer] = c
	}
	return mine
}

// append adds a message to both lists. c is the sender's chat.
func (c *chat) append(m *message) {
	c.log.list = append(c.log.list, m)
	c.showMessage(m)
	c.other.unread++
	c.other.showMessage(m)
}

// showMessage makes m the last message of the chat.
func (c *chat) showMessage(m *message) {
	c.last, c.version = m, -1
	c.owner.chats.toFront(c)
}

// seesMessage reports whether the owner sees m.
func (c *chat) seesMessage(m *message) bool { return m.id > c.cleared && !m.goneFor(c.owner) }

// markSeen notes that the owner saw everything.
func (c *chat) markSeen() {
	if n := len(c.log.list); n > 0 {
		c.seen = c.log.list[n-1].id
	}
	if c.unread > 0 {
		c.unread, c.version = 0, -1
	}
}

// clear takes all messages out of the owner's sight, and the chat out of the list if asked to.
func (c *chat) clear(unlist bool) {
	if n := len(c.log.list); n > 0 {
		c.cleared = c.log.list[n-1].id
	}
	c.markSeen()
	c.version = -1
	if unlist {
		c.owner.chats.remove(c)
		c.last = nil
	}
}

// forgetMessage takes one message out of the owner's sight.
func (c *chat) forgetMessage(m *message) {
	m.gone[m.sideOf(c.owner)] = true
	if m.to == c.owner && m.id > c.seen {
		c.unread--
	}
	c.version = -1
}

// text returns the last message that the owner sees, as the list shows it.
func (c *chat) text(cut int) string {
	for i := len(c.log.list) - 1; i >= 0 && c.log.list[i].id > c.cleared; i-- {
		if m := c.log.list[i]; c.seesMessage(m) {
			return cutText(m.text, cut)
		}
	}
	return ""
}

func cutText(s string, cut int) string {
	if cut <= 0 || len(s) <= cut || utf8.RuneCountInString(s) <= cut {
		return s
	}
	n := 0
	for i := range s {
		if n == cut {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

func (c *chats) toFront(other *chat) {
	if c.newest == other {
		return
	}
	c.remove(other)
	other.older = c.newest
	if other.older != nil {
		other.older.newer = other
	}
	c.newest = other
	other.listed = true
	c.count++
}

func (c *chats) remove(other *chat) {
	if !other.listed {
		return
	}
	if other.newer != nil {
		other.newer.older = other.older
	} else {
		c.newest = other.older
	}
	if other.older != nil {
		other.older.newer = other.newer
	}
	other.newer, other.older, other.listed = nil, nil, false
	c.count--
}

// render encodes the row of the chat list, in two halves around the time.
func (c *chat) render(e *encoder, version int) {
	start := len(e.buf)
	e.openObject()
	e.writeNumber("user_id", int64(c.peer.id))
	e.writeUsername("username", c.peer)
	e.writeWords("name", c.peer.fullName())
	e.text("avatar", c.peer.avatarURL())
	e.writeDigit("verified", c.peer.person.Verified)
	e.writeNumber("chat_id", int64(c.log.id))
	c.head = append(c.head[:0], e.buf[start:]...)
	mid := len(e.buf)
	e.writeProse("last_message", c.text(e.dialect.LastCut))
	e.writeUnread(c.unread)
	e.text("chat_url", site+"conversation/@"+c.peer.person.Username)
	e.writeExtra()
	e.closeObject()
	c.tail = append(c.tail[:0], e.buf[mid:]...)
	c.version = version
	e.buf = e.buf[:start]
}

func (e *encoder) writeUnread(n int) {
	switch {
	case e.dialect.Unread == UnreadNumber:
		e.writeNumber("new_messages", int64(n))
	case n == 0:
		e.text("new_messages", "")
	case e.dialect.Unread == UnreadText:
		e.key("new_messages")
		e.writeInteger(int64(n), true)
	default:
		e.writeNumber("new_messages", int64(n))
	}
}
