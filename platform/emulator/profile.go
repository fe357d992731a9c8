package emulator

import (
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// getProfile serves GET profile, by user_id or username.
func (p *Platform) getProfile(c *call) {
	u := p.users[platform.UserID(c.params.id("user_id"))]
	if name := c.params.get("username"); u == nil && name != "" {
		u = p.names[strings.ToLower(strings.TrimPrefix(name, "@"))]
	}
	if u == nil {
		c.refuseCall(refuseUser)
		return
	}
	if c.account != nil && c.dialect.VisitsByProfile {
		p.visit(c.account, u, true)
	}
	c.open("Profile fetched successfully")
	c.openObject()
	c.profileMembers(u)
	c.text("avatar", u.avatarURL())
	c.text("cover", u.cover())
	c.writeWords("about", u.person.About)
	if c.dialect.ProfileNested {
		c.key("user")
		c.openObject()
		c.relation(c.account, u)
		c.closeObject()
	} else {
		c.relation(c.account, u)
		c.writeFlag("can_view_profile", c.account.seesUser(u))
	}
	c.writeExtra()
	c.closeObject()
	c.close()
}

// relation writes how viewer, who may be nil, stands to u.
func (e *encoder) relation(viewer, u *user) {
	var f following
	if viewer != nil {
		f = viewer.followingOf(u)
	}
	e.writeFlag("is_blocked_visitor", viewer != nil && u.blocked[viewer])
	e.writeFlag("is_blocked_profile", viewer != nil && viewer.blocked[u])
	e.writeFlag("is_following", f == followActive)
	e.writeFlag("follow_requested", f == followRequested)
	e.writeFlag("is_owner", viewer == u)
}

// profileMembers writes the form of a user in profiles and in the answer to a sign-in.
func (e *encoder) profileMembers(u *user) {
	e.writeNumber("id", int64(u.id))
	e.userMembers(u)
}

// nestedUser writes the form of a user in the answer to a sign-in of other deployments.
func (e *encoder) nestedUser(u *user) {
	e.writeNumber("user_id", int64(u.id))
	e.userMembers(u)
	e.text("profile_picture", u.avatarURL())
	e.text("cover_picture", u.cover())
}

func (e *encoder) userMembers(u *user) {
	privacy := "everyone"
	if u.person.Private {
		privacy = "followers"
	}
	e.writeWords("first_name", u.person.FirstName)
	e.writeWords("last_name", u.person.LastName)
	e.writeUsername("user_name", u)
	e.text("email", u.mail())
	e.writeFlag("is_verified", u.person.Verified)
	e.text("website", "")
	e.writeWords("about_you", u.person.About)
	e.text("gender", "F")
	e.text("country", "Testland")
	e.writeNumber("post_count", int64(u.posts))
	e.writeNumber("last_post", 0)
	e.writeNumber("last_ad", 0)
	e.text("language", "english")
	e.writeNumber("following_count", int64(u.following.len()))
	e.writeNumber("follower_count", int64(u.followers.len()))
	e.text("wallet", "0.00")
	e.text("ip_address", "203.0.113.7")
	e.count("last_active", u.active.Unix())
	e.writeShown("member_since", u.since, memberLayout)
	e.text("profile_privacy", privacy)
}

// mail returns an e-mail address. The platform shows those of other people.
func (u *user) mail() string {
	if u.email != "" {
		return u.email
	}
	return u.person.Username + "@people.example"
}

func (u *user) cover() string { return site + "upload/covers/" + u.person.Username + ".png" }

// beginListed writes the form of a user in lists, with the row of the list where it has one. The caller
// closes the object.
func (e *encoder) beginListed(u *user, row platform.RowID) {
	e.openObject()
	if row != 0 {
		e.writeNumber("offset_id", int64(row))
	}
	e.writeNumber("id", int64(u.id))
	e.writeWords("about", u.person.About)
	e.text("avatar", u.avatarURL())
	e.writeShown("last_active", u.active, listLayout)
	e.listName("username", u)
	e.writeWords("fname", u.person.FirstName)
	e.writeWords("lname", u.person.LastName)
	e.text("email", u.mail())
	e.writeDigit("verified", u.person.Verified)
	e.writeWords("name", u.fullName())
	e.text("url", u.profileURL())
	e.writeExtra()
}

// writePerson writes a row of a list of people, as viewer sees it.
func (e *encoder) writePerson(u, viewer *user, row platform.RowID) {
	e.beginListed(u, row)
	e.writeNumber("followers", int64(u.followers.len()))
	e.writeNumber("posts", int64(u.posts))
	e.writeFlag("is_following", viewer != nil && viewer.following.has(u))
	e.writeFlag("is_user", viewer == u)
	e.closeObject()
}
