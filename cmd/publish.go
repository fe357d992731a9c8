package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/published"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
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
command line; 78 wrong settings.`

// publisher is how something is published.
type publisher struct {
	sh     cli.Shell
	json   bool
	dry    bool
	by     string
	why    string
	after  int64
	backTo int64 // of nectar back: the edition whose content is to be in force again
}

func publishFlags(p *publisher, cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&p.json, "json", false, "print one JSON object")
	f.BoolVar(&p.dry, "dry-run", false, "say what it changes, and change nothing")
	f.StringVar(&p.by, "as", "", "`name` of who publishes, kept with the edition (default your user name)")
	f.StringVar(&p.why, "why", "", "`text` that says why, kept with the edition")
	f.Int64Var(&p.after, "after", 0, "only if the edition of this `number` is in force")
}

func newPublish(sh cli.Shell) *cobra.Command {
	p := &publisher{sh: sh}
	cmd := &cobra.Command{
		Use:     "publish [PATH [NAME]]",
		Short:   "Put a folder of rules in force, for all workers on a database",
		Long:    publishHelp,
		Example: "  nectar publish\n  nectar publish rules/shop --why \"new prices\"\n  nectar publish drafts shop --dry-run",
		GroupID: groupRules,
		Args:    cli.UsageArgs(cobra.MaximumNArgs(2)),
		RunE:    func(cmd *cobra.Command, args []string) error { return runPublish(p, cmd, args) },
	}
	publishFlags(p, cmd)
	return cmd
}

func runPublish(p *publisher, cmd *cobra.Command, args []string) error {
	path := "rules"
	if len(args) > 0 {
		path = args[0]
	}
	name, err := published.PublishedAs(path, args)
	if err != nil {
		return cli.BadUsage(cmd, err)
	}
	d, err := shelfOf(p.sh, cmd)
	if err != nil {
		return err
	}
	defer d.Done()
	src, err := rules.ReadSources(path)
	if err != nil {
		return err
	}
	return putSet(p, cmd, d, d.InForce(name), src, []string{path})
}

// putSet publishes files in the place of what is in force.
func putSet(p *publisher, cmd *cobra.Command, d *published.Shelf, was record.Set, src rules.Sources, paths []string) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	report := checkedFor(p.sh, cmd, src, paths, aroundSet(p.sh, cmd, d, was.Name))
	before, err := d.SourcesOf(ctx, was)
	if err != nil {
		return err
	}
	r := published.Published{Set: was.Name, Number: was.Number, Hash: src.Hash(), Accounts: d.AccountsOf(was.Name), InStore: d.Cfg.AccountsInStore(), Problems: report.Problems}
	r.ChangedFiles = published.ChangedBetween(before, src)
	encoded, err := published.EncodedWhole(src)
	switch {
	case err != nil:
		return err
	case !report.OK():
		err = &cli.ExitError{Code: cli.ExitFailed}
	case p.after > 0 && p.after != was.Number:
		err = p.overtaken(ctx, d, was)
	case was.Hash == r.Hash:
	case p.dry:
		r.Number, r.DryRun = was.Number+1, true
	default:
		e := record.Edition{Set: record.Set{Name: was.Name, Hash: r.Hash}, By: view.DeciderName(p.sh, p.by), Why: p.why, BackTo: p.backTo}
		if e, err = d.Publish(ctx, e, encoded, was.Number); err == nil {
			r.Number, r.Published = e.Number, true
		}
		if overtaken, ok := errors.AsType[*record.OvertakenError](err); ok {
			err = published.FasterError(overtaken)
		}
	}
	if exit, ok := errors.AsType[*cli.ExitError](err); err != nil && (!ok || exit.Err != nil) {
		return err
	}
	if printed := p.print(ctx, out, d, &r, textfile.Report{Files: report.Files, Problems: report.Problems}); printed != nil {
		return printed
	}
	return err
}

// overtaken says who has published what is in force instead of the edition of --after.
func (p *publisher) overtaken(ctx context.Context, d *published.Shelf, was record.Set) error {
	e, there, err := d.Edition(ctx, was.Name, was.Number)
	if err != nil {
		return err
	}
	if !there {
		e = record.Edition{Set: was}
	}
	return published.FasterError(&record.OvertakenError{Edition: e})
}

// print says what came of it.
func (p *publisher) print(ctx context.Context, out io.Writer, d *published.Shelf, r *published.Published, report textfile.Report) error {
	if p.json {
		return print.WriteJSON(out, r)
	}
	if len(report.Problems) > 0 {
		if err := printChecked(out, report); err != nil {
			return err
		}
	}
	switch {
	case !report.OK():
		return print.SayLine(out, "nothing was published as %s", r.Set)
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
	_, err := fmt.Fprintf(out, "%s %d %s: %s of %s\n%s%s", r.Set, r.Number, is, r.ChangedFiles, print.CountText(report.Files, "file", "files"), r.Lines(), r.WhoseText())
	return err
}

// printSame says that nothing has changed.
func (p *publisher) printSame(ctx context.Context, out io.Writer, d *published.Shelf, r *published.Published) error {
	e, there, err := d.Edition(ctx, r.Set, r.Number)
	if err != nil || !there {
		return err
	}
	return print.SayLine(out, "nothing has changed: %s %d is in force, which %s published on %s", r.Set, r.Number, print.PlainText(e.By, print.MostName), print.TimeText(e.At))
}
