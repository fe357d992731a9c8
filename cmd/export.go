package cmd

import (
	"context"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const exportHelp = `Export writes all that is kept of a person as one JSON object: what nectar forget
would delete. Private texts are in it, too.`

func newExport(sh cli.Shell) *cobra.Command {
	var f view.Flags
	cmd := &cobra.Command{
		Use:     "export PERSON",
		Short:   "Write all that is kept of a person, as JSON",
		Long:    exportHelp,
		Example: "  nectar export @ana > ana.json",
		GroupID: groupCare,
		Args:    onePerson,
		RunE: withView(sh, &f, func(ctx context.Context, d *view.View, args []string) error {
			return d.ExportPerson(ctx, args[0])
		}),
	}
	cmd.Flags().StringVar(&f.Account, "account", "", "only this `account` (default all)")
	return cmd
}
