package emulator

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// unknownSubject is what a notification is about that no documentation names.
const unknownSubject platform.Subject = "announcement"

// notification is a row of somebody's lists.
type notification struct {
	id      platform.NotificationID
	shown   platform.NotificationID // the id under which it shows; 0: its own
	from    *user
	to      *user
	subject platform.Subject
	entry   int64
	post    platform.PostID // 0 for those that are about no post
	at      time.Time
	read    bool
}

// notify tells to about something that from did.
func (p *Platform) notify(n notification) {
	if n.from == n.to || n.to.blocked[n.from] {
		return
	}
	n.at = time.Now()
	list := n.to.notificationList(n.subject)
	if p.dialect.UnknownSubjects {
		other := n
		other.id, other.subject, other.entry, other.post = p.ids.nextNotification(), unknownSubject, 0, 0
		*list = append(*list, &other)
	}
	n.id = p.ids.nextNotification()
	p.misnumbered.numberRow(&n)
	*list = append(*list, &n)
}

// withdrawNotice takes back what notify told: the row vanishes.
func (p *Platform) withdrawNotice(n notification) {
	list := n.to.notificationList(n.subject)
	for i, row := range slices.Backward(*list) {
		if row.from == n.from && row.subject == n.subject && row.entry == n.entry {
			*list = slices.Delete(*list, i, i+1)
			return
		}
	}
}

// notificationList returns the list in which notifications about that subject stand.
func (u *user) notificationList(s platform.Subject) *[]*notification {
	if s == platform.SubjectMention {
		return &u.mentions
	}
	return &u.notifs
}

// getNotifications serves GET and POST get_notifications: ids descend, offset is the last id.
func (p *Platform) getNotifications(c *call) {
	var rows []*notification
	switch platform.NotificationType(c.params.get("type")) {
	case platform.Notifs:
		rows = c.account.notifs
	case platform.Mentions:
		rows = c.account.mentions
	default:
		c.refuseCall(&refusal{codeInvalid, "Notification type is missing or invalid", "invalid_type"})
		return
	}
	rows = p.pageOf(c, p.misnumbered.rowsInOrder(rows))
	c.answerArranged("Fetched successfully", len(rows), func(i int) {
		n := rows[len(rows)-1-i]
		c.writeNotification(n, c.now)
		n.read = n.read || c.dialect.FetchReads
	})
}

// pageOf returns a page of rows, which are sorted by id, in the opposite order of that in which they are shown.
func (p *Platform) pageOf(c *call, rows []*notification) []*notification {
	offset := c.params.id("offset")
	if c.dialect.NoOffset {
		offset = 0
	}
	size := p.pageSize(int(c.params.id("page_size")), standardPage)
	at, found := slices.BinarySearchFunc(rows, offset, func(n *notification, id int64) int {
		return cmp.Compare(int64(n.shownID()), id)
	})
	if c.dialect.RowsAscending {
		if found {
			at++
		}
		rows = slices.Clone(rows[at:])
		rows = rows[:min(len(rows), size)]
		slices.Reverse(rows)
		return rows
	}
	if offset > 0 {
		rows = rows[:at]
	}
	if e := p.unendingOf(c, platform.NotificationType(c.params.get("type")), 0); e != nil {
		return e.addRows(p, rows, c.account, offset)
	}
	return rows[max(0, len(rows)-size):]
}

func (e *encoder) writeNotification(n *notification, now time.Time) {
	e.openObject()
	e.writeNumber("id", int64(n.shownID()))
	e.writeNumber("notifier_id", int64(n.from.id))
	e.writeNumber("recipient_id", int64(n.to.id))
	e.writeDigit("status", n.read)
	e.text("subject", string(n.subject))
	e.writeNumber("entry_id", n.entry)
	e.text("json", "[]")
	e.writeAgo(n.at, now)
	e.writeUsername("username", n.from)
	e.text("avatar", n.from.avatarURL())
	e.writeDigit("verified", n.from.person.Verified)
	e.writeWords("name", n.from.fullName())
	if n.post != 0 {
		e.text("url", postURL(n.post))
	} else {
		e.text("url", n.from.profileURL())
	}
	if n.post != 0 && !e.dialect.NoPostID {
		e.writeNumber("post_id", int64(n.post))
	}
	e.writeExtra()
	e.closeObject()
}

// deleteNotifications serves POST delete_notifs. Clients send the ids as JSON, or as an array.
func (p *Platform) deleteNotifications(c *call) {
	gone := map[platform.NotificationID]bool{}
	for _, v := range c.params.all("scope") {
		var list []platform.NotificationID
		if json.Unmarshal([]byte(v), &list) != nil {
			id, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				continue
			}
			list = []platform.NotificationID{platform.NotificationID(id)}
		}
		for _, id := range list {
			gone[id] = true
		}
	}
	if len(gone) == 0 {
		c.refuseCall(&refusal{codeInvalid, "Notification IDs are missing or invalid", "invalid_scope"})
		return
	}
	struck := func(n *notification) bool { return gone[n.shownID()] }
	c.account.notifs = slices.DeleteFunc(c.account.notifs, struck)
	c.account.mentions = slices.DeleteFunc(c.account.mentions, struck)
	c.done("Notifications deleted successfully")
}
