package platform

import (
	"errors"
	"net/http"
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

// errNoToken is a successful sign-in without a session.
var errNoToken = errors.New("it holds no session token")

// readTokens reads a session from "auth", where sign-ins put it (the contract), or from "data", where
// renewals do (seen in clients).
func readTokens(e envelope) (Tokens, error) {
	for _, place := range []wire.Value{e.auth, e.data, e.data.Member("auth")} {
		var t Tokens
		for o := place.Members(); o.Next(); {
			switch string(o.Key) {
			case "auth_token":
				t.SessionID = Secret(o.Val.Text())
			case "refresh_token":
				t.RefreshToken = Secret(o.Val.Text())
			case "auth_token_expiry":
				t.Expiry = o.Val.Instant()
			}
		}
		if t.SessionID != "" {
			return t, nil
		}
	}
	return Tokens{}, errNoToken
}

// readProfile reads a profile, whether it stands in data or in data.user. E-mail and IP addresses
// are not read.
func readProfile(v wire.Value) Profile {
	p := Profile{CanView: true}
	p.read(v)
	return p
}

func (p *Profile) read(v wire.Value) {
	for o := v.Members(); o.Next(); {
		switch string(o.Key) {
		case "id", "user_id":
			p.ID = UserID(o.Val.ID())
		case "user_name", "username":
			p.Username = o.Val.Username()
		case "first_name", "fname":
			p.FirstName = o.Val.Name()
		case "last_name", "lname":
			p.LastName = o.Val.Name()
		case "is_verified", "verified":
			p.Verified = o.Val.Flag()
		case "about", "about_you":
			p.About = o.Val.Prose()
		case "language":
			p.Language = o.Val.Name()
		case "last_active":
			p.LastActive = o.Val.Instant()
		case "profile_privacy":
			p.Private = o.Val.Text() == "followers"
		// Some deployments have all of it one level deeper.
		case "user":
			p.read(o.Val)
		default:
			p.readRelation(o.Key, o.Val)
		}
	}
}

// readRelation reads the members that count, and those about the profile and the asking account.
func (p *Profile) readRelation(key []byte, v wire.Value) {
	switch string(key) {
	case "post_count", "posts":
		p.Posts = v.Count()
	case "follower_count", "followers":
		p.Followers = v.Count()
	case "following_count", "following":
		p.Following = v.Count()
	case "is_following":
		p.IsFollowing = v.Flag()
	case "follow_requested":
		p.FollowRequested = v.Flag()
	case "is_blocked_profile", "is_blocked":
		p.IsBlocked = v.Flag()
	case "is_blocked_visitor":
		p.BlockedByThem = v.Flag()
	case "can_view_profile":
		p.CanView = v.Flag()
	case "is_owner":
		p.IsOwner = v.Flag()
	}
}

// readToggled reads the state after a switch: a truth value, or an object that holds one under key,
// at any depth.
func readToggled(v wire.Value, key string) Toggled {
	if len(v) > 0 && v[0] == '{' {
		return readToggled(v.Member(key), key)
	}
	if len(v) == 0 || string(v) == `""` {
		return Toggled{}
	}
	on, known := v.Boolean()
	return Toggled{On: on, Known: known}
}

func readFollowed(e envelope) Followed {
	if e.code == http.StatusCreated {
		return FollowRequested
	}
	switch state := readToggled(e.data, "follow"); {
	case !state.Known:
		return FollowUnknown
	case state.On:
		return FollowActive
	// So an answer says, too, that the person must accept first; a second call would take the request back.
	case !e.coded && e.status == 0: //mutate:codeless-follow
		return FollowUnknown
	default:
		return FollowNone
	}
}
