package platform

import (
	"errors"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

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
