package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/replay"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
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

func newReplay(sh cli.Shell) *cobra.Command {
	f := replay.Flags{Since: replay.Since, Limit: view.DefaultLimit, Against: replay.AgainstForce}
	cmd := &cobra.Command{
		Use:     "replay PATH…",
		Short:   "Show what other rule files would have answered",
		Long:    replayHelp,
		Example: "  nectar replay rules\n  nectar replay drafts/10-faq.yaml --since 30d --fail-on-change",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.BadUsage(cmd, errors.New("name the rule files: a folder, or a file"))
			}
			if f.Against != replay.AgainstForce && f.Against != replay.AgainstHistory {
				return cli.BadUsage(cmd, fmt.Errorf("--against %s: write force, for the files in force, or history, for what was done at the time", f.Against))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error {
			v, err := replay.ReadVersion(readingOf(sh, cmd), cmd.ErrOrStderr(), paths)
			if err != nil {
				return err
			}
			d, err := viewOf(sh, cmd, &f.Flags)
			if err != nil {
				return err
			}
			defer d.Done()
			if d.Shut != "" {
				return errors.New(d.Shut + ": nothing can be decided again")
			}
			if err := replayAccounts(cmd.Context(), &f, sh, cmd, d, paths); err != nil {
				return err
			}
			return f.ReplayAll(cmd.Context(), d, v, cmd.ErrOrStderr())
		},
	}
	addViewFlags(&f.Flags, cmd)
	flags := cmd.Flags()
	flags.Var((*cli.Span)(&f.Since), "since", "only what was handled within this `time`, like 24h or 30d")
	flags.Var((*cli.Number)(&f.Limit), "limit", "show at most this `number` of changes")
	flags.StringVar(&f.Against, "against", replay.AgainstForce, "compare with the files in `force|history`")
	flags.BoolVar(&f.Strict, "fail-on-change", false, "exit with status 1 when anything has changed")
	return cmd
}

// replayAccounts leaves only the accounts that files are for: those of the folder that they are, where accounts act by different
// rules.
func replayAccounts(ctx context.Context, f *replay.Flags, sh cli.Shell, cmd *cobra.Command, d *view.View, paths []string) error {
	if f.Account != "" || len(d.Meant) < 2 {
		return nil
	}
	force, err := d.InForce(ctx)
	if err != nil || len(force) < 2 {
		return err
	}
	all, _, err := foldersFrom(sh, cmd) //nolint:contextcheck // it has the command's
	if err != nil {
		return err
	}
	for _, folder := range all {
		if !slices.ContainsFunc(paths, func(p string) bool { return !sources.IsWithin(p, folder.Path) }) {
			d.KeepOnly(folder.Accounts)
			return nil
		}
	}
	return cli.BadUsage(cmd, fmt.Errorf("the accounts act by rules of their own: say which one these files are for, with --account %s", d.Meant[0]))
}
