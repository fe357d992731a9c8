package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// The values of an account: a memory for each campaign that it has ever had, what the account has published, and which
// campaigns there are memories of.
var (
	usesValue  = bot.NewAccountValue[campaigns.Uses](group, "uses")
	knownValue = bot.NewAccountValue[[]string](group, knownName)
)

// knownName is kept for every account that has ever had a campaign, and for no other.
const knownName = "known"

func memoryValue(id string) bot.AccountValue[campaigns.Memory] {
	return bot.NewAccountValue[campaigns.Memory](group, "memory/"+id)
}

// state is what is known of an account's campaigns in a turn, as the turn leaves it so far.
type state struct {
	campaigns.Account
	gone   []*campaigns.Campaign // that are in no file any more, as far as something of them is open
	before map[string][]byte     // the memories as they were read, in JSON
	uses   []byte                // the same of Uses
	known  []string
	waits  map[campaigns.SlotID]time.Time // slots that are looked at again at a time
}

// load reads what is remembered, and takes edits over.
func (p *Plugin) load(ctx context.Context, t *bot.Turn) (*state, error) {
	s := &state{before: map[string][]byte{}, waits: map[campaigns.SlotID]time.Time{}}
	s.Campaigns, s.Memories = p.inForce(t.Trigger.Key.Account), map[string]campaigns.Memory{}
	s.World.Budget = *p.cfg.Budget
	if why, paused := t.Pauses()[""]; paused {
		s.World.Paused = &campaigns.Note{By: "a person", Why: why}
	}
	var err error
	if s.Uses, _, err = usesValue.Load(ctx, t); err != nil {
		return nil, err
	}
	if s.uses, err = json.Marshal(s.Uses); err != nil {
		return nil, err
	}
	if s.known, _, err = knownValue.Load(ctx, t); err != nil {
		return nil, err
	}
	for _, c := range s.Campaigns {
		if err := s.recall(ctx, t, c); err != nil {
			return nil, err
		}
		s.Memories[c.ID] = campaigns.Revise(c, s.Memories[c.ID], t.Now)
	}
	for _, id := range s.known {
		if _, there := s.Memories[id]; there {
			continue
		}
		c, err := campaigns.New(campaigns.Campaign{ID: id, Zone: time.UTC})
		if err != nil {
			return nil, err
		}
		if err := s.recall(ctx, t, c); err != nil {
			return nil, err
		}
		s.gone = append(s.gone, c)
		s.Memories[id] = campaigns.Retire(s.Memories[id], t.Now)
	}
	return s, nil
}

// recall reads the memory of a campaign.
func (s *state) recall(ctx context.Context, t *bot.Turn, c *campaigns.Campaign) error {
	m, _, err := memoryValue(c.ID).Load(ctx, t)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.Memories[c.ID], s.before[c.ID] = m, raw
	return nil
}

// save keeps what has changed.
func (s *state) save(ctx context.Context, t *bot.Turn) error {
	for _, id := range slices.Sorted(maps.Keys(s.Memories)) {
		m := s.Memories[id]
		raw, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("keep what is remembered of %s: %w", id, err)
		}
		if string(raw) == string(s.before[id]) {
			continue
		}
		if err := memoryValue(id).Save(ctx, t, m); err != nil {
			return err
		}
		if !slices.Contains(s.known, id) {
			s.known = append(slices.Clip(s.known), id)
			if err := knownValue.Save(ctx, t, s.known); err != nil {
				return err
			}
		}
	}
	raw, err := json.Marshal(s.Uses)
	if err != nil || string(raw) == string(s.uses) {
		return err
	}
	return usesValue.Save(ctx, t, s.Uses)
}

// campaign returns one by its id, also one that is gone; nil for none.
func (s *state) campaign(id string) *campaigns.Campaign {
	for _, all := range [][]*campaigns.Campaign{s.Campaigns, s.gone} {
		for _, c := range all {
			if c.ID == id {
				return c
			}
		}
	}
	return nil
}

// open returns the slots of which something may still become, by name.
func (s *state) open(is func(campaigns.Entry) bool) []campaigns.SlotID {
	var all []campaigns.SlotID
	for _, m := range s.Memories {
		for id, e := range m.Book {
			if is(e) {
				all = append(all, id)
			}
		}
	}
	slices.SortFunc(all, func(a, b campaigns.SlotID) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	return all
}
