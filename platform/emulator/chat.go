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

// chat returns owner's chat with peer, new if they never wrote.
func (p *Platform) chat(owner, peer *user) *chat {
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
	c.show(m)
	c.other.unread++
	c.other.show(m)
}

// show makes m the last message of the chat.
func (c *chat) show(m *message) {
	c.last, c.version = m, -1
	c.owner.chats.toFront(c)
}

// sees reports whether the owner sees m.
func (c *chat) sees(m *message) bool { return m.id > c.cleared && !m.goneFor(c.owner) }

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

// forget takes one message out of the owner's sight.
func (c *chat) forget(m *message) {
	m.gone[m.side(c.owner)] = true
	if m.to == c.owner && m.id > c.seen {
		c.unread--
	}
	c.version = -1
}

// text returns the last message that the owner sees, as the list shows it.
func (c *chat) text(cut int) string {
	for i := len(c.log.list) - 1; i >= 0 && c.log.list[i].id > c.cleared; i-- {
		if m := c.log.list[i]; c.sees(m) {
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

func (l *chats) toFront(c *chat) {
	if l.newest == c {
		return
	}
	l.remove(c)
	c.older = l.newest
	if c.older != nil {
		c.older.newer = c
	}
	l.newest = c
	c.listed = true
	l.count++
}

func (l *chats) remove(c *chat) {
	if !c.listed {
		return
	}
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		l.newest = c.older
	}
	if c.older != nil {
		c.older.newer = c.newer
	}
	c.newer, c.older, c.listed = nil, nil, false
	l.count--
}

// render encodes the row of the chat list, in two halves around the time.
func (c *chat) render(e *encoder, version int) {
	start := len(e.buf)
	e.openObject()
	e.number("user_id", int64(c.peer.id))
	e.username("username", c.peer)
	e.words("name", c.peer.fullName())
	e.text("avatar", c.peer.avatar())
	e.digit("verified", c.peer.person.Verified)
	e.number("chat_id", int64(c.log.id))
	c.head = append(c.head[:0], e.buf[start:]...)
	mid := len(e.buf)
	e.prose("last_message", c.text(e.dialect.LastCut))
	e.unread(c.unread)
	e.text("chat_url", site+"conversation/@"+c.peer.person.Username)
	e.extra()
	e.closeObject()
	c.tail = append(c.tail[:0], e.buf[mid:]...)
	c.version = version
	e.buf = e.buf[:start]
}

func (e *encoder) unread(n int) {
	switch {
	case e.dialect.Unread == UnreadNumber:
		e.number("new_messages", int64(n))
	case n == 0:
		e.text("new_messages", "")
	case e.dialect.Unread == UnreadText:
		e.key("new_messages")
		e.integer(int64(n), true)
	default:
		e.number("new_messages", int64(n))
	}
}
