package platform

import (
	"strings"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

func readPost(v wire.Value) (p Post, ok bool) {
	p.LikeUntold, p.RepostUntold = true, true // until it tells
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id":
			p.ID = PostID(o.Val.ID())
		case "offset_id":
			p.Row = RowID(o.Val.ID())
		case "user_id":
			p.UserID = UserID(o.Val.ID())
		case "text":
			p.Text = o.Val.Said()
		case "type":
			p.Type = o.Val.Word()
		case "thread_id":
			p.Thread = PostID(o.Val.ID())
		case "time_raw":
			p.Time = o.Val.Instant()
		case "url":
			p.URL = o.Val.Address()
		case "replys_count":
			p.Replies = o.Val.Count()
		case "reposts_count":
			p.Reposts = o.Val.Count()
		case "likes_count":
			p.Likes = o.Val.Count()
		default:
			p.readFlags(o.Key, o.Val)
			p.readParts(o.Key, o.Val)
		}
	}
	if p.UserID == 0 {
		p.UserID = p.Owner.ID
	}
	// An advert may be anything; readers of lists skip it or see that it is one.
	return p, p.ID != 0 || p.Advertising
}

func (p *Post) readFlags(key []byte, v wire.Value) {
	switch string(key) {
	case "has_liked":
		p.HasLiked, p.LikeUntold = v.Told()
	case "has_reposted":
		p.HasReposted, p.RepostUntold = v.Told()
	case "has_saved":
		p.HasSaved = v.Flag()
	case "is_owner":
		p.IsOwner = v.Flag()
	case "is_repost":
		p.IsRepost = v.Flag()
	case "can_delete":
		p.CanDelete = v.Flag()
	case "advertising":
		p.Advertising = v.Flag()
	}
}

func (p *Post) readParts(key []byte, v wire.Value) {
	switch string(key) {
	case "owner":
		p.Owner = readAuthor(v)
	case "reposter":
		p.Reposter = readAuthor(v)
	case "media":
		p.Media = rowsOf(v, readMedia)
	case "replys":
		p.Answers = rowsOf(v, readPost)
	}
}

func readAuthor(v wire.Value) (a Author) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id", "user_id":
			a.ID = UserID(o.Val.ID())
		case "username":
			a.Username = o.Val.Username()
		case "name":
			a.Name = o.Val.Name()
		case "verified":
			a.Verified = o.Val.Flag()
		}
	}
	return a
}

func readMedia(v wire.Value) (m Media, ok bool) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id", "media_id":
			m.ID = MediaID(o.Val.ID())
		case "type":
			m.Type = strings.ToLower(o.Val.Word())
		case "src", "url":
			m.URL = o.Val.Address()
		}
	}
	return m, m != Media{}
}

func readUploaded(v wire.Value) (u Uploaded) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "media_id", "id":
			u.ID = MediaID(o.Val.ID())
		case "type":
			u.Type = strings.ToLower(o.Val.Word())
		case "url", "source":
			u.URL = o.Val.Address()
		case "poster":
			u.Poster = o.Val.Address()
		}
	}
	return u
}

func readThread(v wire.Value) (t Thread, err error) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "can_reply":
			t.CanReply = o.Val.Flag()
		case "post":
			t.Post, _ = readPost(o.Val)
		case "next":
			t.Next = rowsOf(o.Val, readPost)
		case "prev":
			t.Prev = rowsOf(o.Val, readPost)
		}
	}
	if t.Post.ID == 0 {
		return Thread{}, errNoID
	}
	return t, nil
}
