package campaigns

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

const (
	ownPosts   = 60 // posts of our own page that are looked through for a repost
	foundPosts = 60 // posts of a person that are looked through for one that fits
)

// facts are what was read for a slot.
type facts struct {
	*campaigns.Facts
}

func newFacts() facts {
	return facts{campaigns.NewFacts()}
}

// read reads what a decision needs.
func (f facts) read(ctx context.Context, t *bot.Turn, c *campaigns.Campaign, n campaigns.Need, a *campaigns.Account) error {
	if n.Post != 0 {
		err := f.post(ctx, t, c, n.Post)
		if isUnreadable(ctx, err) { //mutate:reading-away
			t.Note("the post %d is not read now: %v", n.Post, err)
			f.Posts[n.Post], err = campaigns.PostFact{Unread: true}, nil
		}
		return err
	}
	for i := range c.Items {
		if item := &c.Items[i]; item.Key == n.Find {
			err := f.find(ctx, t, item, n.At, a)
			if isUnreadable(ctx, err) {
				t.Note("%s is not read now: %v", item.Name(), err)
				f.Found[item.Key], err = campaigns.FoundFact{Unread: true}, nil
			}
			return err
		}
	}
	return fmt.Errorf("the slot needs %q, which is not in the campaign", n.Find)
}

// isUnreadable reports whether something could not be read since the platform does not tell it now. The turn does not wait for that: other
// slots are due.
func isUnreadable(ctx context.Context, err error) bool {
	return ctx.Err() == nil && err != nil && platform.Classify(err) == platform.NotNow
}

// nextReading returns when to read again what could not be read for a slot that is so far ahead.
func nextReading(ahead time.Duration) time.Duration {
	return max(30*time.Second, min(ahead/100, 15*time.Minute))
}

// post reads a post, and what our own page shows of it. A post that is not there, or not for us, is a fact, too.
func (f facts) post(ctx context.Context, t *bot.Turn, c *campaigns.Campaign, id platform.PostID) error {
	th, err := t.Thread(ctx, id)
	switch class := platform.Classify(err); {
	case class == platform.Gone, c.Stop.Deleted && errors.Is(err, platform.ErrInvalid): //mutate:reading-gone
		// Platforms say the same of a post that was deleted and of one that is hidden: who wants to end then ends with either.
		f.Posts[id] = campaigns.PostFact{Out: campaigns.Gone}
		return nil
	case class == platform.NotAllowed:
		f.Posts[id] = campaigns.PostFact{Out: campaigns.Hidden}
		return nil
	default:
		if err != nil {
			return err
		}
	}
	post := &th.Post
	fact := campaigns.PostFact{Reposted: repostState(post), Posted: post.Time, Own: post.IsOwner, Words: wordsHash(post.Text), Address: post.URL}
	page, err := t.OwnPage(ctx, ownPosts)
	if err != nil && !platform.Final(err) {
		return err
	}
	fact.Unread = err != nil && fact.Reposted == campaigns.Unknown // nothing tells
	fact.Row, _ = rowOf(page, id)
	for i := range page {
		if page[i].ID == id && page[i].IsRepost {
			fact.OnPage = true
			fact.Since, fact.Latest = madeAt(page, i, post.Time, t.Now)
		}
	}
	f.Posts[id] = fact
	return nil
}

// repostState is what a post says of our repost.
func repostState(p *platform.Post) campaigns.Tri {
	switch {
	case p.RepostUntold: //mutate:reading-untold
		return campaigns.Unknown
	case p.HasReposted:
		return campaigns.Yes
	}
	return campaigns.No
}

// isSilent reports whether posts that were read do not tell whether we have reposted them. Without any, it is as it was: what could not
// be read says nothing of the platform.
func (f facts) isSilent(was bool) bool {
	for _, p := range f.Posts {
		if p.Out == "" && !p.Unread { //mutate:reading-silent
			was = p.Reposted == campaigns.Unknown
		}
	}
	return was
}

