package autoresponder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// sets is what the plugin needs of a store for accounts that act by what is published there.
type sets interface {
	// Sets returns the sets as they are in force.
	Sets(ctx context.Context) ([]record.Set, error)
	// Rules returns the content of rules by their hash.
	Rules(ctx context.Context, hash string) (string, bool, error)
}

// shelf has the published sets as they were last read: all folders look at it, so that the store is asked once for all of them.
type shelf struct {
	sets  sets // nil for none
	fresh time.Duration

	mu  sync.Mutex // guards the fields below
	at  time.Time
	all map[string]record.Set
}

func newShelf(memory Memory, look time.Duration) *shelf {
	sets, _ := memory.(sets)
	// Shorter than a look, or a folder could find at its next one what it has seen; and long enough for one question for all that look together.
	return &shelf{sets: sets, fresh: look / 2}
}

// errUnasked is that the store cannot be asked at the moment, which it tells people itself.
var errUnasked = errors.New("the store cannot be asked")

// set returns a set as it is in force.
func (s *shelf) set(ctx context.Context, name string) (record.Set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || time.Since(s.at) >= s.fresh {
		if s.sets == nil {
			return record.Set{}, record.ErrNoSets
		}
		ctx, cancel := context.WithTimeout(ctx, storing)
		defer cancel()
		all, err := s.sets.Sets(ctx)
		switch {
		case errors.Is(err, record.ErrNoSets):
			return record.Set{}, err
		case err != nil:
			return record.Set{}, fmt.Errorf("%w: %w", errUnasked, err)
		}
		s.all, s.at = map[string]record.Set{}, time.Now()
		for _, set := range all {
			s.all[set.Name] = set
		}
	}
	set, there := s.all[name]
	if !there {
		return set, fmt.Errorf("nothing is published as %s: nectar publish FOLDER %[1]s publishes a folder of rules so", name)
	}
	return set, nil
}

// content returns the files of a set.
func (s *shelf) content(ctx context.Context, set record.Set) (rules.Sources, error) {
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	content, there, err := s.sets.Rules(ctx, set.Hash)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnasked, err)
	case !there:
		return nil, fmt.Errorf("the content of %s %d is not in the store any more: publish it once more", set.Name, set.Number)
	}
	return rules.DecodeSources(content)
}

// read returns the files as they are now.
func (fo *folder) read(ctx context.Context) (rules.Sources, error) {
	name, published := fo.place.set()
	if !published {
		return rules.ReadSources(fo.place.path)
	}
	set, err := fo.shelf.set(ctx, name)
	if err != nil {
		return nil, err
	}
	// What a hash stands for never changes, so it is read when another hash is in force, and not with each look.
	if fo.seen == nil || set.Hash != fo.edition.Hash {
		src, err := fo.shelf.content(ctx, set)
		if err != nil {
			return nil, err
		}
		fo.edition = set
		return src, nil
	}
	fo.edition = set // it may have another number
	return fo.seen, nil
}

// Lacks returns the accounts that cannot be served here: no rules are in force for them, or those that are published for them do not
// work in this program.
func (p *Plugin) Lacks() []event.Account {
	var lacks []event.Account
	for _, fo := range p.all() {
		accounts, unfit := fo.state()
		for _, account := range accounts {
			if unfit || p.handler.Version(account) == nil {
				lacks = append(lacks, account)
			}
		}
	}
	return lacks
}

// state returns which accounts act by the folder's rules, and whether what is published does not work in this program.
func (fo *folder) state() (accounts []event.Account, unfit bool) {
	fo.mu.Lock()
	defer fo.mu.Unlock()
	return fo.place.accounts, fo.unfit
}

// Published returns which sets are in force here, each with the number of its edition: "rules shop 7".
func (p *Plugin) Published() []string {
	var all []string
	for _, fo := range p.all() {
		if says := fo.editionName(); says != "" {
			all = append(all, says)
		}
	}
	return all
}

// HasEdition is what Published says of an edition of a set.
func HasEdition(set string, number int64) string { return fmt.Sprintf("rules %s %d", set, number) }

// editionName names the edition that is in force; "" for none.
func (fo *folder) editionName() string {
	fo.mu.Lock()
	defer fo.mu.Unlock()
	if fo.edition.Number == 0 || fo.unfit || fo.hash != fo.edition.Hash {
		return ""
	}
	return HasEdition(fo.edition.Name, fo.edition.Number)
}
