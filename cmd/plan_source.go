package cmd

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
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
	"github.com/spf13/cobra"
)

// What is known of campaigns: what is in force and what was done, from the database where a bot has run; what is written, from
// the files.

// planner knows campaigns.
type planner struct {
	*desk   // nil: there is no database
	now     time.Time
	folders []config.RuleFolder
	read    reading
	leaving map[string]event.Account // see leaves
	planned []event.Account          // by standings; nil: all that there are
	asked   waiting                  // see requests
	stored  *planStored              // see load
}

// planAccount is an account with its campaigns, as they stand.
type planAccount struct {
	campaigns.Account
	name  event.Account
	since time.Time // when the files came into force that it acts by; zero: no bot has run by them
	known []string  // campaigns of which something is remembered, also those that are gone

	awaits bool // another account still runs what the files have here: see leaves

	force   *campaigns.Account // with other files: what is in force; nil for nothing
	waiting *plugin.Waiting    // an edit that people have not put in force yet; nil for none
	asked   []plugin.Foreseen  // and no bot has done it yet: the account has it as far as it is counted
}

// planner opens what is there. A marketer with one file has no settings and no database: with files of their own, what is
// wrong with the settings is only said.
func (sh shell) planner(cmd *cobra.Command, f *deskFlags, files bool) (*planner, error) {
	p := &planner{now: time.Now(), read: sh.reading(cmd)}
	all, cfg, err := sh.folders(cmd)
	if err != nil && files {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nectar: planned without a database, since the settings cannot be read: %s\n", oneLine(firstLine(config.Scrub(err.Error()))))
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.folders = all
	if !hasDatabase(cmd.Context(), cfg) {
		return p, nil
	}
	everybody := *f
	everybody.account = "" // an account may be written in the settings, and have done nothing yet
	p.desk, err = sh.desk(cmd, &everybody)
	return p, err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func (p *planner) end() {
	if p.desk != nil {
		p.close()
	}
}

// names returns the accounts of the settings and of the database.
func (p *planner) names() []event.Account {
	var all []event.Account
	for _, f := range p.folders {
		all = append(all, f.Accounts...)
	}
	if p.desk != nil && len(p.accounts) > 0 {
		if len(all) == 1 && !slices.Contains(p.accounts, all[0]) { // that of settings without accounts: it is called otherwise here
			all = nil
		}
		all = append(all, p.accounts...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// standings returns the accounts that have campaigns, or only one: as they are in force, or with the files of paths in their place.
func (p *planner) standings(ctx context.Context, paths []string, only string) ([]*planAccount, error) {
	names := p.names()
	var v *rules.Version
	if len(paths) > 0 {
		var err error
		if v, err = compiled(p.read, paths...); err != nil {
			return nil, err
		}
		if names, err = p.namesOf(v, paths); err != nil {
			return nil, err
		}
	}
	if only != "" && !slices.Contains(names, event.Account(only)) {
		return nil, &exitError{exitUsage, noAccount(only, accountStrings(names))}
	}
	if only != "" {
		names = []event.Account{event.Account(only)}
	}
	if only != "" || len(paths) > 0 {
		p.planned = names
	}
	var all []*planAccount
	for _, name := range names {
		s, err := p.standing(ctx, name, v)
		if err != nil {
			return nil, err
		}
		if s != nil && (len(s.Campaigns) > 0 || len(s.known) > 0 || s.awaits) {
			all = append(all, s)
		}
	}
	return all, nil
}

func accountStrings(accounts []event.Account) []string {
	all := make([]string, len(accounts))
	for i, a := range accounts {
		all[i] = string(a)
	}
	return all
}

// namesOf returns the accounts that files are for: those of the folder that they lie in, and those that they name.
func (p *planner) namesOf(v *rules.Version, paths []string) ([]event.Account, error) {
	names := p.names()
	for _, folder := range p.folders {
		if !slices.ContainsFunc(paths, func(path string) bool { return !within(path, folder.Path) }) {
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

// compiled reads rule files; the error says what is wrong with them.
func compiled(read reading, paths ...string) (*rules.Version, error) {
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
func problemsError(problems text.Problems) error {
	report := text.Report{Problems: problems}
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

// standing returns an account with what is in force, or with the campaigns of other files in its place; nil when there is nothing.
func (p *planner) standing(ctx context.Context, name event.Account, files *rules.Version) (*planAccount, error) {
	s := &planAccount{name: name, Account: campaigns.Account{Memories: map[string]campaigns.Memory{}}}
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
	s.Account = s.Edited(written, p.now)
	s.World.Budget, _ = files.Budget()
	return s, nil
}

// inForceBy takes over what an account acts by, by its files. What a bot has kept goes before what they say: an edit may wait.
func (p *planner) inForceBy(ctx context.Context, a *planAccount, v *rules.Version) error {
	a.World.Budget, _ = v.Budget()
	if len(a.known) > 0 {
		return nil
	}
	written, err := writtenFor(v, a.name)
	if err != nil || len(written) == 0 {
		return err
	}
	leaving, err := p.leaves(ctx)
	if err == nil {
		a.awaits = a.comesFrom(written, leaving) != ""
		a.Account = a.Edited(a.here(written, leaving), p.now)
	}
	return err
}

// inForceOf returns the files that an account acts by: those that a bot has stored, or else those that one would read.
func (p *planner) inForceOf(ctx context.Context, s *planAccount) (*rules.Version, error) {
	if v, err := p.storedRules(ctx, s); v != nil || err != nil {
		return v, err
	}
	for _, f := range p.folders {
		if slices.Contains(f.Accounts, s.name) {
			if !isThere(f.Path) {
				return nil, fmt.Errorf("there are no rule files %s, and no bot has run here: name a file, as in nectar plan spring.yaml", f.Path)
			}
			return p.stored.folder(f.Path)
		}
	}
	return nil, nil
}

// storedRules returns the files that a bot has acted by; nil for none.
func (p *planner) storedRules(ctx context.Context, s *planAccount) (*rules.Version, error) {
	if p.desk == nil {
		return nil, nil
	}
	f, ok, err := p.rulesOf(ctx, s.name)
	if err != nil || !ok {
		return nil, err
	}
	v, err := p.stored.compiled(&f)
	if err == nil {
		s.since = f.Since
	}
	return v, err
}

// remember reads what a bot has kept of an account's campaigns.
func (p *planner) remember(ctx context.Context, s *planAccount) error {
	if p.shut != "" {
		return errors.New(p.shut + ": nothing can be planned")
	}
	var kept plugin.Stored
	var err error
	if p.stored.keeps[s.name] {
		if kept, err = plugin.Read(ctx, p.Reader, s.name); err != nil {
			return err
		}
	}
	s.known = slices.Sorted(maps.Keys(kept.Memories))
	pauses, err := bot.PausesOf(ctx, p.stored.known, s.name)
	if err != nil {
		return err
	}
	if pauses.Account != nil {
		kept.World.Paused = &campaigns.Note{By: cmp.Or(pauses.Account.By, "a person"), At: pauses.Account.Since}
	}
	if err := p.foresee(s, kept); err != nil {
		return err
	}
	if s.Memories == nil {
		s.Memories = map[string]campaigns.Memory{}
	}
	s.World.Silent = s.Uses.Silent
	for _, id := range s.known {
		if s.Memories[id], err = p.ruled(ctx, s.name, s.Memories[id]); err != nil {
			return err
		}
	}
	return nil
}

// ruled returns a memory with what people have decided about what is prepared: a bot takes that over when it looks at the slot next.
func (p *planner) ruled(ctx context.Context, account event.Account, m campaigns.Memory) (campaigns.Memory, error) {
	for id, e := range m.Book {
		if e.State != campaigns.Prepared || !e.Approved.IsZero() || !e.Refused.IsZero() { //mutate:plan-ruled
			continue
		}
		actions, err := p.slotActions(ctx, account, id)
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
			v = p.asked.ruling(last)
		}
		switch v.Ruling {
		case event.Released, event.Edited:
			m = campaigns.Approve(m, id, v.By, true, v.At)
		case event.Dropped:
			m = campaigns.Approve(m, id, v.By, false, v.At)
		case event.Expired: // its slot says so
		}
	}
	return m, nil
}

// slotActions returns the actions of a slot, in the order in which they were prepared.
func (p *planner) slotActions(ctx context.Context, account event.Account, id campaigns.SlotID) (all []event.Action, err error) {
	for n := 1; ; n++ {
		a, ok, err := p.Action(ctx, account, plugin.ActionKey(id, n))
		if err != nil || !ok {
			return all, err
		}
		all = append(all, a)
	}
}
