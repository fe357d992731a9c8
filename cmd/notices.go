package cmd

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const noticesHelp = `Notices lists what people of ours were called for: who needs a person, what waits for
approval, what is wrong. The newest comes first. It works while the bot runs.

  waiting    not told yet: it waits for the next digest, for the end of quiet hours,
             or for an address that fails; the last error stands beside it
  told       every address of the team has it, or the team has none but the log
  given up   an address did not take it for 24 hours

Who is called at which address stands in settings.yaml; see docs/notices.md.`

const noticesTestHelp = `Test sends a notice to each address of a team now, and says what came back. It needs no
running bot.

Exit status: 0 every address took it, 1 one did not, 2 wrong command line,
78 wrong settings.`

func newNotices(sh cli.Shell) *cobra.Command {
	l := view.NoticeList{Since: 7 * 24 * time.Hour, Limit: view.DefaultLimit}
	cmd := &cobra.Command{
		Use:     "notices",
		Short:   "Show what people were called for, take one, or test a team",
		Long:    noticesHelp,
		Example: "  nectar notices\n  nectar notices --team sales --since 12h\n  nectar notices --failed\n  nectar notices ack 482913\n  nectar notices test sales",
		GroupID: groupCare,
		Args:    cli.UsageArgs(knownCommand),
		RunE:    withView(sh, &l.Flags, func(ctx context.Context, d *view.View, _ []string) error { return l.Print(ctx, d) }),
	}
	addViewFlags(&l.Flags, cmd)
	addPrivately(&l.Flags, cmd)
	f := cmd.Flags()
	f.StringVar(&l.Team, "team", "", "only those that this `team` was, or is to be, called for")
	f.Var((*cli.Span)(&l.Since), "since", "only those of the last `time`, like 12h or 7d")
	f.BoolVar(&l.Failed, "failed", false, "only those that an address has not taken")
	f.Var((*cli.Number)(&l.Limit), "limit", "at most this `number`")
	cursorFlag(cmd, &l.Cursor)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newNoticesTest(sh), newNoticesAck(sh, &l.Flags))
	return cmd
}
