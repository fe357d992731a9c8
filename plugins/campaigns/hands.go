package campaigns

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

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
