package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
	"github.com/spf13/cobra"
)

const replayHelp = `Replay lets what happened happen again by other rule files, and shows what people
would have been told instead. Nothing is sent, and nothing of the bot changes.

PATH is a folder of rule files, or one file. The clock is that of the recording:
bursts, reminders and limits come as they would have come. Conversations begin as
they were, and go on by these files. What the bot had not read of the platform at
the time, such as whether somebody follows you, counts as not so.

What the files in force would say to the same is shown beside it, the worst first:
answers that are gone, that are others, that are new. So files that have not changed
change nothing. --against history compares with what was said at the time, also by
files that were in force then. Another delay, or another one of several
texts, is no change, nor is what a person wrote in place of an answer when they
approved it. Messages with private answers are not compared.

Slots of campaigns that are over cannot be decided again: what is remembered of a campaign
is folded from slot to slot. Which of those of the last 90 days stand in the files is
told, and what the files change from now on, as nectar plan --diff does.

Exit status: 0 done; with --fail-on-change 1 when anything has changed; 1 when the
files have problems.`

// replayFlags say what to replay.
type replayFlags struct {
	deskFlags
	since  time.Duration
	limit  int
	strict bool

	against string // what it is compared with
}

// What a replay may be compared with.
const (
	againstForce   = "force"   // what the files in force would do
	againstHistory = "history" // what was done
)

// replaySince is how far a replay goes back unless told otherwise.
const replaySince = 7 * 24 * time.Hour

