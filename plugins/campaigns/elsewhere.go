package campaigns

import (
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// usesElsewhere returns the uses of an account with what its rules and programs have published, or are to publish, as far as that is
// stored: it counts for distances, gaps and the budget. Published is the method of a turn, or that of an inspect.Reader for the
// account.
func usesElsewhere(
	ctx context.Context, u campaigns.Uses, budget text.Limit, now time.Time,
	published func(ctx context.Context, since time.Time) ([]event.Publication, error),
) (campaigns.Uses, error) {
	since := u.Since(now, budget)
	all, err := published(ctx, since)
	if err != nil {
		return u, err
	}
	var others []campaigns.Outsider
	for i := range all {
		p := &all[i]
		// Our own are in the uses since they were decided, and would count twice.
		if event.IsNamed(p.Key) && strings.HasPrefix(p.By, group+"/") || p.At.Before(since) { //mutate:publishing-own
			continue
		}
		o := campaigns.Outsider{
			Key: p.Key, At: p.At, Apart: p.Apart, Done: p.Happened(),
			Over: p.State == event.StateDone || p.State == event.StateHeld,
		}
		if p.Post != 0 {
			o.Post = campaigns.PostKey(p.Post)
		}
		others = append(others, o)
	}
	return u.Outside(others, since, now, budget, len(all)), nil
}

// readElsewhere takes over what rules and programs publish.
func (s *state) readElsewhere(ctx context.Context, t *bot.Turn) (err error) {
	s.Uses, err = usesElsewhere(ctx, s.Uses, s.AccountFacts.Budget.Most, t.Now, t.Published)
	return err
}
