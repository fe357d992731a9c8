package campaigns

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// Whether a renewal lifts a post is found out once on a platform: our own page is read after the first one. What is read may be
// old, so only what has not risen for a while has not.

const (
	liftAgain = time.Minute      // between two looks
	liftMost  = 10 * time.Minute // after a renewal
)

// watched is a renewal of which it is to be seen whether it lifts its post.
type watched struct {
	Slot campaigns.SlotID `json:"slot"`
	Post platform.PostID  `json:"post"`
	Row  platform.RowID   `json:"row,omitempty"` // of the post on our own page before; 0: it was not shown there
	From time.Time        `json:"from"`          // when the renewal was done
}

var liftValue = bot.NewAccountValue[watched](group, "lift")

// watchRenewal begins to watch the first renewal of a platform.
func (s *state) watchRenewal(ctx context.Context, t *bot.Turn, id campaigns.SlotID, e *campaigns.Entry, at time.Time) error {
	if !e.Renew || s.Uses.Lifts != campaigns.Unknown {
		return nil
	}
	return liftValue.Save(ctx, t, watched{Slot: id, Post: e.Post, Row: e.Row, From: at})
}

// checkLifts looks whether a renewal has lifted its post. It returns when to look again; the zero time: no more.
func (s *state) checkLifts(ctx context.Context, t *bot.Turn) (again time.Time, err error) {
	if !slices.ContainsFunc(s.Campaigns, func(c *campaigns.Campaign) bool { return c.Renews }) {
		return time.Time{}, nil
	}
	w, is, err := liftValue.Load(ctx, t)
	if err != nil || !is {
		return time.Time{}, err
	}
	if s.Uses.Lifts != campaigns.Unknown { // somebody has told
		return time.Time{}, liftValue.Delete(ctx, t)
	}
	page, err := t.OwnPage(ctx, ownPosts)
	if isUnreadable(ctx, err) {
		return t.Now.Add(liftAgain), nil
	}
	if err != nil && !platform.Final(err) {
		return time.Time{}, err
	}
	row, reposts := rowOf(page, w.Post)
	switch over := t.Now.After(w.From.Add(liftMost)); {
	case row > w.Row: //mutate:lifts-row
		s.Uses.Lifts = campaigns.Yes
	case !over:
		return t.Now.Add(liftAgain), nil
	case row != 0 || reposts && w.Row != 0: // a page without rows, or without reposts, says nothing
		s.Uses.Lifts = campaigns.No
		s.tellNoLift(t, &w)
	}
	return time.Time{}, liftValue.Delete(ctx, t)
}

// rowOf returns the highest row of a post on a page, 0 for none, and whether the page shows reposts.
func rowOf(page []platform.Post, post platform.PostID) (row platform.RowID, reposts bool) {
	for i := range page {
		if page[i].ID == post {
			row = max(row, page[i].Row)
		}
		reposts = reposts || page[i].IsRepost
	}
	return row, reposts
}

// tellNoLift says once that reposting anew does nothing for a post.
func (s *state) tellNoLift(t *bot.Turn, w *watched) {
	t.Notify(event.Notice{Who: s.teamOf(w.Slot.Campaign), Text: fmt.Sprintf(
		"%s: the platform does not lift reposts: %d was taken back and reposted for %s, and stands where it stood. Each further renewal is asked for.",
		w.Slot.Campaign, w.Post, w.Slot)})
}

// teamOf returns who is told of a campaign.
func (s *state) teamOf(id string) string {
	if c := s.campaignByID(id); c != nil && c.Team != "" {
		return c.Team
	}
	return event.Everybody
}

// noteLifting takes over what somebody has seen of renewals on this platform: yes or no.
func noteLifting(s *state, words []string, _ campaigns.Note) (string, error) {
	said := campaigns.Tri(strings.Join(words, " "))
	if said != campaigns.Yes && said != campaigns.No {
		return "", obsoleteError("%q does not say whether a renewal lifts a post here: write yes or no", string(said))
	}
	s.Uses.Lifts = said
	return fmt.Sprintf("a renewal lifts a post on this platform: %s", said), nil
}
