package campaigns

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Booked is a slot in the book of its campaign: what was decided about it, and what became of that.
type Booked struct {
	Slot    campaigns.SlotID
	Decided time.Time // when that was
	Trigger string    // of the turn that decided it
	Kind    campaigns.Kind
	Said    string // why, and why not something else: as people read it
	Sealed  bool   // what was decided cannot be read: the key is missing

	Minute time.Time // that the plan had shown
	Zone   string    // by the clocks of which the slot was written; "" where an older version has written this
	At     time.Time // when it was to leave; zero: nothing was
	Item   string    // the key of what was published, or would have been
	Post   platform.PostID
	Renew  bool

	Concluded time.Time // when it was known what became of it; zero: not yet
	Done      bool
	Failed    string // why it did not come about

	// What was published. Older versions have written nothing of it.
	Left     time.Time       // when, as the platform says, or else when it was sent
	Words    string          // of an own text: as they left
	Made     platform.PostID // what the text became
	Address  string          // where people open it; "" where the platform does not say
	Approved time.Time       // when somebody has approved it; zero: nobody had to
	By       event.Entry     // who: its Text. Without the entry it is not known any more; the rest of the book stays
}

// Open reports whether it is not known yet what became of what was decided.
func (b *Booked) Open() bool { return b.Kind == campaigns.Go && b.Concluded.IsZero() }

// What is behind the name of a slot where the book says what became of it, and who has approved it.
const (
	bookEnd = "#end"
	bookBy  = "#by"

	perSlot = 3 // entries at most, that with the name of the slot first
)

// ReadBook reads a campaign's book, slot by slot in the order of their names: those behind the name after, "" for the first ones, at
// most limit, or more than one. The next ones are behind the last name that it returns; no slots: there are no more.
func ReadBook(ctx context.Context, r inspect.Reader, account event.Account, id, after string, limit int) ([]Booked, error) {
	if after != "" && !strings.HasSuffix(after, bookEnd) {
		after += bookEnd + "~" // what became of it is not a slot of its own
	}
	var all []Booked
	for limit = max(limit, 1); ; {
		entries, err := r.Entries(ctx, account, bookOf(id), after, perSlot*limit)
		if err != nil || len(entries) == 0 {
			return nil, err
		}
		if all = booksOf(entries, limit); len(all) == 0 {
			after = entries[len(entries)-1].Key // there were only notes
			continue
		}
		last := &all[len(all)-1]
		if len(entries) == perSlot*limit { // the rest of it may stand behind
			entries, err = r.Entries(ctx, account, bookOf(id), last.Slot.String(), perSlot-1)
		}
		for i := range entries {
			last.addEntry(&entries[i])
		}
		return all, err
	}
}

// booksOf reads entries of a book, at most limit slots.
func booksOf(entries []event.Entry, limit int) []Booked {
	var all []Booked
	for i := range entries {
		slot, err := campaigns.ParseSlotID(entries[i].Key)
		switch {
		case err == nil && len(all) == limit:
			return all
		case err == nil:
			all = append(all, readBooked(slot, &entries[i]))
		case len(all) > 0:
			all[len(all)-1].addEntry(&entries[i])
		}
	}
	return all
}

// addEntry takes over what else stands of the slot.
func (b *Booked) addEntry(e *event.Entry) {
	switch e.Key {
	case b.Slot.String() + bookBy:
		b.By = *e
	case b.Slot.String() + bookEnd:
		b.concludeSlot(e)
	}
}

// concludeSlot takes over what became of the slot.
func (b *Booked) concludeSlot(e *event.Entry) {
	b.Concluded = e.At
	why, failed := strings.CutPrefix(e.Text, notDone)
	if b.Done = !failed; failed {
		b.Failed = why
	}
	var l left
	if json.Unmarshal(e.Data, &l) == nil { // an older version has written none
		b.Left, b.Words, b.Made = l.At, l.Words, l.Made
		b.Address = cmp.Or(l.Address, b.Address)
	}
}

// notDone begins what the book says of what did not come about.
const notDone = "not done: "

func readBooked(slot campaigns.SlotID, e *event.Entry) Booked {
	b := Booked{Slot: slot, Decided: e.At, Trigger: e.Trigger}
	var data booked
	if err := json.Unmarshal(e.Data, &data); err != nil {
		b.Sealed = true
		return b
	}
	b.Minute, b.At, b.Item, b.Post, b.Renew = data.Minute, data.At, data.Item, platform.PostID(data.Post), data.Renew
	b.Zone, b.Address, b.Approved = data.Zone, data.Address, data.Approved
	kind := e.Text
	if i := strings.IndexAny(kind, ":;"); i >= 0 {
		kind, b.Said = kind[:i], strings.TrimSpace(kind[i+1:])
	}
	b.Kind = campaigns.Kind(kind)
	return b
}

// ActionKey is the key of the n-th action of a slot, from 1 on: one that is prepared anew has another one.
func ActionKey(id campaigns.SlotID, n int) string { return event.NamedKey(actionKey(id, n)) }

// SlotOf returns the slot that an action is of; false when it is of none.
func SlotOf(actionKey string) (campaigns.SlotID, bool) {
	name, named := (&event.Action{Key: actionKey}).Name()
	name, ours := strings.CutPrefix(name, group+"/")
	if !named || !ours {
		return campaigns.SlotID{}, false
	}
	name, _, _ = strings.Cut(name, "/")
	id, err := campaigns.ParseSlotID(name)
	return id, err == nil
}

// Stored is what a bot keeps of an account's campaigns.
type Stored struct {
	campaigns.Account          // what is in force, and what is remembered, also of campaigns that are gone; World is the zero value
	Waiting           *Waiting // an edit that waits until people put it in force; nil for none
	// Edit is the last one that came into force: when, what it changed, and who let it where it waited. Nil where that is not known.
	Edit *campaigns.Note
}

// Having is to keep something of campaigns: of all other accounts Read returns the zero value.
func Having() record.Having { return record.Having{Thing: record.HasValues, Text: group} }

// LeavesAt returns when what is prepared for a slot, or decided, leaves, as the plan shows it; the zero time where nothing is. Until a
// slot is decided the action that was prepared for it has its latest departure for its time. The errors are those of Read.
func LeavesAt(ctx context.Context, r inspect.Reader, account event.Account, id campaigns.SlotID) (time.Time, error) {
	kept := values{raw: map[string]string{}}
	c, err := kept.readCampaign(func(name string) (json.RawMessage, bool, error) {
		v, err := r.AccountValue(ctx, account, group, name)
		return v.Value, v.Version != 0, err
	}, id.Campaign)
	return c.Book[id].At, err
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
	s, err := readAccount("", func(name string) (json.RawMessage, bool, error) {
		raw, there := kept[name]
		return raw, there, nil
	})
	if err != nil || len(kept) == 0 {
		return Stored{}, err
	}
	stored := Stored{Account: s.account(), Waiting: s.waiting, Edit: s.edit}
	stored.Uses, err = usesElsewhere(ctx, s.uses, campaigns.DefaultBudget.Most, time.Now(), func(ctx context.Context, since time.Time) ([]event.Publication, error) {
		return r.Published(ctx, account, since)
	})
	return stored, err
}

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
