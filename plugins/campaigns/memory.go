package campaigns

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// snapshot is what is kept for an account, as it stands beside a mark. It is never changed.
type snapshot struct {
	values
	campaigns map[string]campaign
	known     []string // their ids, in the order in which they came
	uses      campaigns.Uses
	waiting   *Waiting
	edit      *campaigns.Note
	clock     *campaigns.WrongClock
}

// readAccount reads all that is kept for an account.
func readAccount(mark string, from source) (*snapshot, error) {
	s := &snapshot{values: values{mark: mark, raw: map[string]string{}}, campaigns: map[string]campaign{}}
	if _, err := s.read(from, usesName, &s.uses); err != nil {
		return nil, err
	}
	if _, err := s.read(from, knownName, &s.known); err != nil {
		return nil, err
	}
	if _, err := s.read(from, waitingName, &s.waiting); err != nil {
		return nil, err
	}
	if _, err := s.read(from, editName, &s.edit); err != nil {
		return nil, err
	}
	if _, err := s.read(from, clockName, &s.clock); err != nil {
		return nil, err
	}
	for _, id := range s.known {
		var err error
		if s.campaigns[id], err = s.readCampaign(from, id); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// inForce returns the campaigns that are in force.
func (s *snapshot) inForce() (all []*campaigns.Campaign) {
	for _, id := range s.known {
		if c := s.campaigns[id].force; c != nil {
			all = append(all, c)
		}
	}
	return all
}

// state is what is known of an account's campaigns in a turn, as the turn leaves it so far.
type state struct {
	campaigns.Account
	plugin   *Plugin
	account  event.Account
	was      *snapshot
	cold     bool // it was read, and may have been written by another version
	files    files
	fallen   map[string]error // campaigns of which nothing is done; see leaveOutPanicked
	force    written          // in force; Campaigns are those of them that are decided about
	stages   map[string]stage // that are not as they were
	tallied  bool             // stages have the slots of this turn
	known    []string
	waiting  *Waiting
	edit     *campaigns.Note                // the last one
	doubtful bool                           // it is open whether the clock is right
	shifting []string                       // ids of campaigns that wait for another account
	waits    map[campaigns.SlotID]time.Time // slots that are looked at again at a time
	news     []event.Notice                 // of an edit
	edited   string                         // what became of one, for the turn's decision record
	notes    []event.Entry                  // of what people have done, for the book
	forgets  []string                       // campaigns of which nothing stays
}

// load reads what is remembered, and takes edits over.
func (p *Plugin) load(ctx context.Context, t *bot.Turn) (*state, error) {
	s, err := p.restore(ctx, t)
	if err != nil {
		return nil, err
	}
	s.compareClocks(t)
	if err := s.findShifts(ctx, t); err != nil {
		return nil, err
	}
	s.adoptFiles(t)
	return s, nil
}

// restore reads what is remembered.
func (p *Plugin) restore(ctx context.Context, t *bot.Turn) (*state, error) {
	account := t.Trigger.Key.Account
	// The mark is another one whenever anything is, so what is remembered beside it need not be read: one value in the place of hundreds.
	mark, _, err := bot.NewAccountValue[string](group, markName).Load(ctx, t)
	if err != nil {
		return nil, err
	}
	was := p.knownSnapshot(account, mark)
	cold := was == nil
	if cold {
		if was, err = readAccount(mark, func(name string) (json.RawMessage, bool, error) {
			return bot.NewAccountValue[json.RawMessage](group, name).Load(ctx, t)
		}); err != nil {
			return nil, err
		}
		p.know(account, was)
	}
	s := &state{
		plugin: p, account: account, was: was, cold: cold, files: p.inForce(account), stages: map[string]stage{}, known: was.known, waiting: was.waiting, edit: was.edit,
		force: written{was.inForce(), map[string]string{}}, waits: map[campaigns.SlotID]time.Time{},
	}
	s.Campaigns, s.Uses, s.Memories = s.force.all, was.uses, make(map[string]campaigns.Memory, len(was.campaigns))
	for id, c := range was.campaigns {
		if s.Memories[id] = c.Memory; c.force != nil {
			s.force.encoded[id] = c.encoded
		}
	}
	s.AccountFacts.Budget, s.AccountFacts.Silent, s.AccountFacts.Clock = s.files.budget, s.Uses.Silent, was.clock
	if why, paused := engine.Of(t).Pauses()[""]; paused {
		s.AccountFacts.Paused = &campaigns.Note{By: "a person", Why: why}
	}
	s.waiting.withholdItems(&s.Account)
	return s, nil
}

// goneCampaigns returns the campaigns that are remembered and not in force, as far as that needs: with an id and a zone.
func (s *state) goneCampaigns() (all []*campaigns.Campaign) {
	for _, id := range s.known {
		if s.force.encoded[id] != "" {
			continue
		}
		if c, err := campaigns.New(campaigns.Campaign{ID: id, Zone: time.UTC}); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// save keeps what has changed.
func (s *state) save(ctx context.Context, t *bot.Turn) error {
	// Before anything is kept: reports count the slots of this turn, and stand in the memories that follow.
	s.countEnded()
	for _, n := range s.news {
		t.Notify(n)
	}
	for _, e := range s.notes {
		t.Record(e)
	}
	next := &snapshot{
		values:    values{mark: s.was.mark, raw: maps.Clone(s.was.raw)},
		campaigns: make(map[string]campaign, len(s.Memories)), known: s.known, uses: s.Uses, waiting: s.waiting, edit: s.edit, clock: s.AccountFacts.Clock,
	}
	// In the order of names: the mark is a hash of what has changed, and the same change has to have the same one.
	for _, id := range slices.Sorted(maps.Keys(s.Memories)) {
		was := s.was.campaigns[id]
		c := was
		c.Memory, c.Stage = s.Memories[id], s.stageOf(id)
		if encoded := s.force.encoded[id]; encoded != was.encoded {
			c.force, c.encoded = campaigns.ByID(s.force.all, id), encoded
		}
		next.campaigns[id] = next.keepCampaign(id, was, c)
		if !slices.Contains(next.known, id) {
			next.known = append(slices.Clip(next.known), id)
		}
	}
	for _, id := range s.forgets {
		next.dropCampaign(id, s.was.campaigns[id].Sheets)
		engine.Of(t).DropList(bookOf(id)) //mutate:book-forgotten
	}
	if next.known != nil {
		next.set(knownName, next.known)
	}
	if !isSame(&s.Uses, &s.was.uses) {
		next.set(usesName, s.Uses)
	}
	switch {
	case s.waiting == nil:
		next.dropValue(waitingName)
	case s.waiting != s.was.waiting:
		next.set(waitingName, s.waiting)
	}
	if s.edit != s.was.edit {
		next.set(editName, s.edit)
	}
	switch {
	case next.clock == nil:
		next.dropValue(clockName)
	case next.clock != s.was.clock:
		next.set(clockName, next.clock)
	}
	changed, err := next.store(ctx, t)
	if changed {
		// Also before the commit is made. If it is not, the mark in the store is the one before, and so is what is known beside it.
		s.plugin.know(t.Trigger.Key.Account, next)
	}
	return err
}

// knownSnapshot returns what stands beside a mark, if that is known.
func (p *Plugin) knownSnapshot(account event.Account, mark string) *snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen[account] {
		if s.mark == mark && mark != "" { //mutate:edit-mark
			return s
		}
	}
	return nil
}

// know remembers what stands beside a mark, and the one before, for when the turn comes to nothing.
func (p *Plugin) know(account event.Account, s *snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[account] = append(p.seen[account], s); len(p.seen[account]) > 2 {
		p.seen[account] = slices.Clone(p.seen[account][1:])
	}
}

// campaignByID returns one by its id, also one that is gone; nil for none.
func (s *state) campaignByID(id string) *campaigns.Campaign {
	if c := campaigns.ByID(s.Campaigns, id); c != nil {
		return c
	}
	return campaigns.ByID(s.goneCampaigns(), id)
}

// noteInBook writes what a person has done into the book, with the end of the turn.
func (s *state) noteInBook(now time.Time, c *campaigns.Campaign, what, says string) {
	s.notes = append(s.notes, event.Entry{List: bookOf(c.ID), Key: what + "@" + now.UTC().Format(time.RFC3339Nano), Text: says})
}

// open returns the slots of which something may still become, by name.
func (s *state) open(is func(campaigns.Entry) bool) []campaigns.SlotID {
	var all []campaigns.SlotID
	for _, m := range s.Memories {
		for id, e := range m.Book {
			if is(e) && s.fallen[id.Campaign] == nil {
				all = append(all, id)
			}
		}
	}
	slices.SortFunc(all, bySlotName)
	return all
}

// bySlotName orders slots.
func bySlotName(a, b campaigns.SlotID) int { return strings.Compare(a.String(), b.String()) }
