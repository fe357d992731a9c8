package platform

import "strings"

// The readers of list rows. Each reports false for a row that does not say what it is about: such a
// row can neither be acted on nor told from others.

func readChat(v value) (c Chat, ok bool) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "user_id":
			c.Peer = UserID(o.val.id())
		case "chat_id":
			c.Chat = ChatID(o.val.id())
		case "username":
			c.Username = o.val.username()
		case "name":
			c.Name = o.val.prose()
		case "last_message":
			c.Last = o.val.prose()
		case "new_messages":
			c.Unread = o.val.count()
		case "time":
			c.Time = o.val.prose()
		}
	}
	return c, c.Peer != 0
}

func readMessage(v value) (m Message, ok bool) {
	var ownKnown, right bool
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id":
			m.ID = MessageID(o.val.id())
		case "sent_by":
			m.From = UserID(o.val.id())
		case "sent_to":
			m.To = UserID(o.val.id())
		case "owner":
			m.Own, ownKnown = o.val.boolean()
		case "side":
			right = string(o.val) == `"right"`
		case "message":
			m.Text = o.val.prose()
		case "media_type":
			m.MediaType = o.val.word()
		case "media_file":
			m.MediaURL = o.val.address()
		case "seen":
			m.Seen = !o.val.nothing() // only "0" is documented, for unseen
		case "time":
			m.Time = o.val.prose()
		}
	}
	if !ownKnown {
		m.Own = right
	}
	return m, m.ID != 0
}

func readNotification(v value) (n Notification, ok bool) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id":
			n.ID = NotificationID(o.val.id())
		case "notifier_id":
			n.From = UserID(o.val.id())
		case "recipient_id":
			n.To = UserID(o.val.id())
		case "subject":
			n.Subject = Subject(o.val.word())
		case "entry_id":
			n.Entry = o.val.id()
		case "post_id":
			n.Post = PostID(o.val.id())
		case "username":
			n.Username = o.val.username()
		case "name":
			n.Name = o.val.prose()
		case "verified":
			n.Verified = o.val.flag()
		case "status":
			n.Read = !o.val.nothing()
		case "time":
			n.Time = o.val.prose()
		}
	}
	if n.Post == 0 && n.Subject.aboutPost() {
		n.Post = PostID(n.Entry)
	}
	return n, n.ID != 0
}

// aboutPost tells whether the entry of a notification is taken for a post (plausible, not documented).
func (s Subject) aboutPost() bool {
	return s == SubjectLike || s == SubjectReply || s == SubjectRepost || s == SubjectMention
}

func readPerson(v value) (p Person, ok bool) {
	var first, last string
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "offset_id":
			p.Row = RowID(o.val.id())
		case "id", "user_id":
			p.ID = UserID(o.val.id())
		case "username", "user_name":
			p.Username = o.val.username()
		case "name":
			p.Name = o.val.prose()
		case "fname", "first_name":
			first = o.val.prose()
		case "lname", "last_name":
			last = o.val.prose()
		case "about":
			p.About = o.val.prose()
		case "verified", "is_verified":
			p.Verified = o.val.flag()
		case "followers":
			p.Followers = o.val.count()
		case "posts":
			p.Posts = o.val.count()
		case "is_following":
			p.IsFollowing = o.val.flag()
		case "is_user":
			p.IsMe = o.val.flag()
		case "pending_req":
			p.Pending = o.val.flag()
		}
	}
	if p.Name == "" {
		p.Name = Profile{FirstName: first, LastName: last}.Name()
	}
	return p, p.ID != 0
}

func readHashtag(v value) (h Hashtag, ok bool) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id":
			h.ID = o.val.id()
		case "tag":
			h.Tag = strings.TrimPrefix(o.val.prose(), "#")
		case "hashtag":
			if h.Tag == "" {
				h.Tag = strings.TrimPrefix(o.val.prose(), "#")
			}
		case "posts":
			h.Posts = o.val.count()
		}
	}
	return h, h.ID != 0
}
