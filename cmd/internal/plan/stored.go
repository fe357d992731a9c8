package plan

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/rules"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// planStored is what the database tells of all accounts at once: most of them have no campaigns.
type planStored struct {
	from     sources.Reading
	worked   map[event.Account]bool // have been at work
	keeps    map[event.Account]bool // keep something of campaigns
	known    record.Knowledge
	rules    map[event.Account]record.InForce
	read     map[event.Account]bool         // the rules of which are known
	versions map[string]*rules.Version      // of rules, by hash, that were compiled
	files    map[string]*rules.Version      // and those of folders
	asked    map[event.Account]view.Waiting // what people have asked for and no bot has done yet
}

// load reads it, once.
func (p *Planner) load(ctx context.Context) (err error) {
	if p.stored != nil {
		return nil
	}
	s := &planStored{
		from:   p.Read,
		worked: map[event.Account]bool{}, keeps: map[event.Account]bool{}, read: map[event.Account]bool{}, asked: map[event.Account]view.Waiting{},
		versions: map[string]*rules.Version{}, files: map[string]*rules.Version{},
	}
	if p.View == nil {
		p.stored = s
		return nil
	}
	for _, a := range p.Meant {
		s.worked[a] = true
	}
	those, err := p.AmongMeant(ctx, plugin.Having())
	if err != nil {
		return err
	}
	for _, a := range those {
		s.keeps[a] = true
	}
	// A question for all accounts each, not one for each account, of which there may be thousands.
	if s.known, err = p.KnowledgeOfMeant(ctx); err != nil {
		return err
	}
	names := p.accountNames()
	if s.rules, err = p.RulesOf(ctx, names); err != nil {
		return err
	}
	for _, a := range names {
		s.read[a] = true
	}
	all, err := p.waitingRequests(ctx)
	for _, q := range all {
		s.asked[q.Key.Account] = append(s.asked[q.Key.Account], q)
	}
	p.stored = s
	return err
}

// rulesOf returns the rules that an account acts by, as they are stored; false for none.
func (p *Planner) rulesOf(ctx context.Context, account event.Account) (record.InForce, bool, error) {
	if f, ok := p.stored.rules[account]; ok || p.stored.read[account] {
		return f, ok, nil
	}
	return p.RulesInForce(ctx, account) // only files name it
}

// folderRules returns the rules of a folder; each is read once.
func (s *planStored) folderRules(path string) (*rules.Version, error) {
	if v := s.files[path]; v != nil {
		return v, nil
	}
	v, err := compileFiles(s.from, path)
	s.files[path] = v
	return v, err
}

// compileStored returns rules that are stored; each version is compiled once.
func (s *planStored) compileStored(f *record.InForce) (*rules.Version, error) {
	if v := s.versions[f.Hash]; v != nil {
		return v, nil
	}
	src, err := rules.DecodeSources(f.Content)
	if err != nil {
		return nil, fmt.Errorf("read the rules in force: %w", err)
	}
	v, report := rules.Compile(src)
	if v == nil {
		return nil, problemsError(report.Problems.Errors())
	}
	s.versions[f.Hash] = v
	return v, nil
}
