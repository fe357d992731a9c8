package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/starter"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

// writeCampaign writes a campaign to begin with into the folder of the rule files, which may be there or not.
func writeCampaign(b *starter.Beginning, sh cli.Shell, cmd *cobra.Command, account string) error {
	for _, flag := range []string{"base-url", "email", "password-stdin", "hours"} {
		if cmd.Flags().Changed(flag) {
			return cli.BadUsage(cmd, fmt.Errorf("--campaign writes nothing but a campaign: write nectar init with --%s first, and then nectar init --campaign", flag))
		}
	}
	c := starter.FirstCampaign{Beginning: b, Account: account, Folder: config.RuleFolder{Path: filepath.Join(b.Dir, "rules")}}
	if !cmd.Flags().Changed("dir") {
		if err := findPlace(&c, sh, cmd); err != nil {
			return cli.BadUsage(cmd, err)
		}
	}
	if info, err := os.Stat(c.Folder.Path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is one file: write the campaign into it, or name a folder with --dir", c.Folder.Path)
	}
	takeSettings(&c, cmd)
	if err := b.Check(); err != nil {
		return cli.BadUsage(cmd, err)
	}
	return c.Write(cmd.OutOrStdout(), aroundPaths(sh, cmd, []string{c.Folder.Path}))
}

// findPlace takes the folder that the settings name.
func findPlace(c *starter.FirstCampaign, sh cli.Shell, cmd *cobra.Command) error {
	all, _, err := foldersFrom(sh, cmd)
	if err != nil {
		return err
	}
	if c.Folder, err = sources.FolderOf(all, c.Account); err != nil {
		return err
	}
	if err := sources.RefusePublished(c.Folder.Path); err != nil {
		return err
	}
	if c.Account == "" && len(c.Folder.Accounts) > 1 {
		return fmt.Errorf("whose campaign is it? Write --account and one of %s", sources.AccountNames(c.Folder.Accounts))
	}
	return nil
}

// takeSettings takes the language and the time zone of files that are there, unless flags say otherwise.
func takeSettings(c *starter.FirstCampaign, cmd *cobra.Command) {
	src, err := rules.ReadSources(c.Folder.Path)
	if err != nil || src[rules.SettingsFile] == nil {
		return
	}
	v, _ := rules.Compile(rules.Sources{rules.SettingsFile: src[rules.SettingsFile]})
	if v == nil {
		return // the check says what is wrong
	}
	if l := v.Language(); l != "" && !cmd.Flags().Changed("language") {
		c.Language = l
	}
	if v.HasZone() && !cmd.Flags().Changed("timezone") {
		c.Zone = v.Zone().String()
	}
}
