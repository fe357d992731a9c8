package campaigns

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

const (
	// shownAfter is how long after something of ours was over the platform may still show what was before: it reads from copies that
	// lag. What it shows against our book until then was done by nobody's hand.
	shownAfter = 5 * time.Minute
	// movesFor is how far back is looked for what may still be on its way; a slot of a campaign is however old it is.
	movesFor = time.Hour
)

// noteMoving notes whether something of ours with a post was on its way while it was read: so it is looked for afterwards.
func (s *state) noteMoving(ctx context.Context, t *bot.Turn, f facts, post platform.PostID) error {
	fact, read := f.Posts[post]
	if !read || fact.Unread || fact.Out != "" {
		return nil
	}
	fresh := t.Now.Add(-shownAfter)
	for _, id := range s.open(func(e campaigns.Entry) bool {
		return e.Post == post && e.At.After(fresh.Add(-movesFor)) || e.State == campaigns.Going
	}) {
		switch e := s.Memories[id.Campaign].Book[id]; {
		case e.Post != post:
		case e.State == campaigns.Going:
			fact.Moving = true
		case e.State == campaigns.Done || e.State == campaigns.Empty: // what did not come about may have been half done
			a, there, err := s.lastAction(ctx, t, id)
			if err != nil {
				return err
			}
			fact.Moving = fact.Moving || there && !a.LeftAt.IsZero() && a.EndedAt.After(fresh)
		default: // nothing has left
		}
	}
	all, err := t.Published(ctx, t.Now.Add(-movesFor))
	if err != nil {
		return err
	}
	for i := range all {
		if p := &all[i]; p.Post == post && (p.Ended.IsZero() || p.Ended.After(fresh)) && !p.At.After(t.Now) {
			fact.Moving = true
		}
	}
	if fact.Reposted == campaigns.No && s.Uses.Posts[campaigns.PostKey(post)].Reposted {
		if fact.Tidied, err = engine.Of(t).TakenBack(ctx, post); err != nil {
			return err
		}
	}
	f.Posts[post] = fact
	return nil
}
