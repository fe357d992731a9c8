package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// What stop_if asks for ends a campaign at once, with one notice: what is prepared or waits for its minute is withdrawn. A repost
// that a renewal has taken back is still made.

const (
	warned     = "campaigns/warned"
	warnedLast = time.Hour // how long a warning counts
)

// lastWarning is the last warning of the account.
type lastWarning struct {
	event.Warning
	At time.Time `json:"at"`
}

var warningValue = bot.NewAccountValue[lastWarning](group, "warning")

// heeds reports whether a warning ends a campaign.
func heeds(c *campaigns.Campaign) bool { return c.Stop.Warnings }

// heedsWarnings reports whether a warning ends a campaign of an account.
func (p *Plugin) heedsWarnings(account event.Account) bool {
	if slices.ContainsFunc(p.inForce(account).all, heeds) {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.seen[account], func(s *snapshot) bool { return slices.ContainsFunc(s.force, heeds) }) // an edit of it may wait
}

// noteWarning takes a warning. It reads nothing of the platform, which may not answer now.
func (p *Plugin) noteWarning(ctx context.Context, t *bot.Turn, w event.Warning) error {
	if err := warningValue.Save(ctx, t, lastWarning{w, t.Now}); err != nil {
		return err
	}
	s, err := p.load(ctx, t)
	if err != nil {
		return err
	}
	if err := s.endStopped(ctx, t); err != nil {
		return err
	}
	return s.save(ctx, t)
}

// endStopped ends the campaigns whose stop_if is met, and withdraws what is prepared of those that have ended.
func (s *state) endStopped(ctx context.Context, t *bot.Turn) error {
	var w lastWarning
	recent := false
	if slices.ContainsFunc(s.Campaigns, heeds) {
		last, is, err := warningValue.Load(ctx, t)
		if err != nil {
			return err
		}
		w, recent = last, is && t.Now.Sub(last.At) < warnedLast
	}
	for _, c := range s.Campaigns {
		if c.Stop.Warnings && recent {
			s.endCampaign(t, c, "stop_if → account: "+w.Why)
		}
		if s.Memories[c.ID].Ended != nil {
			if err := s.close(ctx, t, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// endCampaign ends a campaign, and says so once.
func (s *state) endCampaign(t *bot.Turn, c *campaigns.Campaign, why string) {
	m := s.Memories[c.ID]
	if m.Ended != nil {
		return
	}
	m.Ended = &campaigns.Note{At: t.Now, Why: why}
	s.set(c.ID, m)
	t.Notify(event.Notice{Who: s.teamOf(c.ID), Text: fmt.Sprintf("The campaign %s has ended: %s", cmp.Or(c.Name, c.ID), why)})
	t.Note("the campaign %s has ended: %s", c.ID, why)
}

// close withdraws what is prepared of a campaign that has ended, or waits for its minute. What has left goes on.
func (s *state) close(ctx context.Context, t *bot.Turn, c *campaigns.Campaign) error {
	for _, id := range open(s.Memories[c.ID].Book) {
		why := "the campaign has ended: " + s.Memories[c.ID].Ended.Why
		// It stays in the book as going: it may have left a moment ago, and what became of it tells when it is concluded.
		if s.Memories[c.ID].Book[id].State == campaigns.Going {
			if err := s.withdrawAction(ctx, t, id, why); err != nil {
				return err
			}
			continue
		}
		if err := s.withdrawPrepared(ctx, t, id, why); err != nil {
			return err
		}
	}
	return nil
}
