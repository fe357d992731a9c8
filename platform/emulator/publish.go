package emulator

import (
	"encoding/json"
	"strings"

	"github.com/nectar-bot/nectar/platform"
)

// publishPost serves POST publish_post. What the session uploaded since its last post goes along.
func (p *Platform) publishPost(c *call) {
	draft := post{
		by: c.account, text: c.params.get("post_text"), gif: c.params.get("gif_src"),
		privacy: c.params.get("privacy"), media: c.session.pending,
	}
	if id := c.params.id("thread_id"); id != 0 {
		if draft.parent = p.postByID(platform.PostID(id)); draft.parent == nil {
			c.refuseCall(refuseThread)
			return
		}
	}
	if raw := c.params.get("poll_data"); raw != "" && raw != "null" {
		var ok bool
		if draft.poll, ok = readOptions(raw); !ok {
			c.refuseCall(refusePoll)
			return
		}
	}
	if len(draft.media) > 0 {
		draft.gif = ""
	}
	q, refused := p.publish(draft, true)
	if refused != nil {
		c.refuseCall(refused)
		return
	}
	c.session.pending = nil
	if c.dialect.Nameless {
		c.done("Post published successfully")
		return
	}
	c.open("Post published successfully")
	v := c.plainView(q)
	v.row = 0
	c.writeView(v)
	c.closeObject()
	c.writeNumber("posts_total", int64(c.account.posts))
	c.close()
}

// readOptions reads the options of a poll: [{"value":"A"},{"value":"B"}], two to four of them.
func readOptions(raw string) ([]string, bool) {
	var list []struct {
		Value string `json:"value"`
	}
	if json.Unmarshal([]byte(raw), &list) != nil || len(list) < 2 || len(list) > 4 {
		return nil, false
	}
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = strings.TrimSpace(o.Value)
		if out[i] == "" {
			return nil, false
		}
	}
	return out, true
}

// seenPost returns the post that a call is about and that its caller sees; nil after refusing.
func (p *Platform) seenPost(c *call) *post {
	q := p.postByID(platform.PostID(c.params.id("post_id")))
	switch {
	case q == nil:
		c.refuseCall(refusePost)
	case !c.account.seesUser(q.by):
		c.refuseCall(refuseUnavailable)
	default:
		return q
	}
	return nil
}

// deletePost serves POST delete_post.
func (p *Platform) deletePost(c *call) {
	q := p.postByID(platform.PostID(c.params.id("post_id")))
	if q == nil || q.by != c.account {
		c.refuseCall(refusePost)
		return
	}
	p.remove(q, true)
	c.done("Post deleted successfully")
}

// likePost serves POST like_post.
func (p *Platform) likePost(c *call) {
	if q := p.seenPost(c); q != nil {
		on := !q.likes.has(c.account)
		p.setLike(c.account, q, on, true)
		c.toggled("like", on)
	}
}

// repostPost serves POST publication_repost.
func (p *Platform) repostPost(c *call) {
	if q := p.seenPost(c); q != nil {
		on := !q.reposts.has(c.account)
		p.setRepost(c.account, q, on, true)
		c.toggled("repost", on)
	}
}

// addBookmark serves POST add_bookmark.
func (p *Platform) addBookmark(c *call) {
	if q := p.seenPost(c); q != nil {
		on := !c.account.bookmarks.has(q)
		p.setBookmark(c.account, q, on)
		c.toggled("bookmark", on)
	}
}

// toggled answers with the state after a toggle, in the shape of the dialect.
func (c *call) toggled(k string, on bool) {
	c.open("Success")
	switch c.dialect.Toggle {
	case ToggleFlat:
		c.openObject()
		c.writeFlag(k, on)
		c.closeObject()
	case ToggleNested:
		c.openObject()
		c.key(k)
		c.openObject()
		c.writeFlag(k, on)
		c.closeObject()
		c.closeObject()
	case ToggleBare:
		c.writeBoolean(on)
	case ToggleSilent:
		c.writeNothing()
	}
	c.close()
}

// fetchLikes serves GET fetch_likes: who likes a post.
func (p *Platform) fetchLikes(c *call) {
	if q := p.seenPost(c); q != nil {
		p.listPeople(c, "Likes fetched successfully", &q.likes)
	}
}
