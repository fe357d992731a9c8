package emulator

import (
	"github.com/nectar-bot/nectar/platform"
)

// The reactions. Each sets a state, reports whether it changed, and enters the change into the ledger.

func (p *Platform) setLike(u *user, q *post, on, byAPI bool) bool {
	if q.likes.has(u) == on {
		return false
	}
	n := notification{from: u, to: q.by, subject: platform.SubjectLike, entry: int64(q.id), post: q.id}
	e := Entry{Kind: Liked, From: u.id, To: q.by.id, Post: q.id, ByAPI: byAPI}
	if on {
		row := p.ids.nextRow()
		q.likes.add(row, u)
		u.liked.add(row, q)
		p.notify(n)
	} else {
		q.likes.remove(u)
		u.liked.remove(q)
		p.withdrawNotice(n)
		e.Kind = Unliked
	}
	p.ledger.add(e)
	return true
}

func (p *Platform) setRepost(u *user, q *post, on, byAPI bool) bool {
	if q.reposts.has(u) == on {
		return false
	}
	n := notification{from: u, to: q.by, subject: platform.SubjectRepost, entry: int64(q.id), post: q.id}
	e := Entry{Kind: Reposted, From: u.id, To: q.by.id, Post: q.id, ByAPI: byAPI}
	if on {
		q.reposts.add(p.showRepost(q, u), u)
		p.notify(n)
	} else {
		q.reposts.remove(u)
		q.hide(u)
		p.withdrawNotice(n)
		e.Kind = Unreposted
	}
	p.ledger.add(e)
	return true
}

// showRepost puts a post into feeds and profiles in the name of u, and returns a row of its own for that. An author's own repost
// shows nothing new, unless the dialect says so.
func (p *Platform) showRepost(q *post, u *user) platform.RowID {
	if u == q.by && !p.dialect.OwnReposts {
		return p.ids.nextRow()
	}
	for _, s := range q.showings {
		if p.dialect.RepostStays && s.isRepost() && s.by == u {
			s.gone = false
			return p.ids.nextRow()
		}
	}
	s := p.showPost(q, u)
	s.own = u == q.by
	return s.row
}

// hide takes back the repost of u.
func (p *post) hide(u *user) {
	for _, s := range p.showings {
		if s.isRepost() && s.by == u {
			s.gone = true
		}
	}
}

// following is the state between two people, as the answer to follow tells it.
type following uint8

const (
	followNone following = iota
	followActive
	followRequested
)

func (u *user) followingOf(whom *user) following {
	switch {
	case u.following.has(whom):
		return followActive
	case whom.requests.has(u):
		return followRequested
	default:
		return followNone
	}
}

// followUser lets u follow whom, or ask for it when the profile is private. It reports whether anything
// changed.
func (p *Platform) followUser(u, whom *user, byAPI bool) bool {
	if u == whom || u.cutOff(whom) || u.followingOf(whom) != followNone {
		return false
	}
	if whom.person.Private {
		whom.requests.add(p.ids.nextRow(), u)
		p.notify(notification{
			from: u, to: whom, subject: platform.SubjectFollowRequest, entry: int64(u.id),
		})
		p.ledger.add(Entry{Kind: FollowRequested, From: u.id, To: whom.id, ByAPI: byAPI})
		return true
	}
	p.startFollowing(u, whom, byAPI)
	p.notify(notification{from: u, to: whom, subject: platform.SubjectFollow, entry: int64(u.id)})
	return true
}

func (p *Platform) startFollowing(u, whom *user, byAPI bool) {
	row := p.ids.nextRow()
	u.following.add(row, whom)
	whom.followers.add(row, u)
	p.ledger.add(Entry{Kind: Followed, From: u.id, To: whom.id, ByAPI: byAPI})
}

// unfollowUser ends following, or takes the request back. It reports whether anything changed.
func (p *Platform) unfollowUser(u, whom *user, byAPI bool) bool {
	n := notification{from: u, to: whom, subject: platform.SubjectFollow, entry: int64(u.id)}
	switch u.followingOf(whom) {
	case followNone:
		return false
	case followRequested:
		whom.requests.remove(u)
		n.subject = platform.SubjectFollowRequest
	case followActive:
		u.following.remove(whom)
		whom.followers.remove(u)
	}
	p.withdrawNotice(n)
	p.ledger.add(Entry{Kind: Unfollowed, From: u.id, To: whom.id, ByAPI: byAPI})
	return true
}

// accept lets somebody who asked follow u.
func (p *Platform) accept(u, asker *user, byAPI bool) bool {
	if !p.ignoreAsker(u, asker) {
		return false
	}
	p.startFollowing(asker, u, byAPI)
	p.notify(notification{
		from: u, to: asker, subject: platform.SubjectFollowAccept, entry: int64(u.id),
	})
	return true
}

// ignoreAsker drops the request of somebody who asked to follow u.
func (p *Platform) ignoreAsker(u, asker *user) bool {
	if !u.requests.remove(asker) {
		return false
	}
	p.withdrawNotice(notification{
		from: asker, to: u, subject: platform.SubjectFollowRequest, entry: int64(asker.id),
	})
	return true
}

// setBlock keeps two people apart, or ends it. It reports whether anything changed.
func (p *Platform) setBlock(u, whom *user, on, byAPI bool) bool {
	if u == whom || u.blocked[whom] == on {
		return false
	}
	e := Entry{Kind: Blocked, From: u.id, To: whom.id, ByAPI: byAPI}
	if on {
		p.unfollowUser(u, whom, byAPI)
		p.unfollowUser(whom, u, byAPI)
		if u.blocked == nil {
			u.blocked = map[*user]bool{}
		}
		u.blocked[whom] = true
	} else {
		delete(u.blocked, whom)
		e.Kind = Unblocked
	}
	p.ledger.add(e)
	return true
}

// visit notes that u looked at the profile of whom.
func (p *Platform) visit(u, whom *user, byAPI bool) bool {
	if u == whom {
		return false
	}
	p.notify(notification{from: u, to: whom, subject: platform.SubjectVisit, entry: int64(u.id)})
	p.ledger.add(Entry{Kind: Visited, From: u.id, To: whom.id, ByAPI: byAPI})
	return true
}

// setBookmark keeps a post for u, or drops it. Nobody else learns of it.
func (p *Platform) setBookmark(u *user, q *post, on bool) {
	if on {
		u.bookmarks.add(p.ids.nextRow(), q)
	} else {
		u.bookmarks.remove(q)
	}
}
