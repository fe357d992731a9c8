package campaigns

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// The names of what is kept for an account: what it has published, which campaigns there are memories of, an edit that waits, and
// for each campaign that it has ever had a memory and, while it is in force, how it was written. The mark is another one whenever
// something else is: who knows what stood beside it needs to read nothing but the mark.
const (
	usesName    = "uses"
	knownName   = "known" // is kept for every account that has ever had a campaign, and for no other
	waitingName = "waiting"
	markName    = "mark"
	memoryName  = "memory/" // without what stands under the next two
	forceName   = "force/"  // of its slots, what is in force
	sheetName   = "book/"   // and a number: slots that are over
	appliedName = "applied/"
)

// snapshot is what is kept for an account, as it stands beside a mark. It is never changed.
type snapshot struct {
	mark     string
	memories map[string]remembered
	applied  map[string]string // what is in force, as campaigns.Encode has it
	force    []*campaigns.Campaign
	uses     campaigns.Uses
	known    []string
	waiting  *Waiting
	raw      map[string]string  // what is kept under each name, as it stands in the store
	sheets   map[string][]sheet // where the slots stand that are over, by campaign
}

// state is what is known of an account's campaigns in a turn, as the turn leaves it so far.
type state struct {
	campaigns.Account
	plugin   *Plugin
	account  event.Account
	was      *snapshot
	cold     bool // it was read, and may have been written by another version
	files    files
	fallen   map[string]error      // campaigns of which nothing is done; see leaveOutPanicked
	gone     []*campaigns.Campaign // that are not in force any more, as far as something of them is open
	force    []*campaigns.Campaign // in force; Campaigns are those of them that are decided about
	applied  map[string]string
	stages   map[string]stage
	tallied  bool // stages have the slots of this turn
	known    []string
	waiting  *Waiting
	shifting []string                       // ids of campaigns that wait for another account
	waits    map[campaigns.SlotID]time.Time // slots that are looked at again at a time
	news     []event.Notice                 // of an edit
	edited   string                         // what became of one, for the turn's decision record
	notes    []event.Entry                  // of what people have done, for the book
}

// load reads what is remembered, and takes edits over.
func (p *Plugin) load(ctx context.Context, t *bot.Turn) (*state, error) {
	s, err := p.restore(ctx, t)
	if err != nil {
		return nil, err
	}
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
		if was, err = read(mark, func(name string, to any) (bool, error) { return loadValue(ctx, t, name, to) }); err != nil {
			return nil, err
		}
		p.know(account, was)
	}
	s := &state{
		// Cloned where the turn may change it: the snapshot is that of the next turn, should this one come to nothing.
		plugin: p, account: account, was: was, cold: cold, files: p.inForce(account), force: was.force, applied: maps.Clone(was.applied), stages: map[string]stage{}, known: was.known, waiting: was.waiting,
		waits: map[campaigns.SlotID]time.Time{},
	}
	s.Campaigns, s.Uses, s.Memories = was.force, was.uses, make(map[string]campaigns.Memory, len(was.memories))
	for id, m := range was.memories {
		s.Memories[id] = m.Memory
	}
	s.findGone()
	s.AccountFacts.Budget, s.AccountFacts.Silent = s.files.budget, s.Uses.Silent
	if why, paused := engine.Of(t).Pauses()[""]; paused {
		s.AccountFacts.Paused = &campaigns.Note{By: "a person", Why: why}
	}
	return s, nil
}

// loadValue reads what is kept under a name; false when nothing is.
func loadValue(ctx context.Context, t *bot.Turn, name string, to any) (bool, error) {
	raw, there, err := bot.NewAccountValue[json.RawMessage](group, name).Load(ctx, t)
	if err != nil || !there {
		return false, err
	}
	return true, decode(name, raw, to)
}

func decode(name string, raw []byte, to any) error {
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("decode what is kept of campaigns as %s: %w", name, err)
	}
	return nil
}

// read reads all that is kept for an account. of reads what is kept under a name.
func read(mark string, of func(name string, to any) (bool, error)) (*snapshot, error) {
	s := &snapshot{mark: mark, memories: map[string]remembered{}, applied: map[string]string{}, raw: map[string]string{}, sheets: map[string][]sheet{}}
	stored := of
	of = func(name string, to any) (bool, error) {
		var raw json.RawMessage
		there, err := stored(name, &raw)
		if err != nil || !there {
			return false, err
		}
		// As it stands in the store: what a turn leaves as it was is recognised by that, and not written again.
		s.raw[name] = string(raw)
		return true, decode(name, raw, to)
	}
	if _, err := of(usesName, &s.uses); err != nil {
		return nil, err
	}
	if _, err := of(knownName, &s.known); err != nil {
		return nil, err
	}
	var w Waiting
	switch there, err := of(waitingName, &w); {
	case err != nil:
		return nil, err
	case there:
		s.waiting = &w
	}
	for _, id := range s.known {
		var err error
		if s.memories[id], s.sheets[id], err = readMemory(id, of); err != nil {
			return nil, err
		}
		var encoded json.RawMessage
		there, err := of(appliedName+id, &encoded)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		c, err := campaigns.Decode(encoded)
		if err != nil {
			return nil, err
		}
		s.applied[id], s.force = string(encoded), append(s.force, c)
	}
	return s, nil
}

