package emulator

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nectar-bot/nectar/platform"
)

// post is a post, or a reply to one.
type post struct {
	id      platform.PostID
	by      *user
	text    string
	parent  *post
	privacy string // who may reply: everyone, followers, mentioned
	gif     string
	poll    []string
	media   []media
	at      time.Time
	gone    bool
	row     platform.RowID // of the showing by its author

	named    []*user // whom the text mentions
	replies  []*post // by id
	likes    roll[*user]
	reposts  roll[*user]
	showings []*showing
}

// showing is an appearance of a post in feeds and profiles: by its author, or by a reposter.
type showing struct {
	row  platform.RowID
	post *post
	by   *user
	own  bool // an author's repost of an own post
	gone bool
}

func (s *showing) isRepost() bool { return s.own || s.by != s.post.by }

// The refusals of publish_post, and of who reads a thread.
var (
	refusePostText = &refusal{codeInvalid, "Post text is missing or too long", "invalid_post_text"}
	refuseBroken   = &refusal{codeServer, "An error occurred while processing your request. Please try again later", ""}
	refuseThread   = &refusal{codeInvalid, "Thread ID is missing or invalid", "invalid_thread_id"}
	refusePoll     = &refusal{codeInvalid, "Poll data is invalid", "invalid_poll_data"}
	refuseReply    = &refusal{codeInvalid, "You have no permission to reply to this post", "no_permission"}
)

func postURL(id platform.PostID) string { return site + "thread/" + strconv.FormatInt(int64(id), 10) }

// publish stores a post, tells those it concerns and enters it into the ledger, or tells why not.
func (p *Platform) publish(draft post, byAPI bool) (*post, *refusal) {
	draft.text = p.cleanText(draft.text)
	switch {
	case draft.by == nil:
		return nil, refuseUser
	case isBlank(draft.text) && len(draft.media) == 0 && draft.gif == "" && len(draft.poll) == 0,
		tooLong(draft.text, maxPost):
		return nil, refusePostText
	case draft.parent != nil && !draft.parent.takesReply(draft.by):
		return nil, refuseReply
	}
	q := &draft
	if q.id = p.ids.nextPost(); q.at.IsZero() {
		q.at = time.Now()
	}
	q.named = p.mentionedUsers(q.text, q.by)
	p.posts = append(p.posts, q)
	p.tags.add(q)
	q.by.posts++
	if q.parent != nil {
		q.parent.replies = append(q.parent.replies, q)
	}
	q.row = p.showPost(q, q.by).row
	p.announce(q, byAPI)
	return q, nil
}

// showPost puts a post into feeds and profiles.
func (p *Platform) showPost(q *post, by *user) *showing {
	s := &showing{row: p.ids.nextRow(), post: q, by: by}
	q.showings = append(q.showings, s)
	by.showings = append(by.showings, s)
	p.timeline = append(p.timeline, s)
	return s
}

// announce enters a new post into the ledger and notifies those it concerns.
func (p *Platform) announce(q *post, byAPI bool) {
	var answered *user
	e := Entry{Kind: Posted, From: q.by.id, Post: q.id, Text: q.text, ByAPI: byAPI}
	if q.parent != nil {
		answered = q.parent.by
		e.Kind, e.To = Replied, answered.id
	}
	if byAPI {
		e.Kind = Published
	}
	rest := q.named
	if e.Kind == Posted && len(q.named) > 0 {
		e.Kind, e.To, rest = Mentioned, q.named[0].id, rest[1:]
	}
	p.ledger.add(e)
	if answered != nil {
		p.notify(notification{
			from: q.by, to: answered, subject: platform.SubjectReply, entry: int64(q.id), post: q.id,
		})
	}
	for _, u := range rest {
		if u != answered && !byAPI {
			p.ledger.add(Entry{Kind: Mentioned, From: q.by.id, To: u.id, Post: q.id, Text: q.text})
		}
	}
	for _, u := range q.named {
		if u != answered || p.dialect.ReplyMentionsToo {
			p.notify(notification{
				from: q.by, to: u, subject: platform.SubjectMention, entry: int64(q.id), post: q.id,
			})
		}
	}
}

// mentionedUsers returns whom a text mentions beside its author, each once.
func (p *Platform) mentionedUsers(text string, by *user) []*user {
	var out []*user
	for name := range markedWords(text, '@') {
		if u := p.names[strings.ToLower(name)]; u != nil && u != by && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// markedWords yields the words of text that begin with mark, without it.
func markedWords(text string, mark rune) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		inWord := false
		for i, r := range text {
			if r == mark && !inWord {
				rest := text[i+1:]
				end := strings.IndexFunc(rest, func(r rune) bool { return !wordRune(r) })
				if end < 0 {
					end = len(rest)
				}
				if end > 0 && !yield(rest[:end]) {
					return
				}
			}
			inWord = wordRune(r)
		}
	}
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// postByID returns the post of that id, nil for none.
func (p *Platform) postByID(id platform.PostID) *post {
	i, found := slices.BinarySearchFunc(p.posts, id, func(q *post, id platform.PostID) int {
		return int(q.id - id)
	})
	if !found || p.posts[i].gone {
		return nil
	}
	return p.posts[i]
}

// takesReply reports whether u may reply.
func (p *post) takesReply(u *user) bool {
	switch {
	case u == nil || p.gone || !u.seesUser(p.by) || u.cutOff(p.by):
		return false
	case u == p.by:
		return true
	case p.privacy == "followers":
		return u.following.has(p.by)
	case p.privacy == "mentioned":
		return slices.Contains(p.named, u)
	default:
		return true
	}
}

// remove deletes a post, and with it what was told about it.
func (p *Platform) remove(q *post, byAPI bool) {
	q.gone = true
	q.by.posts--
	for _, s := range q.showings {
		s.gone = true
	}
	about := func(n *notification) bool { return n.post == q.id }
	concerned := slices.Clone(q.named)
	concerned = append(concerned, q.by)
	if q.parent != nil {
		q.parent.replies = slices.DeleteFunc(q.parent.replies, func(r *post) bool { return r == q })
		concerned = append(concerned, q.parent.by)
	}
	for _, u := range concerned {
		u.notifs = slices.DeleteFunc(u.notifs, about)
		u.mentions = slices.DeleteFunc(u.mentions, about)
	}
	for _, r := range q.likes.rows {
		r.key.liked.remove(q)
	}
	p.tags.remove(q)
	p.ledger.add(Entry{Kind: Deleted, From: q.by.id, Post: q.id, Text: q.text, ByAPI: byAPI})
}
