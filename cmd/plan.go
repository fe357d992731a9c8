package cmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

const planHelp = `Plan shows what campaigns will publish, and when: a calendar, a list of the slots with
the minute at which each leaves, and what it comes to. It is what the bot will do, as
far as nothing else happens: the bot decides by the same function. It changes nothing,
and works with a running bot, without one, and without a database.

Without a PATH it plans what is in force: with what the bot has published so far, and
what became of the slots that are over. Where no bot has run yet, it plans the folder of
rule files of the settings. With a PATH, which is a folder of rule files or one file, it
plans these files in the place of those in force.

Without --month, --from or --to it shows four weeks, from that of the next slot on, and a
year for other programs. Days and hours are those of each campaign's own time zone;
--json, --csv and --ics have UTC.

--diff compares the files of PATH with what is in force, and changes nothing: slots that
move, that are not there any more, that stay empty, what was approved and is asked for
again, what is new. Campaigns that a single file does not have stay as they are; a folder
stands for all of them. Without a PATH it shows the edit that waits for nectar campaigns
apply, or else what is saved and no bot has looked at yet.

--ics FILE writes a calendar for phones. Where the file is there already it is brought up
to date: slots that are gone stay in it as cancelled, and programs that know it see what
has moved. --csv FILE is for spreadsheets; a table of a plan that is there is written
anew. No other file is overwritten. A - in the place of FILE is standard output.

Exit status: 0 done, also where --diff finds something; with --fail-on-change 1 then; 1 when
the files have problems; 2 wrong command line; 78 wrong settings.`

func newPlan(sh cli.Shell) *cobra.Command {
	var f plan.Flags
	cmd := &cobra.Command{
		Use:     "plan [PATH…]",
		Short:   "Show what campaigns will publish, and when",
		Long:    planHelp,
		Example: "  nectar plan\n  nectar plan spring.yaml --month 2027-03\n  nectar plan --diff spring.yaml\n  nectar plan --ics campaigns.ics",
		GroupID: groupRules,
		Args:    func(cmd *cobra.Command, _ []string) error { return checkPlanFlags(&f, cmd) },
		RunE:    func(cmd *cobra.Command, paths []string) error { return runPlan(&f, sh, cmd, paths) },
	}
	addViewFlags(&f.Flags, cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.Month, "month", "", "this `month`, like 2027-03")
	flags.StringVar(&f.From, "from", "", "from this `day` on, like 2027-03-08")
	flags.StringVar(&f.To, "to", "", "up to this `day`, included")
	flags.StringVar(&f.Campaign, "campaign", "", "only the campaign with this `id`")
	flags.Var((*cli.Number)(&f.Width), "width", "as wide as so many `columns`; otherwise as wide as the terminal")
	flags.StringVar(&f.ICS, "ics", "", "write a calendar for phones into this `file`")
	flags.StringVar(&f.CSV, "csv", "", "write a table for spreadsheets into this `file`")
	flags.BoolVar(&f.NoBOM, "no-bom", false, "with --csv, leave out the mark by which spreadsheets know UTF-8")
	flags.BoolVar(&f.Diff, "diff", false, "show what the files change of what is in force; without a PATH what waits, or was saved")
	flags.BoolVar(&f.Strict, "fail-on-change", false, "with --diff: exit with status 1 when any slot changes")
	return cmd
}

// checkPlanFlags refuses flags that do not go together.
func checkPlanFlags(f *plan.Flags, cmd *cobra.Command) error {
	forms := 0
	for _, on := range []bool{f.JSON, f.ICS != "", f.CSV != ""} {
		if on {
			forms++
		}
	}
	switch {
	case forms > 1:
		return cli.BadUsage(cmd, errors.New("--json, --ics and --csv are three forms of the same: write one"))
	case f.Strict && !f.Diff:
		return cli.BadUsage(cmd, errors.New("--fail-on-change goes with --diff"))
	case f.Diff && (f.ICS != "" || f.CSV != "" || f.Month+f.From+f.To+f.Campaign != ""):
		return cli.BadUsage(cmd, errors.New("--diff compares all slots to come: leave out days, campaigns and files"))
	case f.Month != "" && f.From+f.To != "":
		return cli.BadUsage(cmd, errors.New("--month is from its first to its last day: leave out --from and --to"))
	}
	return nil
}