// findGone finds the campaigns that are remembered and not in force.
func (s *state) findGone() {
	s.gone = nil
	for _, id := range s.known {
		if _, there := s.applied[id]; there {
			continue
		}
		if c, err := campaigns.New(campaigns.Campaign{ID: id, Zone: time.UTC}); err == nil { // it has an id and a zone
			s.gone = append(s.gone, c)
		}
	}
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
	c := changes{mark: s.was.mark, kept: maps.Clone(s.was.raw)}
	next := &snapshot{
		memories: make(map[string]remembered, len(s.Memories)), applied: s.applied, force: s.force, uses: s.Uses, known: s.known, waiting: s.waiting,
		raw: c.kept, sheets: maps.Clone(s.was.sheets),
	}
	// In the order of names: the mark is a hash of what has changed, and the same change has to have the same one.
	for _, id := range slices.Sorted(maps.Keys(s.Memories)) {
		s.keepMemory(&c, next, id)
	}
	if next.known != nil {
		c.set(knownName, next.known)
	}
	if !sameUses(&s.Uses, &s.was.uses) {
		c.set(usesName, s.Uses)
	}
	for _, id := range next.known {
		if now, there := s.applied[id]; there {
			c.put(appliedName+id, now)
		} else {
			c.dropValue(appliedName + id)
		}
	}
	switch {
	case s.waiting == nil:
		c.dropValue(waitingName)
	case s.waiting != s.was.waiting:
		c.set(waitingName, s.waiting)
	}
	if err := c.store(ctx, t); err != nil {
		return err
	}
	if next.mark = c.mark; next.mark != s.was.mark {
		// Also before the commit is made. If it is not, the mark in the store is the one before, and so is what is known beside it.
		s.plugin.know(t.Trigger.Key.Account, next)
	}
	return nil
}

// keepMemory keeps what is remembered of a campaign.
func (s *state) keepMemory(c *changes, next *snapshot, id string) {
	was, known := s.was.memories[id]
	m := remembered{Memory: s.Memories[id], Stage: was.Stage, Sheets: was.Sheets}
	l, changed := s.stages[id]
	if changed {
		m.Stage = l
	}
	if known && !changed && isSame(&m.Memory, &was.Memory) {
		next.memories[id] = was
		return
	}
	next.sheets[id] = keepSheets(c, id, s.was.sheets[id], was.Book, m.Book)
	m.Sheets = sheetNumbers(next.sheets[id])
	next.memories[id] = m
	if force := forceName + id; c.kept[force] == "" || !sameForce(&m.Force, &was.Force) {
		c.set(force, m.Force)
	}
	// Only what is stored is without them: the force has a name of its own, and slots that are over stand in sheets, so that a decision does
	// not write the whole book anew.
	m.Force, m.Book = campaigns.Force{}, openOf(m.Book)
	c.set(memoryName+id, m)
	if !slices.Contains(next.known, id) {
		next.known = append(slices.Clip(next.known), id)
	}
}

// changes are values that a turn changes.
type changes struct {
	mark  string
	kept  map[string]string // by name, as far as the changes go
	names []string
	raws  [][]byte // nil: nothing is kept any more
	err   error
}

// set changes a value, unless it reads as it was.
func (c *changes) set(name string, now any) {
	raw, err := json.Marshal(now)
	if err != nil {
		c.err = fmt.Errorf("keep %s of campaigns: %w", name, err)
		return
	}
	c.put(name, string(raw))
}

// put is set of a value that is encoded.
func (c *changes) put(name, raw string) {
	if was, is := c.kept[name]; is && was == raw {
		return
	}
	c.kept[name] = raw
	c.names, c.raws = append(c.names, name), append(c.raws, []byte(raw))
}

// dropValue leaves nothing of a value.
func (c *changes) dropValue(name string) {
	if _, is := c.kept[name]; !is {
		return
	}
	delete(c.kept, name)
	c.names, c.raws = append(c.names, name), append(c.raws, nil)
}

// store stores what has changed, with another mark. That is made of what it was and of what has changed, so that the same stands
// beside the same mark, whichever turn has written it.
func (c *changes) store(ctx context.Context, t *bot.Turn) error {
	if c.err != nil || len(c.names) == 0 {
		return c.err
	}
	sum := sha256.New()
	sum.Write([]byte(c.mark + "\n"))
	for i, name := range c.names {
		v := bot.NewAccountValue[json.RawMessage](group, name)
		sum.Write(fmt.Appendf(nil, "%s %d %s\n", name, len(c.raws[i]), c.raws[i]))
		err := error(nil)
		if c.raws[i] == nil {
			err = v.Delete(ctx, t)
		} else {
			err = v.Save(ctx, t, c.raws[i])
		}
		if err != nil {
			return err
		}
	}
	c.mark = hex.EncodeToString(sum.Sum(nil)[:12])
	return bot.NewAccountValue[string](group, markName).Save(ctx, t, c.mark)
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
	for _, all := range [][]*campaigns.Campaign{s.Campaigns, s.gone} {
		for _, c := range all {
			if c.ID == id {
				return c
			}
		}
	}
	return nil
}

// set changes what is remembered of a campaign.
func (s *state) set(id string, m campaigns.Memory) { s.Memories[id] = m }

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
	slices.SortFunc(all, func(a, b campaigns.SlotID) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	return all
}
