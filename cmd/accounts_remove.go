package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const accountsRemoveHelp = `Remove takes accounts out: what they sign in with is deleted, and workers give them up
within some seconds. What is kept of them in the database stays as it is –
conversations, answers, lists, what was to happen – until it becomes too old
(NECTAR_RETENTION). An account that is added again under its name goes on with it.
One that is to rest for a while is paused instead: nectar accounts pause.`

func newAccountsRemove(sh cli.Shell, f *view.Flags) *cobra.Command {
	yes, why := false, ""
	cmd := &cobra.Command{
		Use:     "remove NAME…",
		Short:   "Take accounts out of the database",
		Long:    accountsRemoveHelp,
		Example: "  nectar accounts remove cafe",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.JSON && !yes {
				return cli.BadUsage(cmd, errors.New("--json is for scripts, and nobody is asked there: add --yes"))
			}
			return someAccounts(cmd, args)
		},
		RunE: atBook(sh, f, func(ctx context.Context, b *accounts.Book, args []string) error {
			rows, err := b.RowsOf(ctx, args)
			if err != nil {
				return err
			}
			if !yes {
				question := fmt.Sprintf("What %s in with is deleted; what is kept of %s otherwise stays. Remove %s?", map[bool]string{true: "it signs", false: "they sign"}[len(rows) == 1],
					map[bool]string{true: "it", false: "them"}[len(rows) == 1], sources.NamesOfRows(rows))
				if err := cli.ConfirmYes(ctx, b.Out, b.Sh.Stdin, question); err != nil {
					return err
				}
			}
			for i := range rows {
				rows[i] = record.StoredAccount{Account: rows[i].Account, Settings: "{}", State: record.AccountRemoved, Why: why, Version: rows[i].Version}
			}
			if err := b.StoreRows(ctx, rows); err != nil {
				return err
			}
			for i := range rows {
				if err := b.TellDone(&rows[i], "removed", "removed; what is kept of it stays, and nectar accounts add "+string(rows[i].Account)+" lets it go on with that"); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&why, "why", "", "why, in a `text` for others who look after the accounts")
	asFlag(cmd, f)
	return cmd
}
