package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// What is known of campaigns: what is in force and what was done, from the database where a bot has run; what is written, from
// the files.

// Planner knows campaigns.
type Planner struct {
	*view.View // nil: there is no database
	Now        time.Time
	Folders    []config.RuleFolder
	Read       sources.Reading
	leaving    map[string]event.Account // see leavingCampaigns
	Beside     bool                     // files of paths stand beside those in force: only campaigns that they have are theirs
	Planned    []event.Account          // by standings; nil: all that there are
	asked      view.Waiting             // see waitingRequests
	stored     *planStored              // see load
}

// Account is an account with its campaigns, as they stand.
type Account struct {
	campaigns.Account
	Name  event.Account
	since time.Time // when the files came into force that it acts by; zero: no bot has run by them
	Known []string  // campaigns of which something is remembered, also those that are gone
	kept  bool      // a bot has kept something of campaigns: what is in force goes before the files

	awaits bool // another account still runs what the files have here: see leavingCampaigns

	force   *campaigns.Account // with other files: what is in force; nil for nothing
	Waiting *plugin.Waiting    // an edit that people have not put in force yet; nil for none
	Edit    *campaigns.Note    // the last one that came into force; see plugin.Stored
	words   map[string]string  // what texts of the book said last, by their keys: see ShowCampaign
	asked   []plugin.Foreseen  // and no bot has done it yet: the account has it as far as it is counted
}

// FirstLine returns the first line of a text.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// End closes what the planner reads.
func (p *Planner) End() {
	if p.View != nil {
		p.Done()
	}
}

