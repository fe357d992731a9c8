package autoresponder

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	beatEvery = time.Minute
	// beatName is under what the store keeps when the heart last beat: that proves that it writes.
	beatName = "heartbeat"
)

// beat calls the address of the heartbeat each minute while all is well, until ctx is done.
func (p *Plugin) beat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		calling, client, watched := p.post.how()
		if calling == nil || calling.Heartbeat == nil || !p.well(ctx, watched) { //mutate:called-heartbeat
			continue
		}
		err := p.call(ctx, client, calling)
		switch {
		case err != nil && !failing && ctx.Err() == nil:
			p.cfg.Log.WarnContext(ctx, "the heartbeat could not be sent; trying again each minute", "err", err)
		case err == nil && failing:
			p.cfg.Log.InfoContext(ctx, "the heartbeat is sent again")
		}
		failing = err != nil
	}
}

func (p *Plugin) call(ctx context.Context, client *notify.Client, c *rules.Calling) error {
	return client.Get(ctx, &c.Heartbeat.Address)
}

// well tells whether all is well: the accounts are signed in, heard and not stopped, rules are in force, and the store
// writes.
func (p *Plugin) well(ctx context.Context, watched Watched) bool {
	if v := p.handler.Version(); watched == nil || v == nil || v.Count() == 0 || !p.memory.Faulty().IsZero() {
		return false
	}
	sources := watched.Health()
	for i := range sources {
		if sources[i].Deaf != "" {
			return false
		}
	}
	for _, s := range watched.Standing() {
		if s.Stopped || s.Session.Phase != session.Active && s.Session.Phase != session.Renewing {
			return false
		}
	}
	now, err := json.Marshal(time.Now())
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	return len(sources) > 0 && p.memory.Told(ctx, nil, map[string]json.RawMessage{beatName: now}) == nil
}
