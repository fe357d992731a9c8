package cmd

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/spf13/cobra"
)

const backHelp = `Back makes an earlier edition of a set the one in force: what was in force before, or the
one of --to. It is a new edition with the content of that one, so that the history says who
went back, when and why, and going back once more undoes it. It is checked again first, by
this version of the program.

NAME is the set; it may be left out where there is one alone. nectar history lists editions.`

func newBack(sh cli.Shell) *cobra.Command {
	p := &publisher{sh: sh}
	cmd := &cobra.Command{
		Use:     "back [NAME]",
		Short:   "Make an earlier edition of published rules the one in force",
		Long:    backHelp,
		Example: "  nectar back shop --why \"the new prices were wrong\"\n  nectar back shop --to 5",
		GroupID: groupRules,
		Args:    cli.UsageArgs(cobra.MaximumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return runBack(p, cmd, args) },
	}
	publishFlags(p, cmd)
	cmd.Flags().Int64Var(&p.backTo, "to", 0, "the edition of this `number`")
	return cmd
}

func runBack(p *publisher, cmd *cobra.Command, args []string) error {
	d, err := shelfOf(p.sh, cmd)
	if err != nil {
		return err
	}
	defer d.Done()
	was, err := d.SetNamed(args)
	if err != nil {
		return err
	}
	switch {
	case cmd.Flags().Changed("to"):
	case was.Number == 1:
		return fmt.Errorf("%s has one edition alone, and it is in force", was.Name)
	default:
		p.backTo = was.Number - 1
	}
	e, there, err := d.Edition(cmd.Context(), was.Name, p.backTo)
	switch {
	case err != nil:
		return err
	case !there:
		return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("%s has no edition %d: they are numbered from 1 to %d, which is in force", was.Name, p.backTo, was.Number)}
	}
	src, err := d.SourcesOf(cmd.Context(), e.Set)
	if err != nil {
		return err
	}
	return putSet(p, cmd, d, was, src, []string{record.PlaceOf(was.Name)})
}
