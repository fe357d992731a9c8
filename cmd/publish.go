package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

const publishHelp = `Publish puts a folder of rules and campaigns in force for all accounts that act by it, on
all workers, within a second or two. It is for a database of PostgreSQL: there the folder
stands in the database, and each account names the set that it acts by:

  shop: { email: shop@social.example, password: '${SHOP}', rules: store:shop }

or NECTAR_RULES=store:shop for all. PATH is the folder, rules unless it is named; NAME is
what it is published as, the name of the folder unless it is given.

It is checked first, as nectar check does. What has problems is not published; nor is what
changes nothing. What it changes is told, file by file, and --dry-run tells no more than
that. Each edition has a number, and is kept with who published it, when, and --why: nectar
history lists them, nectar back makes an earlier one the one in force.

Where several people publish, --after NUMBER publishes only if that edition is still in
force: the one by which you made your changes.

Exit status: 0 done, or nothing has changed; 1 problems, or somebody was faster; 2 wrong
settings or command line.`

// publisher is how something is published.
type publisher struct {
	sh     shell
	json   bool
	dry    bool
	by     string
	why    string
	after  int64
	backTo int64 // of nectar back: the edition whose content is to be in force again
}

func (p *publisher) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&p.json, "json", false, "print one JSON object")
	f.BoolVar(&p.dry, "dry-run", false, "say what it changes, and change nothing")
	f.StringVar(&p.by, "as", "", "`name` of who publishes, kept with the edition (default your user name)")
	f.StringVar(&p.why, "why", "", "`text` that says why, kept with the edition")
	f.Int64Var(&p.after, "after", 0, "only if the edition of this `number` is in force")
}

func newPublish(sh shell) *cobra.Command {
	p := &publisher{sh: sh}
	cmd := &cobra.Command{
		Use:     "publish [PATH [NAME]]",
		Short:   "Put a folder of rules in force, for all workers on a database",
		Long:    publishHelp,
		Example: "  nectar publish\n  nectar publish rules/shop --why \"new prices\"\n  nectar publish drafts shop --dry-run",
		GroupID: groupRules,
		Args:    usage(cobra.MaximumNArgs(2)),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.publish(cmd, args) },
	}
	p.flags(cmd)
	return cmd
}

func (p *publisher) publish(cmd *cobra.Command, args []string) error {
	path := "rules"
	if len(args) > 0 {
		path = args[0]
	}
	name, err := publishedAs(path, args)
	if err != nil {
		return badUsage(cmd, err)
	}
	d, err := p.sh.setDesk(cmd)
	if err != nil {
		return err
	}
	defer d.close()
	src, err := rules.ReadSources(path)
	if err != nil {
		return err
	}
	return p.put(cmd, d, d.inForce(name), src, []string{path})
}

// publishedAs returns the name under which a folder is published.
func publishedAs(path string, args []string) (string, error) {
	if len(args) == 2 {
		if !record.IsSetName(args[1]) {
			return "", fmt.Errorf("%q is no name of a set: it has at most 32 lower-case letters, digits, - and _", plain(args[1], 40))
		}
		return args[1], nil
	}
	if _, published := record.SetOf(path); published {
		return "", errors.New("name the folder that is to be published, and behind it the name of the set, as in nectar publish rules shop")
	}
	info, err := os.Stat(path)
	name := filepath.Base(whole(path))
	if err == nil && !info.IsDir() || !record.IsSetName(name) {
		return "", fmt.Errorf("say behind the path as what it is published, as in nectar publish %s shop", plain(path, 60))
	}
	return name, nil
}

