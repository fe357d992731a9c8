package emulator

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// getFeed serves GET feeds: posts and reposts of the account and of whom it follows.
func (p *Platform) getFeed(c *call) {
	a := c.account
	p.showPage(c, "feeds", "Feeds fetched successfully", p.timeline, func(s *showing) bool {
		return s.by == a || a.following.has(s.by)
	})
}

// getProfilePosts serves GET profile_posts.
func (p *Platform) getProfilePosts(c *call) {
	u := p.users[platform.UserID(c.params.id("user_id"))]
	if u == nil {
		c.refuseCall(refuseUser)
		return
	}
	if !c.account.seesUser(u) {
		c.answerEmpty()
		return
	}
	const text = "Profile posts fetched successfully"
	switch c.params.get("type") {
	case "", "posts":
		p.showPage(c, "posts", text, u.showings, func(*showing) bool { return true })
	case "media":
		p.showPage(c, "posts", text, u.showings, func(s *showing) bool { return len(s.post.media) > 0 })
	case "liked", "likes":
		p.writePosts(c, "posts", text, p.keptPosts(c, &u.liked))
	default:
		c.refuseCall(&refusal{codeInvalid, "Posts type is invalid", "invalid_type"})
	}
}

// showPage answers with a page of those of all that want picks, the newest first.
func (p *Platform) showPage(c *call, key, text string, all []*showing, want func(*showing) bool) {
	offset, size := c.rowRange(p)
	if offset > 0 {
		end, _ := slices.BinarySearchFunc(all, offset, func(s *showing, row platform.RowID) int {
			return int(s.row - row)
		})
		all = all[:end]
	}
	var views []view
	for _, s := range slices.Backward(all) {
		if len(views) == size {
			break
		}
		hidden := s.gone || s.post.parent != nil && !p.dialect.RepliesListed
		if !hidden && want(s) && c.account.seesUser(s.post.by) {
			views = append(views, s.viewFor(c.account, c.now))
		}
	}
	p.writePosts(c, key, text, views)
}

// writePosts answers with posts, in data itself or under a key of it.
func (p *Platform) writePosts(c *call, key, text string, views []view) {
	if len(views) == 0 {
		c.answerEmpty()
		return
	}
	c.open(text)
	if key != "" {
		c.openObject()
		c.key(key)
	}
	c.writePosts(views)
	if key != "" {
		c.closeObject()
	}
	c.close()
}

// writePosts writes a list of posts, with an advert between them where the dialect has it.
func (e *encoder) writePosts(views []view) {
	e.openList()
	i := 0
	for n, v := range views {
		e.beginItem(i)
		e.writeView(v)
		e.closeObject()
		i++
		if n == 0 && e.dialect.Adverts {
			e.beginItem(i)
			e.writeAdvert()
			i++
		}
	}
	e.closeList()
}

// getBookmarks serves GET get_bookmarks.
func (p *Platform) getBookmarks(c *call) {
	p.writePosts(c, "", "Bookmarks fetched successfully", p.keptPosts(c, &c.account.bookmarks))
}

// keptPosts returns a page of the posts that somebody likes or keeps.
func (p *Platform) keptPosts(c *call, kept *roll[*post]) []view {
	offset, size := c.rowRange(p)
	rows := kept.rowsBefore(offset, size, func(q *post) bool { return !q.gone && c.account.seesUser(q.by) })
	views := make([]view, len(rows))
	for i, r := range rows {
		views[i] = view{post: r.key, row: r.id, viewer: c.account, now: c.now}
	}
	return views
}

// getThread serves GET thread_data: a post, its replies and the posts that it answers.
func (p *Platform) getThread(c *call) {
	q := p.postByID(platform.PostID(c.params.id("thread_id")))
	if r := p.unreadable(q, c.account); r != nil {
		c.refuseCall(r)
		return
	}
	c.open("")
	c.openObject()
	c.writeFlag("can_reply", q.takesReply(c.account))
	c.writeFlag("can_see", true)
	c.key("post")
	c.writeView(c.plainView(q))
	c.closeObject()
	c.key("next")
	c.writeReplies(q.repliesBefore(0, p.pageSize(0, standardPage)))
	c.key("prev")
	var parents []view
	for up := q.parent; up != nil && !up.gone; up = up.parent {
		parents = append(parents, c.plainView(up))
	}
	slices.Reverse(parents)
	c.openList()
	for i, v := range parents {
		c.beginItem(i)
		c.writeView(v)
		c.closeObject()
	}
	c.closeList()
	c.closeObject()
	c.close()
}

// unreadable returns why somebody does not get to see a thread; nil when they do.
func (p *Platform) unreadable(q *post, by *user) *refusal {
	odd := p.faultInjector.faults.Unreadable
	switch {
	case q == nil || !by.seesUser(q.by):
		return refuseThread
	case odd != "" && strings.Contains(q.text, odd):
		return refuseBroken
	}
	return nil
}

// getReplies serves GET thread_replys. Its offset is the id of the last reply.
func (p *Platform) getReplies(c *call) {
	q := p.postByID(platform.PostID(c.params.id("thread_id")))
	if r := p.unreadable(q, c.account); r != nil {
		c.refuseCall(r)
		return
	}
	offset, size := c.rowRange(p)
	page := q.repliesBefore(platform.PostID(offset), size)
	if len(page) == 0 {
		c.answerEmpty()
		return
	}
	c.open("Replies fetched successfully")
	c.writeReplies(page)
	c.close()
}

// plainView is a post by itself, as threads show it.
func (c *call) plainView(q *post) view {
	return view{post: q, row: q.row, viewer: c.account, now: c.now}
}

// repliesBefore returns at most n replies below offset, the newest first.
func (p *post) repliesBefore(offset platform.PostID, n int) []*post {
	var page []*post
	for _, r := range slices.Backward(p.replies) {
		if len(page) == n {
			break
		}
		if offset == 0 || r.id < offset {
			page = append(page, r)
		}
	}
	return page
}

// writeReplies writes replies, each with the first few replies to it.
func (c *call) writeReplies(list []*post) {
	const nested = 2
	c.openList()
	for i, q := range list {
		c.beginItem(i)
		c.writeView(c.plainView(q))
		c.key("replys")
		c.openList()
		for n, r := range q.repliesBefore(0, nested) {
			c.beginItem(n)
			c.writeView(c.plainView(r))
			c.closeObject()
		}
		c.closeList()
		c.closeObject()
	}
	c.closeList()
}
