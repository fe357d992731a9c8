package emulator

import (
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// tag is a hashtag that posts carry.
type tag struct {
	id    int64
	name  string // lower case
	posts int
	at    time.Time // of the first post
}

// tags are the hashtags of the platform.
type tags struct {
	by   map[string]*tag
	list []*tag // by id
}

func (t *tags) add(q *post) {
	for name := range markedWords(q.text, '#') {
		name = strings.ToLower(name)
		g := t.by[name]
		if g == nil {
			if t.by == nil {
				t.by = map[string]*tag{}
			}
			g = &tag{id: int64(len(t.list)) + 1, name: strings.Clone(name), at: q.at}
			t.by[name] = g
			t.list = append(t.list, g)
		}
		g.posts++
	}
}

func (t *tags) remove(q *post) {
	for name := range markedWords(q.text, '#') {
		t.by[strings.ToLower(name)].posts--
	}
}

// search is what a search call asks for.
type search struct {
	query  string // lower case; "" finds everything
	offset int64
	size   int
}

// search reads the parameters of a search; not ok after refusing.
func (p *Platform) search(c *call) (s search, ok bool) {
	query := c.params.get("query")
	if query == "" {
		c.refuseCall(&refusal{codeInvalid, "The search term is invalid or missing", "invalid_query"})
		return search{}, false
	}
	offset, size := c.rowRange(p)
	return search{strings.ToLower(strings.TrimSpace(query)), int64(offset), size}, true
}

// wants reports whether an item of that id and with one of these texts is to be found.
func (s search) wants(id int64, texts ...string) bool {
	if s.offset > 0 && id >= s.offset {
		return false
	}
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), s.query) })
}

// find returns a page of those of list that match, the last first.
func find[T any](list []T, size int, match func(T) bool) []T {
	var page []T
	for _, item := range slices.Backward(list) {
		if len(page) == size {
			break
		}
		if match(item) {
			page = append(page, item)
		}
	}
	return page
}

const textFound = "Results found"

// searchPosts serves GET search_posts. The offset_id of what it finds is the id of the post.
func (p *Platform) searchPosts(c *call) {
	s, ok := p.search(c)
	if !ok {
		return
	}
	found := find(p.posts, s.size, func(q *post) bool {
		return !q.gone && c.account.seesUser(q.by) && s.wants(int64(q.id), q.text)
	})
	views := make([]view, len(found))
	for i, q := range found {
		views[i] = view{post: q, row: platform.RowID(q.id), viewer: c.account, now: c.now}
	}
	p.writePosts(c, "", textFound, views)
}

// searchPeople serves GET search_people. What it finds has no offset_id; the cursor is the id.
func (p *Platform) searchPeople(c *call) {
	s, ok := p.search(c)
	if !ok {
		return
	}
	s.query = strings.TrimPrefix(s.query, "@")
	found := find(p.people, s.size, func(u *user) bool {
		return s.wants(int64(u.id), u.person.Username, u.fullName())
	})
	c.answerList(textFound, len(found), func(i int) { c.writePerson(found[i], c.account, 0) })
}

// searchHashtags serves GET search_hashtags. The cursor is the id.
func (p *Platform) searchHashtags(c *call) {
	s, ok := p.search(c)
	if !ok {
		return
	}
	s.query = strings.TrimPrefix(s.query, "#")
	found := find(p.tags.list, s.size, func(t *tag) bool { return t.posts > 0 && s.wants(t.id, t.name) })
	c.answerList(textFound, len(found), func(i int) {
		t := found[i]
		c.openObject()
		c.writeNumber("id", t.id)
		c.writeNumber("posts", int64(t.posts))
		c.text("tag", t.name)
		c.count("time", c.shownClock(t.at).Unix())
		c.text("hashtag", "#"+t.name)
		c.text("url", site+"search/posts?q="+t.name)
		c.count("total", int64(t.posts))
		c.closeObject()
	})
}
