package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// checkRules says what the rule files are good for; when they cannot be read, what is in force then, and how old that is.
func (d *Doctor) checkRules(ctx context.Context, cfg config.Config, folders []config.RuleFolder) {
	for _, f := range folders {
		d.folder(ctx, cfg, f, len(folders))
	}
}

// folder says the same of one folder.
func (d *Doctor) folder(ctx context.Context, cfg config.Config, f config.RuleFolder, of int) {
	const check = "rules"
	src, err := sources.ReadingFrom(ctx, cfg)(sources.WholePath(f.Path))
	if err == nil {
		d.readRules(src, sources.OfFolder(f, of), sources.AroundFolder(cfg, f))
		return
	}
	last, known := sources.WereInForce(ctx, cfg, f.Accounts)
	_, published := record.SetOf(f.Path)
	switch {
	case !known && published:
		d.NoteFinding(Finding{Check: check, Status: Failed, Said: err.Error() + "; " + sources.AccountNames(f.Accounts) + " will not be taken up before that"})
		return
	case !known && of > 1:
		d.NoteFinding(Finding{Check: check, Status: Failed, Said: err.Error() + "; it is the folder of " + sources.AccountNames(f.Accounts) + ", and the bot does not begin without it"})
		return
	case !known:
		d.NoteFinding(Finding{Check: check, Status: Odd, Said: err.Error() + "; until then only nectar run --starter begins"})
		return
	}
	d.NoteFinding(Finding{Check: check, Status: Odd, Said: fmt.Sprintf("%s. What was in force stays so: %d files, loaded %s ago, %s",
		err, last.Files, ageText(time.Since(last.Loaded)), print.TimeText(last.Loaded))})
}

// ageText says how long ago something was, in its largest unit.
func ageText(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	default:
		return fmt.Sprintf("%d minutes", max(int(d.Minutes()), 0))
	}
}

// readRules says what is wrong with rule files, how far they go, and by which clock. of is the folder, where there are
// several.
func (d *Doctor) readRules(src rules.Sources, of string, known []rules.Option) {
	note := func(f Finding) {
		if of != "" {
			f.Said = of + ": " + f.Said
		}
		d.NoteFinding(f)
	}
	v, report := rulecheck.Check(src, known...)
	bad := report.Problems.Errors()
	if len(bad) > 0 {
		note(Finding{Check: "rules", Status: Failed, Said: fmt.Sprintf("%s; the first one: %s. nectar check says all", print.CountText(len(bad), "problem", "problems"), bad[0])})
	}
	if v == nil {
		return
	}
	count := map[ruledecision.Status]int{}
	for _, r := range v.Listed() {
		count[r.Status]++
	}
	var said []string
	for _, s := range []ruledecision.Status{ruledecision.Live, ruledecision.Ask, ruledecision.Watch, ruledecision.Paused} {
		if n := count[s]; n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, s))
		}
	}
	f := Finding{Check: "rules", Status: Good, Said: print.CountText(len(src), "file", "files") + "; rules and conversations: " + cmp.Or(strings.Join(said, ", "), "none")}
	if len(count) > 0 && count[ruledecision.Live]+count[ruledecision.Ask] == 0 {
		f.Status, f.Said = Odd, f.Said+": nothing is answered; nectar rules live FILE lets a file act"
	}
	if len(bad) == 0 {
		note(f)
	}
	zone := v.Zone()
	f = Finding{Check: "time zone", Status: Good, Said: zone.String() + ", where it is " + time.Now().In(zone).Format("Mon 15:04")}
	if !v.HasZone() && v.HasHours() {
		f.Status, f.Said = Odd, "settings.yaml has none, so all hours are those of UTC, where it is "+time.Now().UTC().Format("Mon 15:04")+"; write: timezone: Europe/Lisbon"
	}
	note(f)
}
