package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform"
)

// ImportBatch is how many accounts are stored with a commit.
const ImportBatch = 200

// What is done to an account by an import.
const (
	didAdd     = "added"
	didReplace = "replaced"
	DidNothing = "same"
	didLeave   = "differs"
)

// Import brings accounts into a database.
type Import struct {
	Dry     bool
	Replace bool
	Book    *Book
	entries []config.Entry
	there   map[event.Account]record.StoredAccount // also those that were taken out
	plans   []importPlan
}

// importPlan is what becomes of an account of the file.
type importPlan struct {
	row     record.StoredAccount
	did     string
	differs []string
}

// Read reads the file and what is in the database, and decides what becomes of each account.
func (im *Import) Read(ctx context.Context, args []string) (err error) {
	b := im.Book
	path := b.Cfg.AccountsFile
	switch {
	case len(args) == 1:
		path = args[0]
	case path == "" || b.Cfg.AccountsInStore():
		return &cli.ExitError{Code: cli.ExitUsage, Err: errors.New("name the file of accounts, such as accounts.yaml")}
	}
	if im.entries, err = b.Cfg.ReadEntries(path); err != nil {
		return &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	if err := im.look(ctx, nil); err != nil {
		return err
	}
	for i := range im.entries {
		im.plans = append(im.plans, im.plan(&im.entries[i]))
	}
	return im.checkPersons()
}

// look reads what is in the database of accounts; of all with nil.
func (im *Import) look(ctx context.Context, some []event.Account) error {
	rows, err := im.Book.StoredAccounts(ctx, record.StoredAccountQuery{Accounts: some, Removed: true})
	if err != nil {
		return err
	}
	if im.there == nil {
		im.there = map[event.Account]record.StoredAccount{}
	}
	for i := range rows {
		im.there[rows[i].Account] = rows[i]
	}
	return nil
}

// plan decides what becomes of an account.
func (im *Import) plan(e *config.Entry) importPlan {
	p := importPlan{row: e.Row(), did: didAdd}
	old, there := im.there[e.Name]
	if !there {
		return p
	}
	// Stored on top of what was read: of two who change an account at once the second one is told.
	p.row.Version = old.Version
	ownState := slices.Contains(e.Says(), "state")
	// A file that says nothing of it must not let an account go on that somebody has stopped.
	if !ownState && old.State != record.AccountRemoved {
		p.row.State, p.row.Why = old.State, old.Why
	}
	switch {
	case old.State == record.AccountRemoved:
		p.differs = []string{"removed"}
	// It cannot be compared: what it signs in with does not open.
	case old.Broken != nil:
		p.differs = []string{"password"}
	default:
		p.differs = config.Differences(p.row, old)
		if p.row.State != old.State {
			p.differs = append(p.differs, "state")
		}
	}
	switch {
	case len(p.differs) == 0:
		p.did = DidNothing
	case im.Replace:
		p.did = didReplace
	default:
		p.did = didLeave
	}
	return p
}

// checkPersons refuses two accounts that sign in as the same person, as all would be afterwards.
func (im *Import) checkPersons() error {
	people := map[platform.Secret]event.Account{}
	mine := map[event.Account]bool{}
	for i := range im.plans {
		if p := &im.plans[i]; p.did == didAdd || p.did == didReplace {
			people[p.row.Person], mine[p.row.Account] = p.row.Account, true
		}
	}
	var wrong config.Problems
	for name := range im.there {
		old := im.there[name]
		if mine[name] || old.State == record.AccountRemoved {
			continue
		}
		e, _ := im.Book.Cfg.Stored(old) // also when something else is wrong with it
		row := e.Row()
		if other, ok := people[row.Person]; ok && row.Person != "" {
			wrong = append(wrong, fmt.Sprintf("%s: signs in as the same person as %s, which is in %s; remove one of them", other, name, im.Book.Database))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return &cli.ExitError{Code: cli.ExitConfig, Err: wrong}
	}
	return nil
}

// Run stores what is to be stored, and tells what was done.
func (im *Import) Run(ctx context.Context) error {
	var open []int // plans
	for i := range im.plans {
		if did := im.plans[i].did; did == didAdd || did == didReplace {
			open = append(open, i)
		}
	}
	if !im.Dry {
		bar := print.NewProgress(im.Book.Stderr)
		defer bar.End()
		done := 0
		for some := range slices.Chunk(open, ImportBatch) {
			if ctx.Err() != nil {
				return fmt.Errorf("it was interrupted, and goes on where it stopped when you run it again: %w", context.Cause(ctx))
			}
			if err := im.store(ctx, some); err != nil {
				return err
			}
			done += len(some)
			bar.ShowStep(fmt.Sprintf("%d of %d accounts are in %s (%d%%)", done, len(open), im.Book.Database, 100*done/len(open)))
		}
		bar.End()
	}
	return im.tell()
}

// store stores a batch. What somebody else has changed meanwhile is looked at again.
func (im *Import) store(ctx context.Context, some []int) error {
	for {
		var rows []record.StoredAccount
		var names []event.Account
		for _, i := range some {
			names = append(names, im.plans[i].row.Account)
			if did := im.plans[i].did; did == didAdd || did == didReplace {
				rows = append(rows, im.plans[i].row)
				rows[len(rows)-1].By = im.Book.By
			}
		}
		_, err := im.Book.PutAccounts(ctx, rows...)
		if !errors.As(err, new(*record.AccountChangedError)) {
			return err
		}
		if err := im.look(ctx, names); err != nil {
			return err
		}
		for _, i := range some {
			im.plans[i] = im.plan(&im.entries[i])
		}
	}
}

// tell says what was done.
func (im *Import) tell() error {
	count := map[string]int{}
	for i := range im.plans {
		p := &im.plans[i]
		count[p.did]++
		if err := im.tellOne(p); err != nil {
			return err
		}
	}
	if !im.Book.JSON {
		if err := im.total(count); err != nil {
			return err
		}
	}
	if !im.Dry {
		im.Book.HintUnused()
	}
	if count[didLeave] > 0 {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}

// tellOne says what was done to an account; to people, where it is not what everybody expects.
func (im *Import) tellOne(p *importPlan) error {
	b := im.Book
	old := im.there[p.row.Account]
	if b.JSON {
		by := b.By
		if p.did == DidNothing || p.did == didLeave {
			by = old.By
		}
		return print.WriteLine(b.Out, accountChangeJSON{Account: p.row.Account, Did: p.did, State: p.row.State, Why: p.row.Why, By: by, Differs: p.differs, DryRun: im.Dry})
	}
	var err error
	switch {
	case p.did != didLeave:
	case old.State == record.AccountRemoved:
		_, err = fmt.Fprintf(b.Out, "%s: was removed%s %s: it stays so (--replace brings it back)\n", p.row.Account, view.ByText(old.By), print.TimeText(old.At))
	default:
		_, err = fmt.Fprintf(b.Out, "%s: differs in %s, as it was changed%s %s: it stays as it is (--replace takes over what the file says)\n",
			p.row.Account, print.JoinNames(p.differs), view.ByText(old.By), print.TimeText(old.At))
	}
	return err
}

// total says what was done to all of them.
func (im *Import) total(count map[string]int) error {
	would := ""
	if im.Dry {
		would = "would be "
	}
	text := ""
	for _, n := range []struct{ did, says string }{
		{didAdd, would + "added"}, {didReplace, would + "replaced"}, {DidNothing, "there as in the file"}, {didLeave, "there, and left as they are"},
	} {
		switch {
		case n.did == didAdd:
			text = fmt.Sprintf("%d %s", count[n.did], n.says)
		case count[n.did] > 0:
			text += fmt.Sprintf(", %d %s", count[n.did], n.says)
		}
	}
	return print.SayLine(im.Book.Out, "of %d accounts %s", len(im.plans), text)
}
