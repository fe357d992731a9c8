package starter

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
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
)

// CampaignName is the file that init --campaign writes.
const CampaignName = "50-campaign.yaml"

// FirstCampaign is a campaign to begin with, and where it goes.
type FirstCampaign struct {
	*Beginning
	Account string
	Folder  config.RuleFolder
}

// Write writes the file and, where there is none, the schema with which an editor completes it; then it says what to do next.
func (c *FirstCampaign) Write(out io.Writer, known []rules.Option) error {
	content, err := fs.ReadFile(starterFiles, "files/campaign/"+c.Language+".yaml")
	if err != nil {
		return fmt.Errorf("read the campaign to begin with: %w", err)
	}
	path := filepath.Join(c.Folder.Path, CampaignName)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: already there, and nothing was written", path)
	}
	schema, err := rules.Schema("rules")
	if err != nil {
		return err
	}
	for _, f := range []newFile{
		{path: path, content: c.filled(string(content), time.Now())},
		{path: filepath.Join(c.Folder.Path, "..", "schema", "rules.v1.json"), content: string(schema)},
	} {
		if err := f.write("", out); err != nil {
			return err
		}
	}
	src, err := rules.ReadSources(c.Folder.Path)
	if err != nil {
		return err
	}
	_, report := rulecheck.Check(src, known...)
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
func (c *FirstCampaign) settingsFirst(src rules.Sources) string {
	if _, err := os.Stat(filepath.Join(c.Dir, ".env")); err == nil || src[rules.SettingsFile] != nil || c.Account != "" {
		return ""
	}
	return "  nectar init --force        the settings of the bot: there are none here yet; what is there stays\n"
}

// filled puts what is known into the file. The campaign begins on a Monday, and lasts four weeks. Its first slot, a Tuesday, is at least a week away: who
// tries it reposts the same post today, and its gap is six days.
func (c *FirstCampaign) filled(content string, now time.Time) string {
	if zone, err := time.LoadLocation(c.Zone); err == nil {
		now = now.In(zone)
	}
	monday := now.AddDate(0, 0, 6) //mutate:init-week
	monday = monday.AddDate(0, 0, (8-int(monday.Weekday()))%7)
	account := ""
	if c.Account != "" {
		account = "    account: " + c.Account + "\n"
	}
	return strings.NewReplacer("%ACCOUNT%", account, "%TIMEZONE%", c.Zone, "%STARTS%", monday.Format(time.DateOnly),
		"%ENDS%", monday.AddDate(0, 0, 25).Format(time.DateOnly)).Replace(content)
}

// ErrAccountAlone is told for --account without --campaign.
var ErrAccountAlone = errors.New("--account says whose campaign it is: write --campaign, too")
