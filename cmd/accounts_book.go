package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

// atBook makes the body of a command that changes accounts of the database of the settings.
func atBook(sh cli.Shell, f *view.Flags, do func(ctx context.Context, b *accounts.Book, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := sh.SettingsWithoutAccounts(cmd)
		if err != nil {
			return err
		}
		if !cfg.Store.OnServer() {
			return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("accounts stand in .env, or in the file that NECTAR_ACCOUNTS names: in the database they stand on PostgreSQL alone, and NECTAR_STORE is the file %s", cfg.Store)}
		}
		d, err := viewOf(sh, cmd, f)
		if errors.Is(err, record.ErrNone) {
			return fmt.Errorf("%w; nectar migrate makes it", err)
		}
		if err != nil {
			return err
		}
		defer d.Done()
		return do(cmd.Context(), &accounts.Book{View: d, Sh: sh, Cfg: cfg, Stderr: cmd.ErrOrStderr()}, args)
	}
}

// someAccounts wants the names of accounts.
func someAccounts(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.BadUsage(cmd, errors.New("name one account or several; nectar accounts lists them"))
	}
	return nil
}
