package emulator

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// view is how somebody looks at a post: where it appeared, who looks, and when.
type view struct {
	post   *post
	row    platform.RowID // 0: no offset_id
	by     *user          // the reposter; nil for an appearance by the author
	viewer *user          // nil without a session
	now    time.Time
}

func (s *showing) viewFor(viewer *user, now time.Time) view {
	v := view{post: s.post, row: s.row, viewer: viewer, now: now}
	if s.isRepost() {
		v.by = s.by
	}
	return v
}

// writeView writes a post. The caller may add members, and closes the object.
func (e *encoder) writeView(v view) {
	q := v.post
	e.openObject()
	e.writeNumber("id", int64(q.id))
	e.writeNumber("user_id", int64(q.by.id))
	e.writeProse("text", q.text)
	e.text("type", q.kind())
	e.count("replys_count", int64(len(q.replies)))
	e.count("reposts_count", int64(q.reposts.len()))
	e.count("likes_count", int64(q.likes.len()))
	e.text("status", "active")
	e.writeNumber("thread_id", int64(q.thread()))
	if q.parent == nil {
		e.text("target", "publication")
	} else {
		e.text("target", "pub_reply")
	}
	e.text("og_data", "")
	e.writeAgo(q.at, v.now)
	e.count("time_raw", e.shownClock(q.at).Unix())
	if v.row != 0 {
		e.writeNumber("offset_id", int64(v.row))
	}
	e.writeFlag("is_repost", v.by != nil)
	e.writeFlag("is_reposter", v.by != nil && v.by == v.viewer)
	e.text("attrs", "")
	e.writeFlag("advertising", false)
	e.text("og_text", "")
	e.text("og_image", "")
	e.text("url", postURL(q.id))
	e.viewMedia(q)
	e.viewRelation(v)
	e.viewPeople(v)
	e.writeExtra()
}

// kind returns the type of a post.
func (p *post) kind() string {
	switch {
	case p.gif != "":
		return "gif"
	case len(p.poll) > 0:
		return "poll"
	case len(p.media) > 0:
		return p.media[0].kind
	default:
		return "text"
	}
}

func (p *post) thread() platform.PostID {
	if p.parent == nil {
		return 0
	}
	return p.parent.id
}

func (e *encoder) viewMedia(q *post) {
	list := q.media
	if q.gif != "" {
		list = []media{{kind: "gif", url: q.gif}}
	}
	e.key("media")
	if len(list) == 0 {
		e.writeNothing()
	} else {
		e.openList()
		for i, m := range list {
			e.beginItem(i)
			e.writeMedium(m, q)
		}
		e.closeList()
	}
	if len(q.poll) == 0 {
		e.writeNull("poll_data")
		return
	}
	raw, _ := json.Marshal(q.poll) // a slice of strings always encodes
	e.text("poll_data", string(raw))
	e.key("poll")
	e.openObject()
	e.writeNumber("has_voted", 0)
	e.writeNumber("total", 0)
	e.key("options")
	e.openList()
	for i, option := range q.poll {
		e.beginItem(i)
		e.openObject()
		e.writeWords("option", option)
		e.writeNumber("total", 0)
		e.text("percentage", "0")
		e.closeObject()
	}
	e.closeList()
	e.closeObject()
}

func (e *encoder) viewRelation(v view) {
	q, u := v.post, v.viewer
	e.writeFlag("can_delete", u == q.by)
	e.writeFlag("is_owner", u == q.by)
	e.writeFlag("has_saved", u != nil && u.bookmarks.has(q))
	if !e.dialect.Untold {
		e.writeFlag("has_liked", u != nil && q.likes.has(u))
		e.writeFlag("has_reposted", u != nil && q.reposts.has(u))
	}
}

func (e *encoder) viewPeople(v view) {
	q := v.post
	e.key("reply_to")
	if q.parent == nil {
		e.writeNothing()
	} else {
		by := q.parent.by
		e.openObject()
		e.writeNumber("id", int64(by.id))
		e.text("url", by.profileURL())
		e.text("avatar", by.avatarURL())
		e.writeUsername("username", by)
		e.writeWords("name", by.fullName())
		e.text("gender", "F")
		e.writeFlag("is_owner", by == v.viewer)
		e.text("thread_url", postURL(q.parent.id))
		e.closeObject()
	}
	e.key("owner")
	e.writeOwner(q.by)
	if v.by == nil {
		return
	}
	e.key("reposter")
	e.openObject()
	e.writeWords("name", v.by.fullName())
	e.writeUsername("username", v.by)
	e.text("url", v.by.profileURL())
	e.closeObject()
}

func (e *encoder) writeOwner(u *user) {
	e.openObject()
	defer e.closeObject()
	if e.dialect.NullOwners {
		for _, k := range []string{"id", "url", "avatar", "username", "name", "verified"} {
			e.writeNull(k)
		}
		return
	}
	e.writeNumber("id", int64(u.id))
	e.text("url", u.profileURL())
	e.text("avatar", u.avatarURL())
	e.writeUsername("username", u)
	e.writeWords("name", u.fullName())
	e.writeDigit("verified", u.person.Verified)
}

// writeAdvert writes an item that feeds insert between posts. It has no offset_id.
func (e *encoder) writeAdvert() {
	e.openObject()
	e.writeNumber("id", 1)
	e.writeFlag("advertising", true)
	e.text("company", "Acme")
	e.text("text", "Buy now")
	e.text("cta", "Learn more")
	e.text("target_url", "https://ads.example/")
	e.text("time", "just now")
	e.closeObject()
}