func runPlan(f *plan.Flags, sh cli.Shell, cmd *cobra.Command, paths []string) error {
	ctx := cmd.Context()
	p, err := plannerOf(sh, cmd, &f.Flags, len(paths) > 0)
	if err != nil {
		return err
	}
	defer p.End()
	p.Beside = f.Diff && !slices.ContainsFunc(paths, func(path string) bool { info, err := os.Stat(path); return err != nil || info.IsDir() })
	accounts, err := p.StandingAccounts(ctx, paths, f.Account)
	if err != nil {
		return err
	}
	if f.Diff {
		return f.ShowComparison(ctx, cmd.OutOrStdout(), p, accounts, len(paths) > 0)
	}
	accounts = slices.DeleteFunc(accounts, func(a *plan.Account) bool { return len(a.Campaigns) == 0 && len(a.Known) == 0 })
	if err := planKnown(f, cmd, accounts); err != nil {
		return err
	}
	show, err := planDays(f, cmd, p.Now, accounts)
	if err != nil {
		return err
	}
	plans := make([]plan.PlannedSlots, len(accounts))
	for i, a := range accounts {
		if plans[i], err = p.PlanSlots(ctx, a, show, f.Campaign); err != nil {
			return err
		}
	}
	if f.ForMachines() {
		var rows []plan.SlotRow
		for i := range plans {
			rows = append(rows, plans[i].Rows...)
		}
		return f.WriteForMachines(cmd.OutOrStdout(), rows, p.Planned, show, p.Now)
	}
	return f.ShowToPeople(ctx, cmd.OutOrStdout(), p, accounts, plans, show)
}

// planKnown refuses a campaign that is not there.
func planKnown(f *plan.Flags, cmd *cobra.Command, accounts []*plan.Account) error {
	has := func(a *plan.Account) bool { return slices.Contains(a.IDs(), f.Campaign) }
	if f.Campaign == "" || slices.ContainsFunc(accounts, has) {
		return nil
	}
	return cli.BadUsage(cmd, plan.NoCampaign(f.Campaign, accounts))
}

// planDays returns the days to show: those that were asked for, or four weeks from that of the next slot on.
func planDays(f *plan.Flags, cmd *cobra.Command, now time.Time, accounts []*plan.Account) (show plan.Days, err error) {
	read := func(flag, written string) text.Day {
		d, no := text.ParseDay(written)
		if no != nil && err == nil {
			err = cli.BadUsage(cmd, fmt.Errorf("--%s %s: %w", flag, print.PlainText(written, 40), no))
		}
		return d
	}
	switch {
	case f.Month != "":
		first, no := time.Parse("2006-01", f.Month)
		if no != nil {
			return show, cli.BadUsage(cmd, fmt.Errorf("--month %s: write it like 2027-03", print.PlainText(f.Month, 40)))
		}
		show = plan.Days{From: text.DayOf(first), To: text.DayOf(first.AddDate(0, 1, -1))}
	default:
		show.From = f.FirstDay(now, accounts)
		if f.From != "" {
			show.From = read("from", f.From)
		}
		show.To = text.DayOf(show.From.At(0, time.UTC).AddDate(0, 0, 27))
		if f.ForMachines() {
			show.To = text.DayOf(show.From.At(0, time.UTC).AddDate(1, 0, -1))
		}
		if f.To != "" {
			show.To = read("to", f.To)
		}
		if f.To != "" && f.From == "" && plan.DayBefore(show.To, show.From) > 0 {
			show.From = text.DayOf(now.In(plan.ZoneOf(accounts)))
		}
	}
	switch last := now.AddDate(plan.Furthest, 0, 0); {
	case err != nil:
	case plan.DayBefore(show.To, show.From) > 0:
		err = cli.BadUsage(cmd, fmt.Errorf("the last day, %s, comes before the first one, %s", show.To, show.From))
	case show.To.At(0, time.UTC).After(last):
		err = cli.BadUsage(cmd, fmt.Errorf("%s is more than %d years ahead: name a day until %s", show.To, plan.Furthest, last.Format(time.DateOnly)))
	}
	return show, err
}
