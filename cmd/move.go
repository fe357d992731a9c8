package cmd

import (
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/move"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const moveHelp = `Move takes the memory of a bot to another database: from a file to PostgreSQL, or
back, or from one server to another. Databases are named as in NECTAR_STORE; the
last one is where all goes, and with only one that is NECTAR_STORE itself. Several
files may go into one database. With --account only some accounts go.

No bot may run on any of them meanwhile. All that is kept of an account goes along,
and is compared with what it was before the account changes over. Whatever
interrupts it: run it again, and it goes on. Until it is done, the bot may run where
it ran before; from then on nothing runs there any more, and where that is said, it
is said where all went. The same command takes it back.

Accounts that stand in the database (nectar accounts) go along from server to server,
with what they sign in with. A file has none: they go into an accounts file then.

What is encrypted is encrypted anew on its way, so NECTAR_SECRET_KEY must be set, or
unset, as it is for the bot. On a server everything is encrypted.

A password in the command line can be seen by whoever lists the processes of this
machine: put it into NECTAR_STORE, PGPASSWORD or ~/.pgpass.

--cancel takes away what an interrupted move has brought into a database so far.`

func newMove(sh cli.Shell) *cobra.Command {
	m := &move.Moving{}
	cmd := &cobra.Command{
		Use:   "move FROM… [TO]",
		Short: "Take the memory to another database: from a file to PostgreSQL, or back",
		Long:  moveHelp,
		Example: "  nectar move sqlite:nectar.db postgres://nectar@db.example/nectar\n" +
			"  nectar move sqlite:shop.db sqlite:cafe.db postgres://nectar@db.example/nectar --dry-run\n" +
			"  nectar move postgres://nectar@db.example/nectar sqlite:shop.db --account shop",
		GroupID: groupCare,
		Args:    cli.UsageArgs(func(_ *cobra.Command, args []string) error { return move.NamedPlaces(m, args) }),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := sh.SettingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			m.By = view.DeciderName(sh, "")
			m.Out, m.Progress = cmd.OutOrStdout(), print.NewProgress(cmd.ErrOrStderr())
			defer m.Progress.End()
			if err := m.Read(cfg, args); err != nil {
				return cli.BadUsage(cmd, err)
			}
			if m.Cancel {
				return m.CallOff(cmd.Context())
			}
			return m.Run(cmd.Context())
		},
	}
	cmd.Flags().StringArrayVar(&m.Accounts, "account", nil, "only this `account`; may be given several times (default all)")
	cmd.Flags().BoolVar(&m.Dry, "dry-run", false, "say what would be moved, and change nothing; a bot may run meanwhile")
	cmd.Flags().BoolVar(&m.JSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&m.Cancel, "cancel", false, "take away what an interrupted move has brought into the database")
	return cmd
}
