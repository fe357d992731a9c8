package campaigns

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// concludeDone takes over what became of what was done, what people decided about what is prepared, and takes back what is prepared
// for slots that are no more.
func (s *state) concludeDone(ctx context.Context, t *bot.Turn) error {
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.State == campaigns.Going }) {
		if err := s.doFor(id.Campaign, func() error { return s.ended(ctx, t, id) }); err != nil {
			return err
		}
	}
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.State == campaigns.Prepared }) {
		if err := s.doFor(id.Campaign, func() error { return s.ruled(ctx, t, id) }); err != nil {
			return err
		}
	}
	for _, c := range slices.Concat(s.goneCampaigns(), s.Campaigns) {
		for _, id := range campaigns.Orphans(c, s.Memories[c.ID]) {
			if err := s.withdrawPrepared(ctx, t, id, "the campaign has no such slot any more"); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended takes over what became of a slot that was published, once that is known.
func (s *state) ended(ctx context.Context, t *bot.Turn, id campaigns.SlotID) error {
	a, there, err := s.lastAction(ctx, t, id)
	if err != nil || there && !a.State.Final() {
		return err
	}
	if !there && t.Now.Before(s.Memories[id.Campaign].Book[id].At.Add(time.Hour)) {
		return nil // it is on its way into the store
	}
	l, later, err := readLeft(ctx, t, &a)
	if err != nil || later {
		return err
	}
	o := campaigns.Conclusion{At: campaigns.LaterTime(a.LeftAt, s.Memories[id.Campaign].Book[id].At), Why: a.Reason}
	switch {
	case !there:
		o.Why = "what was to be done is not known any more"
	case a.State == event.StateDone:
		o.Done = true
	}
	o.Unseen = a.Why.Code() == reason.Unseen
	o.Off = a.Verb == event.VerbRenew && a.State == event.StateRefused && a.ReconcileFrom != 0
	c := s.campaignByID(id.Campaign)
	if e := s.Memories[c.ID].Book[id]; o.Done {
		if err := s.watchRenewal(ctx, t, id, &e, o.At); err != nil {
			return err
		}
		post := e.Post
		if a.Verb == event.VerbPost {
			post = platform.PostID(a.Result)
		}
		if err := s.watchReplies(ctx, t, c, post, o.At); err != nil {
			return err
		}
	}
	post := s.Memories[c.ID].Book[id].Post
	if s.concludeSlot(t, id, o, l.encode()); o.Unseen {
		s.tellUnseen(t, c, post)
	}
	return nil
}

// tellUnseen tells that a post was deleted, or hidden, between the decision of its slot and its repost, and ends the campaign that asks for that.
func (s *state) tellUnseen(t *bot.Turn, c *campaigns.Campaign, post platform.PostID) {
	if c.Stop.Deleted { //mutate:unseen-stops
		s.endCampaign(t, c, fmt.Sprintf("%d was deleted, or is hidden", post))
		return
	}
	tellTeam(t, c, "%s: %d is out: it was deleted, or is hidden; it is looked at again after a week", c.ID, post)
}

// concludeSlot takes over what became of a slot, and writes it into the book. What was published is there when that is done.
func (s *state) concludeSlot(t *bot.Turn, id campaigns.SlotID, o campaigns.Conclusion, published []byte) {
	c := s.campaignByID(id.Campaign)
	s.Memories[c.ID], s.Uses = campaigns.Conclude(c, s.Memories[c.ID], s.Uses, id, o)
	end := event.Entry{List: bookOf(c.ID), Key: id.String() + bookEnd, Text: "done", Data: published}
	if !o.Done {
		end.Text, end.Data = notDone+o.Why, nil
	}
	t.Record(end) //mutate:concluding-book
}

// ruled takes over what a person has decided about a slot that is prepared.
func (s *state) ruled(ctx context.Context, t *bot.Turn, id campaigns.SlotID) error {
	a, there, err := s.lastAction(ctx, t, id)
	if err != nil || !there {
		return err
	}
	v, asked, err := engine.Of(t).Ruling(ctx, a.Key)
	if err != nil || !asked {
		return err
	}
	s.Memories[id.Campaign] = campaigns.Rule(s.Memories[id.Campaign], id, v)
	return nil
}

// It is looked what became of what was done a few seconds after it, and then ever less often: in steps of a part of the time since.
const (
	firstUnconcluded = 5 * time.Second
	partUnconcluded  = 4
	mostUnconcluded  = 5 * time.Minute
)

// nextConclusion returns when it may be known what became of what was done; false when all is.
func (s *state) nextConclusion(now time.Time) (at time.Time, open bool) {
	for _, id := range s.open(func(e campaigns.Entry) bool { return e.State == campaigns.Going }) {
		e := s.Memories[id.Campaign].Book[id]
		look := e.At.Add(firstUnconcluded)
		if !look.After(now) {
			look = now.Add(min(max(now.Sub(e.At)/partUnconcluded, firstUnconcluded), mostUnconcluded)) //mutate:concluding-steps
		}
		if !open || look.Before(at) {
			at, open = look, true
		}
	}
	return at, open
}
