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

func (s *showing) view(viewer *user, now time.Time) view {
	v := view{post: s.post, row: s.row, viewer: viewer, now: now}
	if s.repost() {
		v.by = s.by
	}
	return v
}

// view writes a post. The caller may add members, and closes the object.
func (e *encoder) view(v view) {
	q := v.post
	e.openObject()
	e.number("id", int64(q.id))
	e.number("user_id", int64(q.by.id))
	e.prose("text", q.text)
	e.text("type", q.kind())
	e.count("replys_count", int64(len(q.replies)))
	e.count("reposts_count", int64(q.reposts.len()))
	e.count("likes_count", int64(q.likes.len()))
	e.text("status", "active")
	e.number("thread_id", int64(q.thread()))
	if q.parent == nil {
		e.text("target", "publication")
	} else {
		e.text("target", "pub_reply")
	}
	e.text("og_data", "")
	e.ago(q.at, v.now)
	e.count("time_raw", e.clock(q.at).Unix())
	if v.row != 0 {
		e.number("offset_id", int64(v.row))
	}
	e.flag("is_repost", v.by != nil)
	e.flag("is_reposter", v.by != nil && v.by == v.viewer)
	e.text("attrs", "")
	e.flag("advertising", false)
	e.text("og_text", "")
	e.text("og_image", "")
	e.text("url", postURL(q.id))
	e.viewMedia(q)
	e.viewRelation(v)
	e.viewPeople(v)
	e.extra()
}

// kind returns the type of a post.
func (q *post) kind() string {
	switch {
	case q.gif != "":
		return "gif"
	case len(q.poll) > 0:
		return "poll"
	case len(q.media) > 0:
		return q.media[0].kind
	default:
		return "text"
	}
}

func (q *post) thread() platform.PostID {
	if q.parent == nil {
		return 0
	}
	return q.parent.id
}

func (e *encoder) viewMedia(q *post) {
	list := q.media
	if q.gif != "" {
		list = []media{{kind: "gif", url: q.gif}}
	}
	e.key("media")
	if len(list) == 0 {
		e.nothing()
	} else {
		e.openList()
		for i, m := range list {
			e.item(i)
			e.medium(m, q)
		}
		e.closeList()
	}
	if len(q.poll) == 0 {
		e.null("poll_data")
		return
	}
	raw, _ := json.Marshal(q.poll) // a slice of strings always encodes
	e.text("poll_data", string(raw))
	e.key("poll")
	e.openObject()
	e.number("has_voted", 0)
	e.number("total", 0)
	e.key("options")
	e.openList()
	for i, option := range q.poll {
		e.item(i)
		e.openObject()
		e.words("option", option)
		e.number("total", 0)
		e.text("percentage", "0")
		e.closeObject()
	}
	e.closeList()
	e.closeObject()
}

func (e *encoder) viewRelation(v view) {
	q, u := v.post, v.viewer
	e.flag("can_delete", u == q.by)
	e.flag("is_owner", u == q.by)
	e.flag("has_saved", u != nil && u.bookmarks.has(q))
	if !e.dialect.Untold {
		e.flag("has_liked", u != nil && q.likes.has(u))
		e.flag("has_reposted", u != nil && q.reposts.has(u))
	}
}

func (e *encoder) viewPeople(v view) {
	q := v.post
	e.key("reply_to")
	if q.parent == nil {
		e.nothing()
	} else {
		by := q.parent.by
		e.openObject()
		e.number("id", int64(by.id))
		e.text("url", by.url())
		e.text("avatar", by.avatar())
		e.username("username", by)
		e.words("name", by.fullName())
		e.text("gender", "F")
		e.flag("is_owner", by == v.viewer)
		e.text("thread_url", postURL(q.parent.id))
		e.closeObject()
	}
	e.key("owner")
	e.owner(q.by)
	if v.by == nil {
		return
	}
	e.key("reposter")
	e.openObject()
	e.words("name", v.by.fullName())
	e.username("username", v.by)
	e.text("url", v.by.url())
	e.closeObject()
}

func (e *encoder) owner(u *user) {
	e.openObject()
	defer e.closeObject()
	if e.dialect.NullOwners {
		for _, k := range []string{"id", "url", "avatar", "username", "name", "verified"} {
			e.null(k)
		}
		return
	}
	e.number("id", int64(u.id))
	e.text("url", u.url())
	e.text("avatar", u.avatar())
	e.username("username", u)
	e.words("name", u.fullName())
	e.digit("verified", u.person.Verified)
}

// advert writes an item that feeds insert between posts. It has no offset_id.
func (e *encoder) advert() {
	e.openObject()
	e.number("id", 1)
	e.flag("advertising", true)
	e.text("company", "Acme")
	e.text("text", "Buy now")
	e.text("cta", "Learn more")
	e.text("target_url", "https://ads.example/")
	e.text("time", "just now")
	e.closeObject()
}
