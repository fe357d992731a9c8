package platform

import "errors"

// errNoToken is a successful sign-in without a session.
var errNoToken = errors.New("it holds no session token")

// readTokens reads a session from "auth", where sign-ins put it (the contract), or from "data", where
// renewals do (seen in clients).
func readTokens(e envelope) (Tokens, error) {
	for _, place := range []value{e.auth, e.data, e.data.member("auth")} {
		var t Tokens
		for o := place.members(); o.next(); {
			switch string(o.key) {
			case "auth_token":
				t.SessionID = Secret(o.val.text())
			case "refresh_token":
				t.RefreshToken = Secret(o.val.text())
			case "auth_token_expiry":
				t.Expiry = o.val.instant()
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
func readProfile(v value) Profile {
	p := Profile{CanView: true}
	p.read(v)
	return p
}

func (p *Profile) read(v value) {
	for o := v.members(); o.next(); {
		switch string(o.key) {
		case "id", "user_id":
			p.ID = UserID(o.val.id())
		case "user_name", "username":
			p.Username = o.val.username()
		case "first_name", "fname":
			p.FirstName = o.val.prose()
		case "last_name", "lname":
			p.LastName = o.val.prose()
		case "is_verified", "verified":
			p.Verified = o.val.flag()
		case "about", "about_you":
			p.About = o.val.prose()
		case "language":
			p.Language = o.val.text()
		case "last_active":
			p.LastActive = o.val.instant()
		case "profile_privacy":
			p.Private = o.val.text() == "followers"
		case "user":
			p.read(o.val)
		default:
			p.readRelation(o.key, o.val)
		}
	}
}

// readRelation reads the members that count, and those about the profile and the asking account.
func (p *Profile) readRelation(key []byte, v value) {
	switch string(key) {
	case "post_count", "posts":
		p.Posts = v.count()
	case "follower_count", "followers":
		p.Followers = v.count()
	case "following_count", "following":
		p.Following = v.count()
	case "is_following":
		p.IsFollowing = v.flag()
	case "follow_requested":
		p.FollowRequested = v.flag()
	case "is_blocked_profile", "is_blocked":
		p.IsBlocked = v.flag()
	case "is_blocked_visitor":
		p.BlockedByThem = v.flag()
	case "can_view_profile":
		p.CanView = v.flag()
	case "is_owner":
		p.IsOwner = v.flag()
	}
}
