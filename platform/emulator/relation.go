package emulator

import (
	"github.com/nectar-bot/nectar/platform"
)

// The messages of block_user: nothing else tells the state.
const (
	textBlocked   = "User has been blocked successfully"
	textUnblocked = "User has been unblocked successfully"
)

// target returns the other person that a call is about; nil after refusing.
func (p *Platform) target(c *call) *user {
	u := p.users[platform.UserID(c.params.id("user_id"))]
	if u == nil || u == c.account {
		c.refuseCall(refuseUser)
		return nil
	}
	return u
}

// toggleFollow serves POST follow.
func (p *Platform) toggleFollow(c *call) {
	u := p.target(c)
	if u == nil {
		return
	}
	if c.account.followingOf(u) == followNone {
		if !p.followUser(c.account, u, true) {
			c.refuseCall(refuseBlocked)
			return
		}
	} else {
		p.unfollowUser(c.account, u, true)
	}
	r := refusal{code: codeOK, text: "Subscription canceled successfully"}
	state := c.account.followingOf(u)
	switch state {
	case followNone:
	case followActive:
		r.text = "Subscribed successfully"
	case followRequested:
		r = refusal{code: codeRequested, text: "Subscription request sent successfully"}
	}
	c.openWith(r)
	c.openObject()
	c.writeFlag("follow", state == followActive)
	c.closeObject()
	c.close()
}

// toggleBlock serves POST block_user.
func (p *Platform) toggleBlock(c *call) {
	u := p.target(c)
	if u == nil {
		return
	}
	on := !c.account.blocked[u]
	p.setBlock(c.account, u, on, true)
	if on {
		c.done(textBlocked)
	} else {
		c.done(textUnblocked)
	}
}

// fetchFollowers serves GET fetch_followers.
func (p *Platform) fetchFollowers(c *call) {
	p.fetchPeople(c, "Followers fetched successfully", func(u *user) *roll[*user] { return &u.followers })
}

// fetchFollowing serves GET fetch_following.
func (p *Platform) fetchFollowing(c *call) {
	p.fetchPeople(c, "Following fetched successfully", func(u *user) *roll[*user] { return &u.following })
}

// fetchPeople answers with a roll of somebody, the caller by default.
func (p *Platform) fetchPeople(c *call, text string, of func(*user) *roll[*user]) {
	u := c.account
	if c.params.get("user_id") != "" || u == nil {
		u = p.users[platform.UserID(c.params.id("user_id"))]
	}
	switch {
	case u == nil:
		c.refuseCall(refuseUser)
	case !c.account.seesUser(u):
		c.answerEmpty()
	default:
		p.listPeople(c, text, of(u))
	}
}

// listPeople answers with a page of a roll of people.
func (p *Platform) listPeople(c *call, text string, r *roll[*user]) {
	rows := p.everybody(c, r)
	c.answerList(text, len(rows), func(i int) { c.writePerson(rows[i].key, c.account, rows[i].id) })
}

// everybody returns a page of a roll of people.
func (p *Platform) everybody(c *call, r *roll[*user]) []rollEntry[*user] {
	offset, size := c.rowRange(p)
	return r.rowsBefore(offset, size, func(*user) bool { return true })
}

// followRequests serves GET follow_requests.
func (p *Platform) followRequests(c *call) {
	rows := p.everybody(c, &c.account.requests)
	c.answerList("Follow requests fetched successfully", len(rows), func(i int) {
		c.beginListed(rows[i].key, rows[i].id)
		c.writeFlag("pending_req", true)
		c.closeObject()
	})
}

// acceptFollow serves POST accept_follow.
func (p *Platform) acceptFollow(c *call) {
	p.answerFollow(c, "Follow request accepted successfully", func(u *user) { p.accept(c.account, u, true) })
}

// ignoreFollow serves POST ignore_follow.
func (p *Platform) ignoreFollow(c *call) {
	p.answerFollow(c, "Follow request deleted successfully", func(u *user) { p.ignoreAsker(c.account, u) })
}

func (p *Platform) answerFollow(c *call, text string, answer func(asker *user)) {
	asker, ok := c.account.requests.at(platform.RowID(c.params.id("req_id")))
	if !ok {
		c.refuseCall(&refusal{codeInvalid, "Follow request ID is missing or invalid", "invalid_req_id"})
		return
	}
	answer(asker)
	c.open(text)
	c.openObject()
	c.writeNumber("total", int64(c.account.requests.len()))
	c.closeObject()
	c.close()
}