// put publishes files in the place of what is in force.
func (p *publisher) put(cmd *cobra.Command, d *setDesk, was record.Set, src rules.Sources, paths []string) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	report := p.sh.checkedFor(cmd, src, paths, p.sh.aroundSet(cmd, d, was.Name))
	before, err := d.sourcesOf(ctx, was)
	if err != nil {
		return err
	}
	r := published{Set: was.Name, Number: was.Number, Hash: src.Hash(), Accounts: d.accounts(was.Name), stored: d.cfg.AccountsInStore(), Problems: report.Problems}
	r.changedFiles = changedBetween(before, src)
	encoded, err := encodedWhole(src)
	switch {
	case err != nil:
		return err
	case !report.OK():
		err = &exitError{Code: exitFailed}
	case p.after > 0 && p.after != was.Number:
		err = p.overtaken(ctx, d, was)
	case was.Hash == r.Hash:
	case p.dry:
		r.Number, r.DryRun = was.Number+1, true
	default:
		e := record.Edition{Set: record.Set{Name: was.Name, Hash: r.Hash}, By: decider(p.sh, p.by), Why: p.why, BackTo: p.backTo}
		if e, err = d.Publish(ctx, e, encoded, was.Number); err == nil {
			r.Number, r.Published = e.Number, true
		}
		if overtaken, ok := errors.AsType[*record.OvertakenError](err); ok {
			err = fasterError(overtaken)
		}
	}
	if exit, ok := errors.AsType[*exitError](err); err != nil && (!ok || exit.Err != nil) {
		return err
	}
	if printed := p.print(ctx, out, d, &r, text.Report{Files: report.Files, Problems: report.Problems}); printed != nil {
		return printed
	}
	return err
}

// encodedWhole writes files as one text, from which all of them come back as they are.
func encodedWhole(src rules.Sources) (string, error) {
	encoded, err := src.Encode()
	if err != nil {
		return "", err
	}
	if back, err := rules.DecodeSources(encoded); err != nil || back.Hash() != src.Hash() {
		return "", errors.New("a file, or the name of one, is no proper text (UTF-8): nothing was published; nectar check says which line")
	}
	return encoded, nil
}

// overtaken says who has published what is in force instead of the edition of --after.
func (p *publisher) overtaken(ctx context.Context, d *setDesk, was record.Set) error {
	e, there, err := d.Edition(ctx, was.Name, was.Number)
	if err != nil {
		return err
	}
	if !there {
		e = record.Edition{Set: was}
	}
	return fasterError(&record.OvertakenError{Edition: e})
}

func fasterError(o *record.OvertakenError) error {
	return fmt.Errorf("nothing was published: %w. Look at what it changes, and publish once more if yours is to be in force", o)
}

// published is what came of publishing, for machines.
type published struct {
	Set       string          `json:"set"`
	Number    int64           `json:"number"` // that is in force; with DryRun that would be
	Hash      string          `json:"version"`
	Published bool            `json:"published"`
	DryRun    bool            `json:"dry_run,omitempty"`
	Accounts  []event.Account `json:"accounts,omitempty"`
	stored    bool            // they stand in the database
	changedFiles
	Problems text.Problems `json:"problems,omitempty"`
}

// print says what came of it.
func (p *publisher) print(ctx context.Context, out io.Writer, d *setDesk, r *published, report text.Report) error {
	if p.json {
		return printJSON(out, r)
	}
	if len(report.Problems) > 0 {
		if err := printChecked(out, report); err != nil {
			return err
		}
	}
	switch {
	case !report.OK():
		_, err := fmt.Fprintf(out, "nothing was published as %s\n", r.Set)
		return err
	case !r.Published && !r.DryRun:
		return p.printSame(ctx, out, d, r)
	}
	is := "is in force"
	if r.DryRun {
		is = "would be in force"
	}
	if p.backTo > 0 {
		is += fmt.Sprintf(", as %d was", p.backTo)
	}
	_, err := fmt.Fprintf(out, "%s %d %s: %s of %s\n%s%s", r.Set, r.Number, is, r.changedFiles, several(report.Files, "file", "files"), r.lines(), r.whose())
	return err
}

// printSame says that nothing has changed.
func (p *publisher) printSame(ctx context.Context, out io.Writer, d *setDesk, r *published) error {
	e, there, err := d.Edition(ctx, r.Set, r.Number)
	if err != nil || !there {
		return err
	}
	_, err = fmt.Fprintf(out, "nothing has changed: %s %d is in force, which %s published on %s\n", r.Set, r.Number, plain(e.By, mostName), when(e.At))
	return err
}

// whose says who acts by it.
func (r *published) whose() string {
	switch {
	case len(r.Accounts) > 0:
		return ""
	case r.stored:
		return fmt.Sprintf("No account acts by it: nectar accounts set NAME --rules %s lets one\n", record.PlaceOf(r.Set))
	default:
		return fmt.Sprintf("No account of the settings here acts by it: NECTAR_RULES=%s lets all do, and rules: %[1]s in the accounts file one\n", record.PlaceOf(r.Set))
	}
}
