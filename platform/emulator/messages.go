package emulator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// The standard sizes of pages.
const (
	standardPage = 20
	searchPage   = 50 // of search_messages
)

// getChats serves GET get_chats.
func (p *Platform) getChats(c *call) {
	list := &c.account.chats
	if list.count == 0 && (p.trouble.Phantoms == 0 || !p.trouble.isOfCall(c)) {
		c.answerEmpty()
		return
	}
	c.open("Chats successfully")
	c.openList()
	i := p.writePhantoms(c)
	for row := list.newest; row != nil; row = row.older {
		if row.leftOut() {
			continue
		}
		if row.version != p.dialectVersion {
			row.render(&c.encoder, p.dialectVersion)
		}
		c.beginItem(i)
		c.buf = append(c.buf, row.head...)
		c.writeAgo(row.last.at, c.now)
		c.buf = append(c.buf, row.tail...)
		i++
	}
	c.closeList()
	c.close()
}

// getMessages serves GET get_messages.
func (p *Platform) getMessages(c *call) {
	switch c.dialect.Messages {
	case AbsentPage:
		c.answerMissing()
		return
	case AbsentCode:
		c.refuseCall(refuseEncoding)
		return
	case Present:
	}
	peer := p.users[platform.UserID(c.params.id("user_id"))]
	if peer == nil || peer == c.account {
		c.refuseCall(refuseInterlocutor)
		return
	}
	talk := c.account.chats.by[peer]
	if talk == nil {
		c.answerEmpty()
		return
	}
	asked := c.span(p, standardPage)
	if c.dialect.NoOffset {
		asked.after, asked.before = 0, 0
	}
	c.page = talk.slice(c.page, p.misnumbered.inOrder(talk.log.list), asked, c.dialect.NewestPageFirst)
	if e := p.unendingOf(c, "", peer.id); e != nil {
		c.page = e.addMessages(p, c.page, c.account, asked, c.dialect.NewestPageFirst)
	}
	if c.dialect.MessagesDescending {
		slices.Reverse(c.page)
	}
	c.answerArranged("", len(c.page), func(i int) {
		c.beginMessage(c.page[i], c.account, talk.wasSeen(c.page[i]))
		c.closeObject()
	})
	if !c.dialect.ReadKeepsUnseen {
		talk.markSeen()
	}
}

// span is the part of a conversation that a call asks for.
type span struct {
	after, before platform.MessageID // 0: no limit
	size          int
}

func (c *call) span(p *Platform, standard int) span {
	return span{
		after:  platform.MessageID(c.params.id("offset_down")),
		before: platform.MessageID(c.params.id("offset_up")),
		size:   p.pageSize(int(c.params.id("page_size")), standard),
	}
}

// slice appends the messages of a page that the owner sees, the oldest first: those that follow
// s.after, or else those before s.before, or else the newest.
func (c *chat) slice(page, list []*message, s span, newest bool) []*message {
	if s.before > 0 {
		list = list[:searchMessages(list, s.before)]
	}
	above := max(s.after, c.cleared)
	first, _ := slices.BinarySearchFunc(list, above, func(m *message, id platform.MessageID) int {
		if m.shownID() <= id {
			return -1
		}
		return 1
	})
	list = list[first:]
	if s.after > 0 && !newest {
		for _, m := range list {
			if len(page) == s.size {
				break
			}
			if c.seesMessage(m) {
				page = append(page, m)
			}
		}
		return page
	}
	for _, m := range slices.Backward(list) {
		if len(page) == s.size {
			break
		}
		if c.seesMessage(m) {
			page = append(page, m)
		}
	}
	slices.Reverse(page)
	return page
}

// wasSeen reports whether the reader of m has seen it.
func (c *chat) wasSeen(m *message) bool {
	if m.to == c.owner {
		return m.id <= c.seen
	}
	return m.id <= c.other.seen
}

// searchMessages serves GET search_messages: the newest first, unlike get_messages.
func (p *Platform) searchMessages(c *call) {
	peer := p.users[platform.UserID(c.params.id("user_id"))]
	if peer == nil || peer == c.account {
		c.refuseCall(refuseInterlocutor)
		return
	}
	query := strings.ToLower(strings.TrimSpace(c.params.get("query")))
	s := c.span(p, searchPage)
	talk := c.account.chats.by[peer]
	total := 0
	if talk != nil && query != "" {
		all := talk.slice(nil, p.misnumbered.inOrder(talk.log.list), span{size: len(talk.log.list)}, false)
		for _, m := range slices.Backward(all) {
			if !strings.Contains(strings.ToLower(m.text), query) {
				continue
			}
			total++
			if id := m.shownID(); id > s.after && (s.before == 0 || id < s.before) && len(c.page) < s.size {
				c.page = append(c.page, m)
			}
		}
	}
	if len(c.page) == 0 {
		c.answerEmpty()
		return
	}
	if c.dialect.SearchMessagesOld {
		slices.Reverse(c.page)
	}
	c.open("")
	c.openList()
	for i, m := range c.page {
		c.beginItem(i)
		c.beginMessage(m, c.account, talk.wasSeen(m))
		c.text("media_raw", m.image)
		c.closeObject()
	}
	c.closeList()
	c.writeNumber("total", int64(total))
	c.close()
}

// sendMessage serves POST send_message.
func (p *Platform) sendMessage(c *call) {
	m := message{from: c.account, to: p.users[platform.UserID(c.params.id("user_id"))]}
	kind := c.params.get("type")
	switch {
	case kind == "text":
		m.text = c.params.get("message")
	case kind == "media" && len(c.params.file) > 0:
		m.image = imageURL(c.now, c.params.file[0].Filename)
	default:
		c.refuseCall(refuseMediaType)
		return
	}
	stored, refused := p.send(m, Arrived)
	if refused != nil {
		c.refuseCall(refused)
		return
	}
	if c.dialect.Nameless {
		c.done("Message sent")
		return
	}
	c.open("Message sent")
	c.beginMessage(stored, c.account, false)
	if stored.image != "" {
		c.text("media_name", stored.image[strings.LastIndexByte(stored.image, '/')+1:])
	}
	c.closeObject()
	c.close()
}

// imageURL returns the address of a picture of a message.
func imageURL(at time.Time, name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i:]
	} else {
		name = ""
	}
	return site + "upload/images/" + strconv.FormatInt(at.UnixNano(), 36) + strings.ToValidUTF8(name, "")
}

// deleteMessage serves POST delete_message. The message goes out of the caller's sight only.
func (p *Platform) deleteMessage(c *call) {
	m := p.messageByID(platform.MessageID(c.params.id("message_id")))
	if m == nil || (m.from != c.account && m.to != c.account) || m.goneFor(c.account) {
		c.refuseCall(&refusal{codeInvalid, "Message ID is missing or invalid", "invalid_message_id"})
		return
	}
	peer := m.to
	if peer == c.account {
		peer = m.from
	}
	c.account.chats.by[peer].forgetMessage(m)
	p.ledger.add(Entry{Kind: Deleted, From: c.account.id, To: peer.id, Message: m.id, Text: m.text, ByAPI: true})
	c.done("Message deleted successfully")
}

// clearChat serves POST clear_chat.
func (p *Platform) clearChat(c *call) {
	talk := c.account.chats.by[p.users[platform.UserID(c.params.id("user_id"))]]
	if talk == nil {
		c.refuseCall(refuseInterlocutor)
		return
	}
	talk.clear(c.params.get("delete_chat") == "1")
	c.done("Chat deleted successfully")
}
