package autoresponder

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Accounts come and go while the bot runs: folders are read, changed or left for those, and no other one is touched.

// SetAccounts says which accounts the bot has, or is about to have, in the place of Config.Accounts, and which of them act by
// rules of their own, in the place of Config.Folders. When it returns, rules are in force for those that are new, as far as there
// are any: call it before they are taken up, and after others have been given up. The error is that of New.
func (p *Plugin) SetAccounts(ctx context.Context, accounts []event.Account, folders map[event.Account]string) error {
	places, err := p.placesFor(accounts, folders)
	if err != nil {
		return err
	}
	p.setting.Lock()
	defer p.setting.Unlock()
	if p.running != nil && p.running.Err() != nil {
		return nil // it ends, and reads nothing any more
	}
	before := p.all()
	next := make([]*folder, 0, len(places))
	var fresh, changed []*folder
	for i := range places {
		at := slices.IndexFunc(before, func(fo *folder) bool { return samePath(fo.place.path, places[i].path) })
		if at < 0 {
			fo := p.newFolder(&places[i])
			fresh, next = append(fresh, fo), append(next, fo)
			continue
		}
		fo := before[at]
		if next = append(next, fo); !fo.place.isOf(places[i].accounts) {
			changed = append(changed, fo)
			fo.admit(places[i].accounts)
		}
	}
	for _, fo := range before {
		if !slices.Contains(next, fo) && fo.end != nil {
			// It waits for a look under way, which would put rules in force for accounts that act by others from here on.
			fo.end()
		}
	}
	p.handler.Drop(goneFrom(before, next)...)
	p.replaceFolders(next)
	if p.running == nil {
		return nil // Start reads all of them
	}
	for _, fo := range changed {
		fo.anew(ctx)
	}
	for _, fo := range fresh {
		fo.lookForChanges(ctx)
		fo.beginWatch(p.running) //nolint:contextcheck // it is watched for longer than this call
	}
	return nil
}

// LookUp asks for the variables of addresses anew: Config.Lookup has others now.
func (p *Plugin) LookUp() {
	p.setting.Lock()
	defer p.setting.Unlock()
	now, _ := p.post.currentCallings()
	for i, fo := range p.all() {
		if now[i].known {
			p.post.setCalling(fo.calling, now[i].Calling)
		}
	}
}

// Obstacles returns what is wrong, with the accounts of SetAccounts, with files that are in force, or are about to be: a campaign
// that names an account which is not there any more, say. They would not be in force any more then.
func (p *Plugin) Obstacles(accounts []event.Account, folders map[event.Account]string) (text.Problems, error) {
	places, err := p.placesFor(accounts, folders)
	if err != nil {
		return nil, err
	}
	p.setting.Lock()
	defer p.setting.Unlock()
	var all text.Problems
	for i := range places {
		for _, fo := range p.all() {
			if samePath(fo.place.path, places[i].path) && !fo.place.isOf(places[i].accounts) {
				all = append(all, fo.obstacles(places[i].accounts)...)
			}
		}
	}
	return all, nil
}

// placesFor returns the folders of accounts.
func (p *Plugin) placesFor(accounts []event.Account, folders map[event.Account]string) ([]place, error) {
	cfg := p.cfg
	cfg.Accounts, cfg.Folders = append([]event.Account{}, accounts...), folders
	return cfg.readPlaces()
}

// samePath reports whether two paths name one folder.
func samePath(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

// goneFrom returns the accounts that have a folder before, and none any more.
func goneFrom(before, next []*folder) (gone []event.Account) {
	var all []event.Account
	for _, fo := range next {
		all = append(all, fo.place.namedAccounts()...)
	}
	there := setOf(all)
	for _, fo := range before {
		for _, account := range fo.seated {
			if !there[account] {
				gone = append(gone, account)
			}
		}
	}
	return gone
}

func setOf(accounts []event.Account) map[event.Account]bool {
	set := make(map[event.Account]bool, len(accounts))
	for _, a := range accounts {
		set[a] = true
	}
	return set
}

// among is what a folder has to know of the others.
type among struct {
	places []string      // the places of the other folders, which may lie in this one
	rarer  int           // how many times rarer it is looked at, since there are many
	lead   event.Account // under which notices about it stand; see calling.leadAccount
}

// leadAccount returns under which account notices about the folder stand.
func (fo *folder) leadAccount() event.Account { return fo.among.Load().lead }

// newFolder makes a folder that nobody looks at yet.
func (p *Plugin) newFolder(at *place) *folder {
	fo := &folder{cfg: p.cfg, memory: p.memory, shelf: p.shelf, place: *at, calling: &calling{}, drafts: map[string]bool{}}
	fo.use = func(v *rules.Version, accounts ...event.Account) {
		p.handler.Use(v, accounts...)
		p.post.setCalling(fo.calling, v.Calling())
		p.tellInForce(v, accounts)
	}
	return fo
}

// replaceFolders puts folders in the place of those before.
func (p *Plugin) replaceFolders(folders []*folder) {
	const often = 100 // folders that are looked at each time: a thousand would cost a tenth of a core
	all := make([]string, len(folders))
	for i, fo := range folders {
		all[i] = fo.place.path
	}
	p.post.setFolders(folders)
	for _, fo := range folders {
		fo.seated = fo.place.namedAccounts()
		fo.among.Store(&among{all, 1 + len(folders)/often, fo.calling.leadAccount()})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.folders = folders
}

// all returns the folders, not to be changed.
func (p *Plugin) all() []*folder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.folders
}

// admit says which accounts act by the folder's rules from now on.
func (fo *folder) admit(accounts []event.Account) {
	fo.mu.Lock()
	defer fo.mu.Unlock()
	fo.place.accounts = accounts
}

// anew puts rules in force for other accounts than before: the files as they are now.
func (fo *folder) anew(ctx context.Context) {
	fo.mu.Lock()
	defer fo.mu.Unlock()
	src, err := fo.read(ctx)
	known := fo.hash != ""
	if err != nil {
		fo.resumed = false // of those that are new nothing was looked for
		fo.noteLost(ctx, err)
		if known {
			fo.spread = true
			fo.putInForce(ctx, fo.good, fo.good)
		}
		return
	}
	fo.noteFound(ctx)
	if fo.seen == nil {
		fo.good = fo.restore(ctx)
	}
	before := fo.seen
	fo.seen, fo.fresh, fo.spread = src, nil, true
	fo.putInForce(ctx, before, src)
}

// obstacles returns what is wrong with the files of a folder for other accounts, and is not for those that it has.
func (fo *folder) obstacles(accounts []event.Account) text.Problems {
	fo.mu.Lock()
	defer fo.mu.Unlock()
	var all text.Problems
	for _, src := range []rules.Sources{fo.written(), fo.good} {
		_, now := fo.check(src)
		_, then := check.Check(src, rules.ForAccounts(accounts...))
		for _, p := range then.Problems.Errors() {
			if !slices.ContainsFunc(now.Problems.Errors(), func(was text.Problem) bool { return was.File == p.File && was.Line == p.Line }) {
				all = append(all, p)
			}
		}
		if len(all) > 0 || then.OK() && len(src) > 0 {
			return all
		}
	}
	return nil
}

// written returns the files as they are now, none where they cannot be read.
func (fo *folder) written() rules.Sources {
	if _, published := fo.place.set(); published {
		return fo.seen
	}
	src, err := rules.ReadSources(fo.place.path)
	if err != nil {
		return nil
	}
	return src
}
