package cmd

import (
	"errors"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

func newNoticesTest(sh cli.Shell) *cobra.Command {
	return &cobra.Command{
		Use:     "test TEAM",
		Short:   "Call a team now, and say what came back",
		Long:    noticesTestHelp,
		Example: "  nectar notices test sales",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.BadUsage(cmd, errors.New("name one team, as settings.yaml has it under who"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folders, cfg, err := foldersFrom(sh, cmd)
			if err != nil {
				return err
			}
			account, err := cmd.Flags().GetString("account")
			if err != nil {
				return err
			}
			if account != "" {
				folder, err := sources.FolderOf(folders, account)
				if err != nil {
					return cli.BadUsage(cmd, err)
				}
				folders = []config.RuleFolder{folder}
			}
			return view.CallTeams(cmd.Context(), cmd.OutOrStdout(), cfg, folders, args[0])
		},
	}
}
