package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const accountsImportHelp = `Import brings the accounts of a file into the database: of the one that is named, or
that NECTAR_ACCOUNTS names. ${NAME} stands for a variable, as in the file of a bot;
what an account does not say, it takes from the settings of the worker that serves it.

All is checked before anything is stored. An account that is there, and says the same,
stays as it is. One that differs is told, and stays as it is, too, unless --replace
takes over what the file says. Its state stays, unless the file has one of its own.

Whatever interrupts it: run it again, and it goes on. --dry-run changes nothing.`

// importBatch is how many accounts are stored with a commit.
const importBatch = 200

// What is done to an account by an import.
const (
	didAdd     = "added"
	didReplace = "replaced"
	didNothing = "same"
	didLeave   = "differs"
)

// accountImport brings accounts into a database.
type accountImport struct {
	dry     bool
	replace bool
	book    *accountBook
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

func newAccountsImport(sh shell, f *deskFlags) *cobra.Command {
	im := &accountImport{}
	cmd := &cobra.Command{
		Use:     "import [FILE]",
		Short:   "Bring the accounts of a file into the database",
		Long:    accountsImportHelp,
		Example: "  nectar accounts import accounts.yaml --dry-run\n  nectar accounts import accounts.yaml",
		Args:    usage(cobra.MaximumNArgs(1)),
		RunE: sh.atBook(f, func(ctx context.Context, b *accountBook, args []string) error {
			im.book = b
			if err := im.read(ctx, args); err != nil {
				return err
			}
			return im.run(ctx)
		}),
	}
	cmd.Flags().BoolVar(&im.dry, "dry-run", false, "say what would be done, and change nothing")
	cmd.Flags().BoolVar(&im.replace, "replace", false, "take over what the file says of accounts that are there and differ")
	asFlag(cmd, f)
	return cmd
}

// read reads the file and what is in the database, and decides what becomes of each account.
func (im *accountImport) read(ctx context.Context, args []string) (err error) {
	b := im.book
	path := b.cfg.AccountsFile
	switch {
	case len(args) == 1:
		path = args[0]
	case path == "" || b.cfg.AccountsInStore():
		return &exitError{exitUsage, errors.New("name the file of accounts, such as accounts.yaml")}
	}
	if im.entries, err = b.cfg.ReadEntries(path); err != nil {
		return &exitError{exitUsage, err}
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
func (im *accountImport) look(ctx context.Context, some []event.Account) error {
	rows, err := im.book.StoredAccounts(ctx, record.StoredAccountQuery{Accounts: some, Removed: true})
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
func (im *accountImport) plan(e *config.Entry) importPlan {
	p := importPlan{row: e.Row(), did: didAdd}
	old, there := im.there[e.Name]
	if !there {
		return p
	}
	p.row.Version = old.Version
	ownState := slices.Contains(e.Says(), "state")
	if !ownState && old.State != record.AccountRemoved {
		p.row.State, p.row.Why = old.State, old.Why
	}
	switch {
	case old.State == record.AccountRemoved:
		p.differs = []string{"removed"}
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
		p.did = didNothing
	case im.replace:
		p.did = didReplace
	default:
		p.did = didLeave
	}
	return p
}

// checkPersons refuses two accounts that sign in as the same person, as all would be afterwards.
func (im *accountImport) checkPersons() error {
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
		e, _ := im.book.cfg.Stored(old) // whatever else is wrong with it
		row := e.Row()
		if other, ok := people[row.Person]; ok && row.Person != "" {
			wrong = append(wrong, fmt.Sprintf("%s: signs in as the same person as %s, which is in %s; remove one of them", other, name, im.book.database))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return &exitError{exitUsage, wrong}
	}
	return nil
}

// run stores what is to be stored, and tells what was done.
func (im *accountImport) run(ctx context.Context) error {
	var open []int // plans
	for i := range im.plans {
		if did := im.plans[i].did; did == didAdd || did == didReplace {
			open = append(open, i)
		}
	}
	if !im.dry {
		bar := newProgress(im.book.stderr)
		defer bar.end()
		done := 0
		for some := range slices.Chunk(open, importBatch) {
			if ctx.Err() != nil {
				return fmt.Errorf("it was interrupted, and goes on where it stopped when you run it again: %w", context.Cause(ctx))
			}
			if err := im.store(ctx, some); err != nil {
				return err
			}
			done += len(some)
			bar.say(fmt.Sprintf("%d of %d accounts are in %s (%d%%)", done, len(open), im.book.database, 100*done/len(open)))
		}
		bar.end()
	}
	return im.tell()
}

// store stores a batch. What somebody else has changed meanwhile is looked at again.
func (im *accountImport) store(ctx context.Context, some []int) error {
	for {
		var rows []record.StoredAccount
		var names []event.Account
		for _, i := range some {
			names = append(names, im.plans[i].row.Account)
			if did := im.plans[i].did; did == didAdd || did == didReplace {
				rows = append(rows, im.plans[i].row)
				rows[len(rows)-1].By = im.book.by
			}
		}
		_, err := im.book.PutAccounts(ctx, rows...)
		if !errors.As(err, new(*store.AccountChangedError)) {
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
func (im *accountImport) tell() error {
	count := map[string]int{}
	for i := range im.plans {
		p := &im.plans[i]
		count[p.did]++
		if err := im.tellOne(p); err != nil {
			return err
		}
	}
	if !im.book.json {
		if err := im.total(count); err != nil {
			return err
		}
	}
	if !im.dry {
		im.book.hint()
	}
	if count[didLeave] > 0 {
		return &exitError{Code: exitFailed}
	}
	return nil
}

// tellOne says what was done to an account; to people, where it is not what everybody expects.
func (im *accountImport) tellOne(p *importPlan) error {
	b := im.book
	old := im.there[p.row.Account]
	if b.json {
		by := b.by
		if p.did == didNothing || p.did == didLeave {
			by = old.By
		}
		return printLine(b.out, accountChangeJSON{Account: p.row.Account, Did: p.did, State: p.row.State, Why: p.row.Why, By: by, Differs: p.differs, DryRun: im.dry})
	}
	var err error
	switch {
	case p.did != didLeave:
	case old.State == record.AccountRemoved:
		_, err = fmt.Fprintf(b.out, "%s: was removed%s %s: it stays so (--replace brings it back)\n", p.row.Account, by(old.By), when(old.At))
	default:
		_, err = fmt.Fprintf(b.out, "%s: differs in %s, as it was changed%s %s: it stays as it is (--replace takes over what the file says)\n",
			p.row.Account, listed(p.differs), by(old.By), when(old.At))
	}
	return err
}

// total says what was done to all of them.
func (im *accountImport) total(count map[string]int) error {
	would := ""
	if im.dry {
		would = "would be "
	}
	text := ""
	for _, n := range []struct{ did, says string }{
		{didAdd, would + "added"}, {didReplace, would + "replaced"}, {didNothing, "there as in the file"}, {didLeave, "there, and left as they are"},
	} {
		switch {
		case n.did == didAdd:
			text = fmt.Sprintf("%d %s", count[n.did], n.says)
		case count[n.did] > 0:
			text += fmt.Sprintf(", %d %s", count[n.did], n.says)
		}
	}
	_, err := fmt.Fprintf(im.book.out, "of %d accounts %s\n", len(im.plans), text)
	return err
}
