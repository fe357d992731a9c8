package campaigns

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Stored is what a bot keeps of an account's campaigns.
type Stored struct {
	campaigns.Account          // what is in force, and what is remembered, also of campaigns that are gone; World is the zero value
	Waiting           *Waiting // an edit that waits until people put it in force; nil for none
}

// Having is to keep something of campaigns: of all other accounts Read returns the zero value.
func Having() record.Having { return record.Having{Thing: record.HasValues, Text: group} }

// LeavesAt returns when what is prepared for a slot, or decided, leaves, as the plan shows it; the zero time where nothing is. Until a
// slot is decided the action that was prepared for it has its latest departure for its time. The errors are those of Read.
func LeavesAt(ctx context.Context, r inspect.Reader, account event.Account, id campaigns.SlotID) (time.Time, error) {
	m, _, err := readMemory(id.Campaign, func(name string, to any) (bool, error) {
		v, err := r.AccountValue(ctx, account, group, name)
		if err != nil || v.Version == 0 {
			return false, err
		}
		return true, decode(name, v.Value, to)
	})
	if err != nil {
		return time.Time{}, err
	}
	return m.Book[id].At, nil
}

// Read returns what is kept of an account's campaigns, also while the bot runs, with what its rules and programs publish. Without campaigns it is the zero value. The errors are
// those of the store, and of what cannot be decoded.
func Read(ctx context.Context, r inspect.Reader, account event.Account) (Stored, error) {
	const page = 1000
	kept, after := map[string][]byte{}, ""
	for {
		values, err := r.AccountValues(ctx, account, group, after, page)
		if err != nil {
			return Stored{}, err
		}
		for _, v := range values {
			kept[v.Name], after = v.Value, v.Name
		}
		if len(values) < page {
			break
		}
	}
	// By the function of the plugin, so that the plan and the bot read the same memory. Without a mark: nothing is remembered beside it.
	s, err := read("", func(name string, to any) (bool, error) {
		raw, there := kept[name]
		if !there {
			return false, nil
		}
		return true, decode(name, raw, to)
	})
	if err != nil || len(kept) == 0 {
		return Stored{}, err
	}
	stored := Stored{Waiting: s.waiting}
	stored.Campaigns, stored.Uses, stored.Memories = s.force, s.uses, map[string]campaigns.Memory{}
	for id, m := range s.memories {
		stored.Memories[id] = m.Memory
	}
	stored.Uses, err = usesElsewhere(ctx, s.uses, campaigns.DefaultBudget.Most, time.Now(), func(ctx context.Context, since time.Time) ([]event.Publication, error) {
		return r.Published(ctx, account, since)
	})
	return stored, err
}