// find looks for the newest post of a person that fits and is not used, for a slot at a time.
func (f facts) find(ctx context.Context, t *bot.Turn, item *campaigns.Item, slot time.Time, a *campaigns.Account) error {
	found := campaigns.FoundFact{}
	who, err := t.ProfileOf(ctx, item.From)
	if err != nil && !platform.Final(err) {
		return err
	}
	if err == nil {
		posts, err := t.PostsOf(ctx, who.ID, foundPosts)
		if err != nil && !platform.Final(err) {
			return err
		}
		var newest platform.Post
		for _, p := range posts {
			if item.NewerThan > 0 && slot.Sub(p.Time) > item.NewerThan || a.Taken(p.ID) { //mutate:found-fits
				continue
			}
			if p.UserID == who.ID && !p.IsRepost && p.Thread == 0 && !p.Advertising && campaigns.Tagged(p.Text, item.Tag) && p.Time.After(newest.Time) {
				newest = p
			}
		}
		found.Post = newest.ID
	}
	f.Found[item.Key] = found
	return nil
}

// wordsHash is a hash of what a post says.
func wordsHash(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return fmt.Sprintf("%016x", h.Sum64())
}

// What people publish by hand, from a phone, is seen on the account's own page, which is read right before a slot.

const (
	handsBefore = 2 * time.Minute // a slot that is so near is looked at with what people have published
	handsPosts  = 20              // of the own page that are read for a slot that reads no post
)

// looksAtHands reports whether what people have published matters to a slot now.
func looksAtHands(v *campaigns.Verdict, now time.Time) bool {
	switch v.Kind {
	case campaigns.Go, campaigns.Needs, campaigns.Watched:
		return !v.Slot.Minute.After(now.Add(handsBefore))
	default:
		return false
	}
}

// readByHand takes over what people have published by hand so shortly ago that a slot may be too close to it: own posts. Of their reposts the
// page shows when the post was written. A page that cannot be read now says nothing: no slot waits for it.
func (s *state) readByHand(ctx context.Context, t *bot.Turn, c *campaigns.Campaign) error {
	most := handsPosts
	if c.Do == campaigns.Repost {
		most = ownPosts // the post is read with it
	}
	page, err := t.OwnPage(ctx, most)
	switch {
	case err != nil && (platform.Final(err) || isUnreadable(ctx, err)):
		return nil
	case err != nil:
		return err
	}
	since := t.Now.Add(-max(c.KeepApart, s.AccountFacts.Budget.Apart))
	ours, err := t.Published(ctx, since.Add(-shownAfter))
	if err != nil {
		return err
	}
	made := map[platform.PostID]bool{}
	for i := range ours {
		made[ours[i].Post] = made[ours[i].Post] || ours[i].Verb == event.VerbPost || ours[i].Verb == ""
	}
	for i := range page {
		p := &page[i]
		if p.IsRepost || p.Thread != 0 || p.Advertising || made[p.ID] || !p.Time.After(since) || isAhead(p.Time, t.Now) { //mutate:hands-posts
			continue
		}
		s.Uses = s.Uses.ByHand(p.Time, s.AccountFacts.Budget.Most)
	}
	return nil
}

// madeAt returns when the repost in a row of our own page was made, at the earliest and at the latest. posted is when its post was
// written. A page that shows another time than that shows when it was reposted: then the second one is zero. Others have what came last
// first: the repost was made after the own posts below it, and before those above it.
func madeAt(page []platform.Post, row int, posted, now time.Time) (since, latest time.Time) {
	at := page[row].Time
	if !at.IsZero() && !posted.IsZero() && !at.Equal(posted) && !isAhead(at, now) {
		return at, time.Time{}
	}
	latest = now
	for i := range page {
		p := &page[i]
		if p.IsRepost || p.Time.IsZero() || isAhead(p.Time, now) {
			continue
		}
		if above(page, i, row) {
			if p.Time.Before(latest) {
				latest = p.Time
			}
		} else if early := p.Time.Add(-shownAfter); early.After(since) { // its clock is not ours
			since = early
		}
	}
	return since, latest
}

// isAhead reports whether a time that the platform names is farther ahead than its clock may be: it says nothing.
func isAhead(at, now time.Time) bool { return at.After(now.Add(shownAfter)) }

// above reports whether a row of a page came later than another one.
func above(page []platform.Post, i, row int) bool {
	if a, b := page[i].Row, page[row].Row; a != 0 && b != 0 {
		return a > b
	}
	return i < row
}
