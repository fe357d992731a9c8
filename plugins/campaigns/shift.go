package campaigns

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// A campaign that an edit moves from one account to another is taken away from the first one, which may wait for people, and added to
// the second one, which would not. So that no slot is published by both, the second one begins when the first one has ended.

const (
	shiftLook  = 15 * time.Second // how often the second account looks
	shiftGrace = 5 * time.Second  // within which the files of all accounts are told
)

// findShifts finds out which campaigns the files have here that another account still runs: they wait for it.
func (s *state) findShifts(ctx context.Context, t *bot.Turn) error {
	p, account := s.plugin, t.Trigger.Key.Account
	if p.cfg.Store == nil || len(p.knownAccounts()) < 2 || !s.files.told {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(s.files.encoded)) {
		if _, here := s.applied[id]; here {
			continue
		}
		from, err := p.stillAt(ctx, account, id, t.Now.Sub(s.files.at) >= shiftGrace)
		if err != nil {
			return err
		}
		if from == "" {
			continue
		}
		t.Note("%s is in force on the account %s: it begins here when it is not any more", id, from)
		s.shifting = append(s.shifting, id)
	}
	return nil
}

// stillAt returns the account from which a campaign moves here, as long as it is in force there; "" for none. Accounts with folders
// of their own may have campaigns of one id for good: concluded is true once it is known whether they do.
func (p *Plugin) stillAt(ctx context.Context, here event.Account, id string, concluded bool) (event.Account, error) {
	for _, a := range p.knownAccounts() {
		if f := p.inForce(a); a == here || concluded && (!f.told || f.encoded[id] != "") {
			continue
		}
		v, err := p.cfg.Store.AccountValue(ctx, a, group, appliedName+id)
		if err != nil {
			return "", err
		}
		if v.Version != 0 && len(v.Value) > 0 { //mutate:shift-waits
			return a, nil
		}
	}
	return "", nil
}

// leaveOut returns what is wanted without what another account still runs.
func (s *state) leaveOut(next []*campaigns.Campaign, encoded map[string]string) ([]*campaigns.Campaign, map[string]string) {
	next = slices.DeleteFunc(next, func(c *campaigns.Campaign) bool { return slices.Contains(s.shifting, c.ID) })
	for _, id := range s.shifting {
		delete(encoded, id)
	}
	return next, encoded
}
