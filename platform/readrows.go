package platform

import (
	"strings"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// The readers of list rows. Each reports false for a row that does not say what it is about: such a
// row can neither be acted on nor told from others.

func readChat(v wire.Value) (c Chat, ok bool) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "user_id":
			c.Peer = UserID(o.Val.ID())
		case "chat_id":
			c.Chat = ChatID(o.Val.ID())
		case "username":
			c.Username = o.Val.Username()
		case "name":
			c.Name = o.Val.Name()
		case "last_message":
			c.Last = o.Val.Said()
			if came := o.Val.Prose(); came != c.Last {
				c.Marked = came
			}
		case "new_messages":
			c.Unread = o.Val.Count()
		case "time":
			c.Time = o.Val.Name()
		}
	}
	return c, c.Peer != 0
}

func readMessage(v wire.Value) (m Message, ok bool) {
	var ownKnown, right bool
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id":
			m.ID = MessageID(o.Val.ID())
		case "sent_by":
			m.From = UserID(o.Val.ID())
		case "sent_to":
			m.To = UserID(o.Val.ID())
		case "owner":
			m.Own, ownKnown = o.Val.Boolean()
		case "side":
			right = string(o.Val) == `"right"`
		case "message":
			m.Text = o.Val.Said()
		case "media_type":
			m.MediaType = o.Val.Word()
		case "media_file":
			m.MediaURL = o.Val.Address()
		case "seen":
			m.Seen = !o.Val.IsNothing() // only "0" is documented, for unseen
		case "time":
			m.Time = o.Val.Name()
		}
	}
	if !ownKnown {
		m.Own = right
	}
	return m, m.ID != 0
}

func readNotification(v wire.Value) (n Notification, ok bool) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id":
			n.ID = NotificationID(o.Val.ID())
		case "notifier_id":
			n.From = UserID(o.Val.ID())
		case "recipient_id":
			n.To = UserID(o.Val.ID())
		case "subject":
			n.Subject = Subject(o.Val.Word())
		case "entry_id":
			n.Entry = o.Val.ID()
		case "post_id":
			n.Post = PostID(o.Val.ID())
		case "username":
			n.Username = o.Val.Username()
		case "name":
			n.Name = o.Val.Name()
		case "verified":
			n.Verified = o.Val.Flag()
		case "status":
			n.Read = !o.Val.IsNothing()
		case "time":
			n.Time = o.Val.Name()
		}
	}
	// Where the row does not name its post, Entry is the id of the post. For a follow, say, it is something else.
	if n.Post == 0 && n.Subject.aboutPost() {
		n.Post = PostID(n.Entry)
	}
	return n, n.ID != 0
}

// aboutPost reports whether the entry of a notification is taken for a post (plausible, not documented).
func (s Subject) aboutPost() bool {
	return s == SubjectLike || s == SubjectReply || s == SubjectRepost || s == SubjectMention
}

func readPerson(v wire.Value) (p Person, ok bool) {
	var first, last string
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "offset_id":
			p.Row = RowID(o.Val.ID())
		case "id", "user_id":
			p.ID = UserID(o.Val.ID())
		case "username", "user_name":
			p.Username = o.Val.Username()
		case "name":
			p.Name = o.Val.Name()
		case "fname", "first_name":
			first = o.Val.Name()
		case "lname", "last_name":
			last = o.Val.Name()
		case "about":
			p.About = o.Val.Prose()
		case "verified", "is_verified":
			p.Verified = o.Val.Flag()
		case "followers":
			p.Followers = o.Val.Count()
		case "posts":
			p.Posts = o.Val.Count()
		case "is_following":
			p.IsFollowing = o.Val.Flag()
		case "is_user":
			p.IsMe = o.Val.Flag()
		case "pending_req":
			p.Pending = o.Val.Flag()
		}
	}
	if p.Name == "" {
		p.Name = Profile{FirstName: first, LastName: last}.Name()
	}
	// Nothing can be done with somebody who has no id; the row still counts for whether the page was full.
	return p, p.ID != 0
}

func readHashtag(v wire.Value) (h Hashtag, ok bool) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id":
			h.ID = o.Val.ID()
		case "tag":
			h.Tag = strings.TrimPrefix(o.Val.Name(), "#")
		case "hashtag":
			if h.Tag == "" {
				h.Tag = strings.TrimPrefix(o.Val.Name(), "#")
			}
		case "posts":
			h.Posts = o.Val.Count()
		}
	}
	return h, h.ID != 0
}
