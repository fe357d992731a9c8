package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/platform"
)

// all reports whether all conditions hold, and why or why not. While facts are missing it says no.
func (d *decider) all(conds []cond, p *decision.Progress) (bool, string) {
	var why []string
	for i := range conds {
		ok, because := d.holds(&conds[i], p)
		if !ok {
			return false, because
		}
		if because != "" {
			why = append(why, because)
		}
	}
	switch {
	case len(conds) == 0:
		return true, "there are no conditions"
	case len(why) == 0: // they say only what must not be
		return true, "nothing speaks against it"
	}
	return true, strings.Join(why, ", ")
}

// holds reports whether a condition holds: what costs nothing comes first.
func (d *decider) holds(c *cond, p *decision.Progress) (bool, string) {
	var why []string
	for _, part := range []func() (bool, string){
		func() (bool, string) { return d.textHolds(c) },
		func() (bool, string) { return d.hoursHold(c) },
		func() (bool, string) { return d.calendarHolds(c) },
		func() (bool, string) { return d.standing(c) },
		func() (bool, string) { return d.answersHold(c, p) },
		func() (bool, string) { return d.senderHolds(c) },
		func() (bool, string) { return d.postHolds(c) },
	} {
		ok, because := part()
		if !ok {
			return false, because
		}
		if because != "" {
			why = append(why, because)
		}
	}
	return true, strings.Join(why, ", ")
}

func (d *decider) textHolds(c *cond) (bool, string) {
	if c.text < 0 {
		return true, ""
	}
	_, ok := slices.BinarySearch(d.hits, c.text)
	if !d.in.Explain {
		return ok, ""
	}
	found := d.v.Texts.ExplainPattern(c.text, d.reading)
	d.nearest = found.Nearest
	return ok, VerdictText(found)
}

// VerdictText says why a text condition holds, or comes nearest to it.
func VerdictText(v match.Verdict) string {
	if v.Nearest != "" {
		return v.By + "; nearest: " + v.Nearest
	}
	return v.By
}

func (d *decider) hoursHold(c *cond) (bool, string) {
	s := d.scopeOf()
	if c.Hours == "" || s.Hours == nil {
		return true, ""
	}
	is := grammar.Closed
	if s.Hours.OpenAt(d.now.In(s.zone)) {
		is = grammar.Open
	}
	return is == c.Hours, "hours: we are " + string(is)
}

func (d *decider) standing(c *cond) (bool, string) {
	if c.Conversation == nil {
		return true, ""
	}
	if first := c.Conversation.First; first != nil && *first == d.state.Memory.Spoken {
		return false, "first_message is " + fmt.Sprint(!d.state.Memory.Spoken)
	}
	owner := d.state.Owner
	switch want := c.Conversation.Owner; {
	case want == "", want == grammar.OwnerNobody && owner == "", want == grammar.OwnerAnybody && owner != "", want == owner:
		return true, ""
	case owner == "":
		return false, "nobody has the conversation"
	default:
		return false, owner + " has the conversation"
	}
}

func (d *decider) answersHold(c *cond, p *decision.Progress) (bool, string) {
	for i := range c.Answers {
		want := &c.Answers[i]
		var got decision.Answer
		if p != nil {
			got = p.Answers[want.Name]
		}
		switch {
		// What was no number when it was answered, before an edit of the step, has none.
		case want.Range != nil && (got.Text != TrimNumber(got.Number) || !want.Range.HoldsNumber(got.Number)), got.Text == "":
			return false, fmt.Sprintf("%s is not %s", want.Name, want.ShownText())
		case want.Range == nil && !slices.ContainsFunc(want.Is, func(want string) bool { return isAnswer(&got, want) }):
			return false, fmt.Sprintf("%s is not %s", want.Name, want.ShownText())
		}
	}
	return true, ""
}

func (d *decider) senderHolds(c *cond) (bool, string) {
	s := c.Sender
	if s == nil {
		return true, ""
	}
	has := func(label string) bool { return slices.Contains(d.state.Labels, label) }
	is := func(user string) bool {
		return strings.EqualFold(strings.TrimPrefix(user, "@"), strings.TrimPrefix(d.state.User, "@"))
	}
	switch {
	case len(s.LabelsAny) > 0 && !slices.ContainsFunc(s.LabelsAny, has):
		return false, "labels_any: no such label"
	case slices.ContainsFunc(s.LabelsAll, func(l string) bool { return !has(l) }):
		return false, "labels_all: one is not there"
	case slices.ContainsFunc(s.LabelsNone, has):
		return false, "labels_none: the conversation has one of them"
	case len(s.Is) > 0 && !slices.ContainsFunc(s.Is, is):
		return false, "is: somebody else"
	case slices.ContainsFunc(s.IsNot, is):
		return false, "is_not: it is one of them"
	}
	wrote, writes := d.writesHold(s)
	if !wrote {
		return false, writes
	}
	// What is known is checked before what has to be read: a profile costs a call of the platform.
	if ok, why := d.listsHold(s); !ok {
		return false, why
	}
	ok, why := d.profileHolds(s)
	return ok, cmp.Or(why, writes)
}

func (d *decider) listsHold(s *grammar.SenderCondition) (bool, string) {
	for _, list := range s.NotInList {
		on, known := d.listed(list)
		if !known || on {
			return false, "not_in_list: the person is on " + list
		}
	}
	for _, list := range s.InList {
		if on, known := d.listed(list); !known {
			return false, ""
		} else if on {
			return true, ""
		}
	}
	if len(s.InList) > 0 {
		return false, "in_list: the person is on none of them"
	}
	return true, ""
}

