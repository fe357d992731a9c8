package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

// campaignName is the file that init --campaign writes.
const campaignName = "50-campaign.yaml"

// firstCampaign is a campaign to begin with, and where it goes.
type firstCampaign struct {
	*beginning
	account string
	folder  config.RuleFolder
}

// writeCampaign writes a campaign to begin with into the folder of the rule files, which may be there or not.
func (b *beginning) writeCampaign(sh shell, cmd *cobra.Command, account string) error {
	for _, flag := range []string{"base-url", "email", "password-stdin", "hours"} {
		if cmd.Flags().Changed(flag) {
			return badUsage(cmd, fmt.Errorf("--campaign writes nothing but a campaign: write nectar init with --%s first, and then nectar init --campaign", flag))
		}
	}
	c := firstCampaign{beginning: b, account: account, folder: config.RuleFolder{Path: filepath.Join(b.dir, "rules")}}
	if !cmd.Flags().Changed("dir") {
		if err := c.find(sh, cmd); err != nil {
			return badUsage(cmd, err)
		}
	}
	if info, err := os.Stat(c.folder.Path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is one file: write the campaign into it, or name a folder with --dir", c.folder.Path)
	}
	c.takeSettings(cmd)
	if err := b.check(); err != nil {
		return badUsage(cmd, err)
	}
	return c.write(cmd.OutOrStdout(), sh.around(cmd, []string{c.folder.Path}))
}

// find takes the folder that the settings name.
func (c *firstCampaign) find(sh shell, cmd *cobra.Command) error {
	all, _, err := sh.folders(cmd)
	if err != nil {
		return err
	}
	if c.folder, err = folderOf(all, c.account); err != nil {
		return err
	}
	if err := written(c.folder.Path); err != nil {
		return err
	}
	if c.account == "" && len(c.folder.Accounts) > 1 {
		return fmt.Errorf("whose campaign is it? Write --account and one of %s", accountNames(c.folder.Accounts))
	}
	return nil
}

// takeSettings takes the language and the time zone of files that are there, unless flags say otherwise.
func (c *firstCampaign) takeSettings(cmd *cobra.Command) {
	src, err := rules.ReadSources(c.folder.Path)
	if err != nil || src[rules.SettingsFile] == nil {
		return
	}
	v, _ := rules.Compile(rules.Sources{rules.SettingsFile: src[rules.SettingsFile]})
	if v == nil {
		return // the check says what is wrong
	}
	if l := string(v.Language()); l != "" && !cmd.Flags().Changed("language") {
		c.language = l
	}
	if v.HasZone() && !cmd.Flags().Changed("timezone") {
		c.zone = v.Zone().String()
	}
}

// write writes the file and, where there is none, the schema with which an editor completes it; then it says what to do next.
func (c *firstCampaign) write(out io.Writer, known []rules.Option) error {
	content, err := fs.ReadFile(starterFiles, "starter/campaign/"+c.language+".yaml")
	if err != nil {
		return fmt.Errorf("read the campaign to begin with: %w", err)
	}
	path := filepath.Join(c.folder.Path, campaignName)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: already there, and nothing was written", path)
	}
	schema, err := rules.Schema("rules")
	if err != nil {
		return err
	}
	for _, f := range []newFile{
		{path: path, content: c.filled(string(content), time.Now())},
		{path: filepath.Join(c.folder.Path, "..", "schema", "rules.v1.json"), content: string(schema)},
	} {
		if err := f.write("", out); err != nil {
			return err
		}
	}
	src, err := rules.ReadSources(c.folder.Path)
	if err != nil {
		return err
	}
	_, report := rules.Check(src, known...)
	_, _ = fmt.Fprintln(out)
	if _, err := report.WriteTo(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `
Next:
%s  %-26s put the address of your post behind link:
  nectar check               after every change: what is wrong, with the line
  nectar plan                what comes when, to the minute, before anything does
  nectar run                 the bot; the campaign is on watch, so it publishes nothing
  status: ask, then live     in the file, once you like what you see
`, c.settingsFirst(src), path)
	return err
}

// settingsFirst says how the settings come about where there are none yet; "" where there are.
func (c *firstCampaign) settingsFirst(src rules.Sources) string {
	if _, err := os.Stat(filepath.Join(c.dir, ".env")); err == nil || src[rules.SettingsFile] != nil || c.account != "" {
		return ""
	}
	return "  nectar init --force        the settings of the bot: there are none here yet; what is there stays\n"
}

// filled puts what is known into the file. The campaign begins with the next week, and lasts four.
func (c *firstCampaign) filled(content string, now time.Time) string {
	if zone, err := time.LoadLocation(c.zone); err == nil {
		now = now.In(zone)
	}
	monday := now.AddDate(0, 0, (8-int(now.Weekday()))%7)
	if monday.Equal(now) {
		monday = now.AddDate(0, 0, 7)
	}
	account := ""
	if c.account != "" {
		account = "    account: " + c.account + "\n"
	}
	return strings.NewReplacer("%ACCOUNT%", account, "%TIMEZONE%", c.zone, "%STARTS%", monday.Format(time.DateOnly),
		"%ENDS%", monday.AddDate(0, 0, 25).Format(time.DateOnly)).Replace(content)
}

// errAccountAlone is told for --account without --campaign.
var errAccountAlone = errors.New("--account says whose campaign it is: write --campaign, too")
