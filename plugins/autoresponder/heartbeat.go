package autoresponder

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	beatEvery = time.Minute
	// beatName is under what the store keeps when the heart last beat: that proves that it writes.
	beatName = "heartbeat"
)

// callHeartbeat calls the address of the heartbeat each minute while all is well, until ctx is done.
func (p *Plugin) callHeartbeat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	failing := map[string]bool{} // by address
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, _ := p.post.currentCallings()
		for _, c := range now.onlyKnown() {
			if c.Heartbeat == nil || !p.well(ctx, p.post.watchedBot(), c) { //mutate:called-heartbeat
				continue
			}
			id := c.Heartbeat.ID()
			err := c.client.Get(ctx, &c.Heartbeat.Address)
			switch {
			case err != nil && !failing[id] && ctx.Err() == nil:
				p.cfg.Log.WarnContext(ctx, "the heartbeat could not be sent; trying again each minute", "err", err)
			case err == nil && failing[id]:
				p.cfg.Log.InfoContext(ctx, "the heartbeat is sent again")
			}
			failing[id] = err != nil
		}
	}
}

// plans reports whether there are campaigns: a folder may have nothing else.
func plans(v *rules.Version) bool {
	all, _ := v.Campaigns()
	return len(all) > 0
}

// well reports whether all is well with the accounts of a folder: they are signed in, heard and not stopped, rules or campaigns are
// in force, and the store writes.
func (p *Plugin) well(ctx context.Context, watched Watched, c *calling) bool {
	if watched == nil || !p.memory.Faulty().IsZero() {
		return false
	}
	j := watched.Judgement()
	for i := range j.Process {
		switch j.Process[i].Why.Code() {
		case record.TroubleLines, record.TroubleRules, record.TroubleClock: // people are answered all the same
		default:
			return false
		}
	}
	for account, all := range j.Accounts {
		isIll := func(t record.Trouble) bool { return t.Why.Code() != record.TroubleLate } // late, and answered all the same
		if c.isAbout(account) && slices.ContainsFunc(all, isIll) {
			return false
		}
	}
	sources := watched.Health()
	for i := range sources {
		if c.isAbout(sources[i].Account) && sources[i].Unhealthy != "" {
			return false
		}
	}
	for _, s := range watched.Standing() {
		if !c.isAbout(s.Account) {
			continue
		}
		if v := p.handler.Version(s.Account); v == nil || v.Count() == 0 && !plans(v) {
			return false
		}
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
