package cmd

import (
	"context"

	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const accountsImportHelp = `Import brings the accounts of a file into the database: of the one that is named, or
that NECTAR_ACCOUNTS names. ${NAME} stands for a variable, as in the file of a bot;
what an account does not say, it takes from the settings of the worker that serves it.

All is checked before anything is stored. An account that is there, and says the same,
stays as it is. One that differs is told, and stays as it is, too, unless --replace
takes over what the file says. Its state stays, unless the file has one of its own.

Whatever interrupts it: run it again, and it goes on. --dry-run changes nothing.`

func newAccountsImport(sh cli.Shell, f *view.Flags) *cobra.Command {
	im := &accounts.Import{}
	cmd := &cobra.Command{
		Use:     "import [FILE]",
		Short:   "Bring the accounts of a file into the database",
		Long:    accountsImportHelp,
		Example: "  nectar accounts import accounts.yaml --dry-run\n  nectar accounts import accounts.yaml",
		Args:    cli.UsageArgs(cobra.MaximumNArgs(1)),
		RunE: atBook(sh, f, func(ctx context.Context, b *accounts.Book, args []string) error {
			im.Book = b
			if err := im.Read(ctx, args); err != nil {
				return err
			}
			return im.Run(ctx)
		}),
	}
	cmd.Flags().BoolVar(&im.Dry, "dry-run", false, "say what would be done, and change nothing")
	cmd.Flags().BoolVar(&im.Replace, "replace", false, "take over what the file says of accounts that are there and differ")
	asFlag(cmd, f)
	return cmd
}