// accountNames returns the accounts of the settings and of the database.
func (p *Planner) accountNames() []event.Account {
	var all []event.Account
	for _, f := range p.Folders {
		all = append(all, f.Accounts...)
	}
	if p.View != nil && len(p.Meant) > 0 {
		if len(all) == 1 && !slices.Contains(p.Meant, all[0]) { // that of settings without accounts: it is called otherwise here
			all = nil
		}
		all = append(all, p.Meant...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// StandingAccounts returns the accounts that have campaigns, or only one: as they are in force, or with the files of paths in their place.
func (p *Planner) StandingAccounts(ctx context.Context, paths []string, only string) ([]*Account, error) {
	names := p.accountNames()
	var v *rules.Version
	if len(paths) > 0 {
		var err error
		if v, err = compileFiles(p.Read, paths...); err != nil {
			return nil, err
		}
		if names, err = p.namesOf(v, paths); err != nil {
			return nil, err
		}
	}
	if only != "" && !slices.Contains(names, event.Account(only)) {
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: sources.NoAccount(only, sources.AccountStrings(names))}
	}
	if only != "" {
		names = []event.Account{event.Account(only)}
	}
	// What was planned is what a calendar file may be changed for: entries of other accounts in it stay.
	if only != "" || len(paths) > 0 {
		p.Planned = names
	}
	var all []*Account
	for _, name := range names {
		s, err := p.StandingOf(ctx, name, v)
		if err != nil {
			return nil, err
		}
		if s != nil && (len(s.Campaigns) > 0 || len(s.Known) > 0 || s.awaits) {
			all = append(all, s)
		}
	}
	return all, nil
}

// namesOf returns the accounts that files are for: those of the folder that they lie in, and those that they name.
func (p *Planner) namesOf(v *rules.Version, paths []string) ([]event.Account, error) {
	names := p.accountNames()
	for _, folder := range p.Folders {
		if !slices.ContainsFunc(paths, func(path string) bool { return !sources.IsWithin(path, folder.Path) }) {
			names = slices.Clone(folder.Accounts)
		}
	}
	written, problems := v.Campaigns()
	if wrong := problems.Errors(); len(wrong) > 0 {
		return nil, problemsError(wrong)
	}
	for _, c := range written {
		if c.Account != "" {
			names = append(names, c.Account)
		}
	}
	if len(names) == 0 {
		names = append(names, "main")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// compileFiles reads rule files; the error says what is wrong with them.
func compileFiles(read sources.Reading, paths ...string) (*rules.Version, error) {
	src, err := read(paths...)
	if err != nil {
		return nil, err
	}
	v, report := rules.Compile(src)
	if v == nil {
		return nil, problemsError(report.Problems.Errors())
	}
	return v, nil
}

// problemsError is an error of what is wrong with files.
func problemsError(problems textfile.Problems) error {
	report := textfile.Report{Problems: problems}
	var b strings.Builder
	_, _ = report.WriteTo(&b) // it takes everything
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	return errors.New(strings.Join(lines[:len(lines)-1], "\n") + "\nnectar check tells more")
}

// writtenFor returns the campaigns of files that an account would run.
func writtenFor(v *rules.Version, account event.Account) ([]*campaigns.Campaign, error) {
	all, problems := v.CampaignsOf(account)
	if wrong := problems.Errors(); len(wrong) > 0 {
		return nil, problemsError(wrong)
	}
	return all, nil
}

// StandingOf returns an account with what is in force, or with the campaigns of other files in its place; nil when there is nothing.
func (p *Planner) StandingOf(ctx context.Context, name event.Account, files *rules.Version) (*Account, error) {
	s := &Account{Name: name, Account: campaigns.Account{Memories: map[string]campaigns.Memory{}}}
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	if p.stored.worked[name] {
		if err := p.remember(ctx, s); err != nil {
			return nil, err
		}
	}
	v, err := p.inForceOf(ctx, s)
	if err == nil && v != nil {
		err = p.inForceBy(ctx, s, v)
	}
	if files == nil {
		if err != nil || v == nil {
			return nil, err
		}
		return s, nil
	}
	if err == nil && v != nil { // what is wrong with the files in force is not of interest here
		force := s.Account
		s.force = &force
	}
	written, err := writtenFor(files, name)
	if err != nil {
		return nil, err
	}
	budget, said := files.Budget()
	if p.Beside { //mutate:plan-beside
		written = s.withDraft(written)
	}
	s.Account = s.Edited(written, p.Now)
	if said || !p.Beside {
		s.AccountFacts.Budget = budget
	}
	return s, nil
}

// withDraft returns the campaigns in force, with those of a draft in the place of those with their ids, or behind them.
func (a *Account) withDraft(draft []*campaigns.Campaign) []*campaigns.Campaign {
	all := slices.Clone(a.Campaigns)
	for _, c := range draft {
		if i := slices.IndexFunc(all, func(o *campaigns.Campaign) bool { return o.ID == c.ID }); i >= 0 {
			all[i] = c
		} else {
			all = append(all, c)
		}
	}
	return all
}

// inForceBy takes over what an account acts by, by its files. What a bot has kept goes before what they say: an edit may wait.
func (p *Planner) inForceBy(ctx context.Context, a *Account, v *rules.Version) error {
	a.AccountFacts.Budget, _ = v.Budget()
	if a.kept {
		return nil
	}
	written, err := writtenFor(v, a.Name)
	if err != nil || len(written) == 0 {
		return err
	}
	leaving, err := p.leavingCampaigns(ctx)
	if err == nil {
		a.awaits = a.comesFrom(written, leaving) != ""
		a.Account = a.Edited(a.stayingCampaigns(written, leaving), p.Now)
	}
	return err
}

// inForceOf returns the files that an account acts by: those that a bot has stored, or else those that one would read.
func (p *Planner) inForceOf(ctx context.Context, s *Account) (*rules.Version, error) {
	if v, err := p.storedRules(ctx, s); v != nil || err != nil {
		return v, err
	}
	for _, f := range p.Folders {
		if slices.Contains(f.Accounts, s.Name) {
			if !sources.IsThere(f.Path) {
				return nil, fmt.Errorf("there are no rule files %s, and no bot has run here: name a file, as in nectar plan spring.yaml", f.Path)
			}
			return p.stored.folderRules(f.Path)
		}
	}
	return nil, nil
}

// storedRules returns the files that a bot has acted by; nil for none.
func (p *Planner) storedRules(ctx context.Context, s *Account) (*rules.Version, error) {
	if p.View == nil {
		return nil, nil
	}
	f, ok, err := p.rulesOf(ctx, s.Name)
	if err != nil || !ok {
		return nil, err
	}
	v, err := p.stored.compileStored(&f)
	if err == nil {
		s.since = f.Since
	}
	return v, err
}

// remember reads what a bot has kept of an account's campaigns.
func (p *Planner) remember(ctx context.Context, s *Account) error {
	if p.Shut != "" {
		return errors.New(p.Shut + ": nothing can be planned")
	}
	var kept plugin.Stored
	var err error
	if p.stored.keeps[s.Name] {
		if kept, err = plugin.Read(ctx, p.Inspector, s.Name); err != nil {
			return err
		}
	}
	s.Known = slices.Sorted(maps.Keys(kept.Memories))
	s.kept = len(s.Known) > 0
	pauses, err := bot.PausesOf(ctx, p.stored.known, s.Name)
	if err != nil {
		return err
	}
	if pauses.Account != nil {
		kept.AccountFacts.Paused = &campaigns.Note{By: cmp.Or(pauses.Account.By, "a person"), At: pauses.Account.Since}
	}
	// Behind the pause, which what people have asked for may end; and before rulings, which are about what is prepared then.
	if err := p.applyRequests(s, kept); err != nil {
		return err
	}
	if s.Memories == nil {
		s.Memories = map[string]campaigns.Memory{}
	}
	s.Known = slices.DeleteFunc(s.Known, func(id string) bool { // what somebody has asked to be forgotten
		_, is := s.Memories[id]
		return !is
	})
	s.AccountFacts.Silent = s.Uses.Silent
	for _, id := range s.Known {
		if s.Memories[id], err = p.ruled(ctx, s.Name, s.Memories[id]); err != nil {
			return err
		}
	}
	return nil
}

// ruled returns a memory with what people have decided about what is prepared: a bot takes that over when it looks at the slot next.
func (p *Planner) ruled(ctx context.Context, account event.Account, m campaigns.Memory) (campaigns.Memory, error) {
	for _, id := range m.Book.Asked() { //mutate:plan-ruled
		actions, err := p.SlotActions(ctx, account, id)
		if err != nil {
			return m, err
		}
		if len(actions) == 0 {
			continue
		}
		last := &actions[len(actions)-1]
		key := last.Key
		of, err := p.Approvals(ctx, account, []string{key})
		if err != nil {
			return m, err
		}
		v := of[key].Verdict
		if v.Ruling == "" { //mutate:plan-asked-ruling
			v = rulingIn(p.asked, last)
		}
		m = campaigns.Rule(m, id, v)
	}
	return m, nil
}

// SlotActions returns the actions of a slot, in the order in which they were prepared.
func (p *Planner) SlotActions(ctx context.Context, account event.Account, id campaigns.SlotID) (all []event.Action, err error) {
	for n := 1; ; n++ {
		a, ok, err := p.Action(ctx, account, plugin.ActionKey(id, n))
		if err != nil || !ok {
			return all, err
		}
		all = append(all, a)
	}
}
