package cmd

import (
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/rekey"
	"github.com/spf13/cobra"
)

const rekeyHelp = `Rekey lets another NECTAR_SECRET_KEY take the place of the one that is set: all that
is encrypted in the database is encrypted anew, so that the old key opens nothing
any more. It works while the bot runs, which then does it; otherwise rekey does.
Whatever interrupts it: run it again, and it goes on.

The new key stands in a file, or in the variable NECTAR_NEW_SECRET_KEY. Make one
with: openssl rand -base64 32

When it is done, set NECTAR_SECRET_KEY to the new key before the bot starts the
next time. Copies of the database that were made before open with the old one.

On PostgreSQL rekey does it itself, beside the workers. From its beginning on both keys
open everything, so restart the workers with the new one, one after another, whenever
you like after that; rekey waits for the last of them. Then the old key opens nothing,
and a worker that was left with it does not start. rekey may be interrupted while it
waits: run it again, with either key set.`

func newRekey(sh cli.Shell) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "rekey",
		Short:   "Change the key that encrypts the database",
		Long:    rekeyHelp,
		Example: "  openssl rand -base64 32 > new.key\n  nectar rekey --new-key-file new.key",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.SettingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			to, err := rekey.NewKeyOf(sh, file)
			if err != nil {
				return &cli.ExitError{Code: cli.ExitConfig, Err: err}
			}
			if cfg.SecretKey == "" {
				return &cli.ExitError{Code: cli.ExitConfig, Err: errors.New("NECTAR_SECRET_KEY is not set: there is nothing to change. Set it, and start the bot, which then encrypts what is stored")}
			}
			if cfg.Store.OnServer() {
				r := &rekey.RekeyingServer{Cfg: cfg, To: to, Out: cmd.OutOrStdout(), Progress: print.NewProgress(cmd.ErrOrStderr())}
				return r.Run(cmd.Context())
			}
			r := &rekey.Rekeying{Cfg: cfg, To: to, Out: cmd.OutOrStdout(), Progress: print.NewProgress(cmd.ErrOrStderr())}
			return r.Run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&file, "new-key-file", "", "`file` with the new key (default the variable "+rekey.NewSecretKey+")")
	return cmd
}