// listed reports whether the person is on a list; known is false when that has to be read first.
func (d *decider) listed(list string) (on, known bool) {
	if users, ok := d.v.Folder.Settings.Lists.Get(list); ok {
		for _, u := range users {
			if strings.EqualFold(strings.TrimPrefix(u, "@"), strings.TrimPrefix(d.state.User, "@")) {
				return true, true
			}
		}
	}
	known = d.readFact(needListed(list), &on)
	return on, known
}

func (d *decider) profileHolds(s *grammar.SenderCondition) (bool, string) {
	if s.FollowsMe != nil {
		var follows bool
		if !d.readFact(decision.Need{Name: "follower", Kind: decision.NeedFollower}, &follows) {
			return false, ""
		}
		if follows != *s.FollowsMe {
			return false, fmt.Sprintf("follows_me is %v", follows)
		}
	}
	if s.Followed == nil && s.Verified == nil {
		return true, ""
	}
	var profile platform.Profile
	switch {
	case !d.readFact(decision.Need{Name: "profile", Kind: decision.NeedProfile}, &profile):
		return false, ""
	case s.Followed != nil && *s.Followed != profile.IsFollowing:
		return false, fmt.Sprintf("followed_by_me is %v", profile.IsFollowing)
	case s.Verified != nil && *s.Verified != profile.Verified:
		return false, fmt.Sprintf("verified is %v", profile.Verified)
	}
	return true, ""
}

func (d *decider) postHolds(c *cond) (bool, string) {
	want := c.Post
	if want == nil {
		return true, ""
	}
	if d.event.Post == 0 {
		return false, "there is no post"
	}
	var post platform.Post
	// It is asked for in Needs, and all is decided again. Until then the rule does not hold, and says no reason.
	if !d.readFact(NeedPost(d.event.Post), &post) {
		return false, ""
	}
	age := d.now.Sub(post.Time)
	switch {
	case want.Mine != nil && *want.Mine != post.IsOwner:
		return false, fmt.Sprintf("mine is %v", post.IsOwner)
	case want.NewerThan > 0 && age >= time.Duration(want.NewerThan):
		return false, fmt.Sprintf("newer_than: the post is %s old", age.Round(time.Hour))
	case want.OlderThan > 0 && age <= time.Duration(want.OlderThan):
		return false, fmt.Sprintf("older_than: the post is %s old", age.Round(time.Hour))
	case len(want.WithTag) > 0 && !slices.ContainsFunc(want.WithTag, func(tag string) bool { return tagged(post.Text, tag) }):
		return false, "with_tag: it has none of them"
	case c.post >= 0 && !d.postSays(c.post, post.Text):
		return false, "post: its text is another one"
	}
	return true, ""
}

// postSays reports whether a post's text fits a text condition.
func (d *decider) postSays(n int, said string) bool {
	hits, ok := d.posts[said]
	if !ok {
		hits = d.v.Texts.Match(match.Read(said), nil)
		d.posts = map[string][]int{said: hits}
	}
	_, ok = slices.BinarySearch(hits, n)
	return ok
}

// tagged reports whether a text has a hashtag.
func tagged(said, tag string) bool {
	tag = strings.TrimPrefix(tag, "#")
	return slices.ContainsFunc(strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" \n\t,.!?;:()", r) }),
		func(word string) bool { return strings.HasPrefix(word, "#") && strings.EqualFold(word[1:], tag) })
}

var needCeiling = decision.Need{Name: "ceiling", Kind: decision.NeedCeiling}

// NeedPost asks for a post.
func NeedPost(id platform.PostID) decision.Need {
	return decision.Need{Name: "post:" + strconv.FormatInt(int64(id), 10), Kind: decision.NeedPost, Post: id}
}

// NeedUses asks how often the limit of a limit use is used up.
func NeedUses(c event.LimitUse) decision.Need {
	return decision.Need{Name: "uses:" + c.Limit + "|" + c.Scope, Kind: decision.NeedUses, LimitUse: c}
}

func needListed(list string) decision.Need {
	return decision.Need{Name: "list:" + list, Kind: decision.NeedListed, List: list}
}

func needEntry(list, key string) decision.Need {
	return decision.Need{Name: "entry:" + list + "/" + key, Kind: decision.NeedEntry, List: list, Key: key}
}

func needAction(key string) decision.Need {
	return decision.Need{Name: "action:" + key, Kind: decision.NeedAction, Key: key}
}

// noteLanguage remembers in which language the person writes, so that "ok" and "14:00" belong to the language before them.
func (d *decider) noteLanguage() {
	if !d.v.asksForLanguage || !d.when.SaysSomething() {
		return
	}
	if code, ok := d.reading.WrittenIn(); ok && code != d.state.Memory.Writes {
		d.state.Memory.Writes, d.changed = code, true
	}
}

// writesHold reports whether the person writes in a language that a condition asks for. As long as their texts do not tell, it is the file's language.
func (d *decider) writesHold(s *grammar.SenderCondition) (bool, string) {
	if len(s.Writes) == 0 {
		return true, ""
	}
	writes := cmp.Or(d.state.Memory.Writes, string(d.scopeOf().Language), string(language.English))
	if !slices.ContainsFunc(s.Writes, func(code string) bool { return strings.EqualFold(code, writes) }) {
		return false, fmt.Sprintf("writes: it is %s", writes)
	}
	return true, "writes: " + writes
}