func newReplay(sh shell) *cobra.Command {
	f := replayFlags{since: replaySince, limit: defaultLimit, against: againstForce}
	cmd := &cobra.Command{
		Use:     "replay PATH…",
		Short:   "Show what other rule files would have answered",
		Long:    replayHelp,
		Example: "  nectar replay rules\n  nectar replay drafts/10-faq.yaml --since 30d --fail-on-change",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return badUsage(cmd, errors.New("name the rule files: a folder, or a file"))
			}
			if f.against != againstForce && f.against != againstHistory {
				return badUsage(cmd, fmt.Errorf("--against %s: write force, for the files in force, or history, for what was done at the time", f.against))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			v, err := readVersion(sh.reading(cmd), cmd.ErrOrStderr(), paths)
			if err != nil {
				return err
			}
			d, err := sh.desk(cmd, &f.deskFlags)
			if err != nil {
				return err
			}
			defer d.close()
			if d.shut != "" {
				return errors.New(d.shut + ": nothing can be decided again")
			}
			if err := f.accountsOf(cmd.Context(), sh, cmd, d, paths); err != nil {
				return err
			}
			return f.replay(cmd.Context(), d, v, cmd.ErrOrStderr())
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.Var((*span)(&f.since), "since", "only what was handled within this `time`, like 24h or 30d")
	flags.Var((*number)(&f.limit), "limit", "show at most this `number` of changes")
	flags.StringVar(&f.against, "against", againstForce, "compare with the files in `force|history`")
	flags.BoolVar(&f.strict, "fail-on-change", false, "exit with status 1 when anything has changed")
	return cmd
}

// accountsOf leaves only the accounts that files are for: those of the folder that they are, where accounts act by different
// rules.
func (f *replayFlags) accountsOf(ctx context.Context, sh shell, cmd *cobra.Command, d *desk, paths []string) error {
	if f.account != "" || len(d.accounts) < 2 {
		return nil
	}
	force, err := d.inForce(ctx)
	if err != nil || len(force) < 2 {
		return err
	}
	all, _, err := sh.folders(cmd) //nolint:contextcheck // it has the command's
	if err != nil {
		return err
	}
	for _, folder := range all {
		if !slices.ContainsFunc(paths, func(p string) bool { return !within(p, folder.Path) }) {
			d.only(folder.Accounts)
			return nil
		}
	}
	return badUsage(cmd, fmt.Errorf("the accounts act by rules of their own: say which one these files are for, with --account %s", d.accounts[0]))
}

// readVersion reads rule files. What is wrong with them is printed.
func readVersion(read reading, out io.Writer, paths []string) (*rules.Version, error) {
	src, err := read(paths...)
	if err != nil {
		return nil, err
	}
	v, report := rules.Compile(src)
	if v == nil {
		report.Problems = report.Problems.Errors()
		if _, err := report.WriteTo(out); err != nil {
			return nil, err
		}
		return nil, &exitError{Code: exitFailed}
	}
	return v, nil
}

// replay replays what the accounts have recorded.
func (f *replayFlags) replay(ctx context.Context, d *desk, v *rules.Version, log io.Writer) error {
	told := newReplayed(f.limit)
	if f.against == againstForce {
		force, err := d.inForce(ctx)
		if err != nil {
			return err
		}
		told.base = versions(force)
	}
	progress := newProgress(log)
	defer progress.end()
	since := time.Now().Add(-f.since)
	those, err := d.among(ctx, record.Having{Thing: record.HasHandled, Since: since})
	if err != nil {
		return err
	}
	for _, account := range those {
		if err := told.account(ctx, d, account, v, since, progress); err != nil {
			return err
		}
	}
	progress.end()
	changed, err := told.print(ctx, d, v)
	if err == nil && f.strict && changed {
		err = &exitError{Code: exitFailed}
	}
	return err
}

// print prints what came of it, with what the files change of campaigns; it tells whether anything changes.
func (p *replayed) print(ctx context.Context, d *desk, v *rules.Version) (changed bool, err error) {
	changed = p.count.Changes() > 0
	if !d.json {
		if err := p.forPeople(d.out, len(d.accounts) > 1); err != nil {
			return changed, err
		}
	}
	those := d.accounts
	if all, _ := v.Campaigns(); len(all) == 0 {
		if those, err = d.among(ctx, plugin.Having()); err != nil {
			return changed, err
		}
	}
	planner := &planner{desk: d, now: time.Now()}
	for _, account := range those {
		r, err := replayCampaigns(ctx, planner, account, v)
		if err != nil {
			return changed, err
		}
		if r == nil || r.same == 0 && !r.changed() {
			continue
		}
		changed = changed || r.changed()
		if d.json {
			err = r.forMachines(d.out)
		} else {
			err = r.print(d.out, len(d.accounts) > 1)
		}
		if err != nil {
			return changed, err
		}
	}
	if d.json {
		err = p.forMachines(d.out)
	}
	return changed, err
}

// replayedExchange is an exchange that ends otherwise.
type replayedExchange struct {
	*rules.Exchange
	account event.Account
}

// replayed is what came of a replay: the counts, and as many changes of each kind as may be shown.
type replayed struct {
	limit   int
	base    map[event.Account]*rules.Version // what it is compared with; nil: what was done
	changes map[rules.Change][]replayedExchange
	count   rules.ReplayCount
}

func newReplayed(limit int) *replayed {
	return &replayed{limit: limit, changes: map[rules.Change][]replayedExchange{}}
}

// worst lists the kinds of change, the worst one first.
func worst() []rules.Change { return []rules.Change{rules.Gone, rules.Changed, rules.New} }

// replaying replays a recording: alone, or beside other rules.
type replaying interface {
	Edited(keys map[string]bool)
	Add(turn record.Recorded) error
	End()
	Count() rules.ReplayCount
}

// account replays what one account has recorded.
func (p *replayed) account(ctx context.Context, d *desk, account event.Account, v *rules.Version, since time.Time, shown *progress) error {
	report := func(x *rules.Exchange) {
		if kept := p.changes[x.Change]; x.Change != rules.Same && x.Change != rules.Unseen && len(kept) < p.limit {
			p.changes[x.Change] = append(kept, replayedExchange{x, account})
		}
	}
	var r replaying = rules.NewReplay(v, report)
	if base := p.base[account]; base != nil {
		r = rules.NewComparison(base, v, report)
	}
	edited := map[string]bool{}
	err := d.Decided(ctx, account, func(note string) {
		if key, ok := bot.EditedBy(note); ok {
			edited[key] = true
		}
	})
	if err != nil {
		return err
	}
	r.Edited(edited)
	turns := 0
	err = d.Recorded(ctx, account, since, func(turn record.Recorded) error {
		turns++
		shown.say(fmt.Sprintf("replaying %s: %d turns, at %s", account, turns, when(handled(&turn))))
		return r.Add(turn)
	})
	if err != nil {
		return err
	}
	r.End()
	p.count.Add(r.Count())
	return nil
}

// shown returns the changes that are shown, the worst first.
func (p *replayed) shown() []replayedExchange {
	var all []replayedExchange
	for _, change := range worst() {
		all = append(all, p.changes[change]...)
	}
	return all[:min(len(all), p.limit)]
}
