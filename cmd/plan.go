package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
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
again, what is new. Without a PATH it shows the edit that waits for nectar campaigns
apply, or else what is saved and no bot has looked at yet.

--ics FILE writes a calendar for phones. Where the file is there already it is brought up
to date: slots that are gone stay in it as cancelled, and programs that know it see what
has moved. --csv FILE is for spreadsheets. A - in the place of FILE is standard output.

Exit status: 0 done, also where --diff finds something; with --fail-on-change 1 then; 1 when
the files have problems; 2 wrong settings or command line.`

// planFlags say what to plan.
type planFlags struct {
	deskFlags
	month, from, to string
	campaign        string
	width           int
	ics, csv        string
	diff, strict    bool
}

func newPlan(sh shell) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:     "plan [PATH…]",
		Short:   "Show what campaigns will publish, and when",
		Long:    planHelp,
		Example: "  nectar plan\n  nectar plan spring.yaml --month 2027-03\n  nectar plan --diff spring.yaml\n  nectar plan --ics campaigns.ics",
		GroupID: groupRules,
		Args:    f.check,
		RunE:    func(cmd *cobra.Command, paths []string) error { return f.run(sh, cmd, paths) },
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.month, "month", "", "this `month`, like 2027-03")
	flags.StringVar(&f.from, "from", "", "from this `day` on, like 2027-03-08")
	flags.StringVar(&f.to, "to", "", "up to this `day`, included")
	flags.StringVar(&f.campaign, "campaign", "", "only the campaign with this `id`")
	flags.Var((*number)(&f.width), "width", "as wide as so many `columns`; otherwise as wide as the terminal")
	flags.StringVar(&f.ics, "ics", "", "write a calendar for phones into this `file`")
	flags.StringVar(&f.csv, "csv", "", "write a table for spreadsheets into this `file`")
	flags.BoolVar(&f.diff, "diff", false, "show what the files change of what is in force; without a PATH what waits, or was saved")
	flags.BoolVar(&f.strict, "fail-on-change", false, "with --diff: exit with status 1 when any slot changes")
	return cmd
}

// check refuses flags that do not go together.
func (f *planFlags) check(cmd *cobra.Command, _ []string) error {
	forms := 0
	for _, on := range []bool{f.json, f.ics != "", f.csv != ""} {
		if on {
			forms++
		}
	}
	switch {
	case forms > 1:
		return badUsage(cmd, errors.New("--json, --ics and --csv are three forms of the same: write one"))
	case f.strict && !f.diff:
		return badUsage(cmd, errors.New("--fail-on-change goes with --diff"))
	case f.diff && (f.ics != "" || f.csv != "" || f.month+f.from+f.to+f.campaign != ""):
		return badUsage(cmd, errors.New("--diff compares all slots to come: leave out days, campaigns and files"))
	case f.month != "" && f.from+f.to != "":
		return badUsage(cmd, errors.New("--month is from its first to its last day: leave out --from and --to"))
	}
	return nil
}

func (f *planFlags) run(sh shell, cmd *cobra.Command, paths []string) error {
	ctx := cmd.Context()
	p, err := sh.planner(cmd, &f.deskFlags, len(paths) > 0)
	if err != nil {
		return err
	}
	defer p.end()
	accounts, err := p.standings(ctx, paths, f.account)
	if err != nil {
		return err
	}
	if f.diff {
		return f.compare(ctx, cmd.OutOrStdout(), p, accounts, len(paths) > 0)
	}
	accounts = slices.DeleteFunc(accounts, func(a *planAccount) bool { return len(a.Campaigns) == 0 && len(a.known) == 0 })
	if err := f.known(cmd, accounts); err != nil {
		return err
	}
	show, err := f.days(cmd, p.now, accounts)
	if err != nil {
		return err
	}
	plans := make([]plannedSlots, len(accounts))
	for i, a := range accounts {
		if plans[i], err = p.slots(ctx, a, show, f.campaign); err != nil {
			return err
		}
	}
	if f.forMachines() {
		var rows []planRow
		for i := range plans {
			rows = append(rows, plans[i].rows...)
		}
		return f.machines(cmd.OutOrStdout(), rows, p.planned, show, p.now)
	}
	return f.people(ctx, cmd.OutOrStdout(), p, accounts, plans, show)
}

// forMachines tells whether the plan is for other programs.
func (f *planFlags) forMachines() bool { return f.json || f.ics != "" || f.csv != "" }

// known refuses a campaign that is not there.
func (f *planFlags) known(cmd *cobra.Command, accounts []*planAccount) error {
	if f.campaign == "" {
		return nil
	}
	var ids []string
	for _, a := range accounts {
		ids = append(ids, a.ids()...)
	}
	if slices.Contains(ids, f.campaign) {
		return nil
	}
	return badUsage(cmd, noCampaign(f.campaign, ids))
}

// ids names the campaigns of an account, also those that are in no file any more.
func (a *planAccount) ids() []string {
	all := slices.Clone(a.known)
	for _, c := range a.Campaigns {
		all = append(all, c.ID)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// noCampaign says that there is no such campaign, and which one may be meant.
func noCampaign(id string, ids []string) error {
	problem := fmt.Sprintf("there is no campaign %s", plain(id, 60))
	switch near := text.Nearest(id, ids); {
	case near != "":
		problem += ": did you mean " + near + "?"
	case len(ids) == 0:
		problem += ", and none at all"
	default:
		problem += "; nectar campaigns lists them"
	}
	return errors.New(problem)
}

// furthest is how far ahead a plan looks.
const furthest = 10 // years

// days returns the days to show: those that were asked for, or four weeks from that of the next slot on.
func (f *planFlags) days(cmd *cobra.Command, now time.Time, accounts []*planAccount) (show days, err error) {
	read := func(flag, written string) text.Day {
		d, no := text.ParseDay(written)
		if no != nil && err == nil {
			err = badUsage(cmd, fmt.Errorf("--%s %s: %w", flag, plain(written, 40), no))
		}
		return d
	}
	switch {
	case f.month != "":
		first, no := time.Parse("2006-01", f.month)
		if no != nil {
			return show, badUsage(cmd, fmt.Errorf("--month %s: write it like 2027-03", plain(f.month, 40)))
		}
		show = days{text.DayOf(first), text.DayOf(first.AddDate(0, 1, -1))}
	default:
		show.from = f.firstDay(now, accounts)
		if f.from != "" {
			show.from = read("from", f.from)
		}
		show.to = text.DayOf(show.from.At(0, time.UTC).AddDate(0, 0, 27))
		if f.forMachines() {
			show.to = text.DayOf(show.from.At(0, time.UTC).AddDate(1, 0, -1))
		}
		if f.to != "" {
			show.to = read("to", f.to)
		}
		if f.to != "" && f.from == "" && dayBefore(show.to, show.from) > 0 {
			show.from = text.DayOf(now.In(zoneOf(accounts)))
		}
	}
	switch last := now.AddDate(furthest, 0, 0); {
	case err != nil:
	case dayBefore(show.to, show.from) > 0:
		err = badUsage(cmd, fmt.Errorf("the last day, %s, comes before the first one, %s", show.to, show.from))
	case show.to.At(0, time.UTC).After(last):
		err = badUsage(cmd, fmt.Errorf("%s is more than %d years ahead: name a day until %s", show.to, furthest, last.Format(time.DateOnly)))
	}
	return show, err
}

// zoneOf is a zone in which it is today.
func zoneOf(accounts []*planAccount) *time.Location {
	for _, a := range accounts {
		for _, z := range zonesOf(a) {
			return z
		}
	}
	return time.UTC
}

// firstDay is the Monday of the week in which the next slot comes, or of this week when none does.
func (f *planFlags) firstDay(now time.Time, accounts []*planAccount) text.Day {
	first := text.DayOf(now.In(zoneOf(accounts)))
	var next time.Time
	for _, a := range accounts {
		for v := range campaigns.Plan(&a.Account, now, time.Time{}, now.AddDate(2, 0, 0)) {
			if f.campaign != "" && v.Slot.ID.Campaign != f.campaign || v.Kind == campaigns.Booked {
				continue
			}
			if next.IsZero() || v.Slot.Minute.Before(next) {
				next, first = v.Slot.Minute, v.Slot.ID.Day
			}
			break
		}
	}
	day := first.At(0, time.UTC)
	return text.DayOf(day.AddDate(0, 0, -(int(day.Weekday())+6)%7))
}

// people shows the plans of accounts to people.
func (f *planFlags) people(_ context.Context, w io.Writer, p *planner, accounts []*planAccount, plans []plannedSlots, show days) error {
	if len(accounts) == 0 {
		_, err := fmt.Fprintln(w, "there are no campaigns; nectar init --campaign writes one to begin with")
		return err
	}
	width := f.width
	if width == 0 {
		width = widthOf(w)
	}
	for i, a := range accounts {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		shown := *a
		if f.campaign != "" {
			shown.Campaigns = slices.DeleteFunc(slices.Clone(a.Campaigns), func(c *campaigns.Campaign) bool { return c.ID != f.campaign })
		}
		if err := p.show(w, &shown, plans[i], show, width); err != nil {
			return err
		}
	}
	return p.tellAsked(w, accounts, f.campaign, width)
}

// show shows the plan of an account.
func (p *planner) show(w io.Writer, a *planAccount, s plannedSlots, show days, width int) error {
	c := planCalendar{account: a, rows: s.rows, show: show, width: width, letters: a.letters()}
	for _, l := range linesOf(c.title(), width, "") {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	if err := c.write(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	l := planList{rows: s.rows, show: show, width: width, many: len(a.ids()) > 1 && len(a.Campaigns) != 1}
	if err := l.write(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	for _, l := range s.total.lines() {
		for _, l := range linesOf(l, width, "") {
			if _, err := fmt.Fprintln(w, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// letters stand for campaigns in the calendar, where there are several, and not too many.
func (a *planAccount) letters() map[string]string {
	all := map[string]string{}
	if len(a.Campaigns) < 2 || len(a.Campaigns) > 26 {
		return all
	}
	for i, c := range a.Campaigns {
		all[c.ID] = string(rune('a' + i))
	}
	return all
}
