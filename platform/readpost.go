package platform

import "strings"

func readPost(v value) (p Post, ok bool) {
	p.LikeUntold, p.RepostUntold = true, true // until it tells
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id":
			p.ID = PostID(o.val.id())
		case "offset_id":
			p.Row = RowID(o.val.id())
		case "user_id":
			p.UserID = UserID(o.val.id())
		case "text":
			p.Text = o.val.prose()
		case "type":
			p.Type = o.val.word()
		case "thread_id":
			p.Thread = PostID(o.val.id())
		case "time_raw":
			p.Time = o.val.instant()
		case "url":
			p.URL = o.val.address()
		case "replys_count":
			p.Replies = o.val.count()
		case "reposts_count":
			p.Reposts = o.val.count()
		case "likes_count":
			p.Likes = o.val.count()
		default:
			p.readFlags(o.key, o.val)
			p.readParts(o.key, o.val)
		}
	}
	if p.UserID == 0 {
		p.UserID = p.Owner.ID
	}
	// An advert may be anything; readers of lists skip it or see that it is one.
	return p, p.ID != 0 || p.Advertising
}

func (p *Post) readFlags(key []byte, v value) {
	switch string(key) {
	case "has_liked":
		p.HasLiked, p.LikeUntold = v.told()
	case "has_reposted":
		p.HasReposted, p.RepostUntold = v.told()
	case "has_saved":
		p.HasSaved = v.flag()
	case "is_owner":
		p.IsOwner = v.flag()
	case "is_repost":
		p.IsRepost = v.flag()
	case "can_delete":
		p.CanDelete = v.flag()
	case "advertising":
		p.Advertising = v.flag()
	}
}

func (p *Post) readParts(key []byte, v value) {
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

func readAuthor(v value) (a Author) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id", "user_id":
			a.ID = UserID(o.val.id())
		case "username":
			a.Username = o.val.username()
		case "name":
			a.Name = o.val.prose()
		case "verified":
			a.Verified = o.val.flag()
		}
	}
	return a
}

func readMedia(v value) (m Media, ok bool) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id", "media_id":
			m.ID = MediaID(o.val.id())
		case "type":
			m.Type = strings.ToLower(o.val.word())
		case "src", "url":
			m.URL = o.val.address()
		}
	}
	return m, m != Media{}
}

func readUploaded(v value) (u Uploaded) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "media_id", "id":
			u.ID = MediaID(o.val.id())
		case "type":
			u.Type = strings.ToLower(o.val.word())
		case "url", "source":
			u.URL = o.val.address()
		case "poster":
			u.Poster = o.val.address()
		}
	}
	return u
}

func readThread(v value) (t Thread, err error) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "can_reply":
			t.CanReply = o.val.flag()
		case "post":
			t.Post, _ = readPost(o.val)
		case "next":
			t.Next = rowsOf(o.val, readPost)
		case "prev":
			t.Prev = rowsOf(o.val, readPost)
		}
	}
	if t.Post.ID == 0 {
		return Thread{}, errNoID
	}
	return t, nil
}
