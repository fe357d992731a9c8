package cmd

import (
	"errors"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const eventsHelp = `Events lists what happened on the platform, newest first, and what the bot made of
it. It works while the bot runs.

  pending      waits for its turn
  quarantined  its handler failed again and again; the conversation went on
               without it, and nectar events retry lets it be tried again
  orphaned     a timer that the program has no route for: it waits for one that
               has, and is tried when that starts

Timers are listed with what is pending, quarantined or orphaned; SEEN is when they
were due.

Others show how their turn ended. By rules: answered, acted, held back (a rule matched, and its limit or its hours kept it
silent), unmatched (no rule is for it), gathering (answered together with what
follows), left alone (the person wants that), watched (rules on watch would have done
something). What a rule on ask prepared is waiting (for an approval), approved (and on
its way), sent or done, refused, expired (nobody approved it in time) or withdrawn, and WHY says
who decided; --outcome prepared finds all of that. Otherwise: handled, unmatched (no route wanted it), late (too old to be
answered), owned (a person has the conversation). RULE is the rule that answered, or
else the first that did something or was held back; nectar why ID tells the rest.`

func newEvents(sh cli.Shell) *cobra.Command {
	var l view.EventList
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "List what happened, and retry what failed",
		Long:    eventsHelp,
		Example: "  nectar events --quarantined\n  nectar events --rule opening-hours --outcome \"held back\"\n  nectar events --peer @ana --since 24h\n  nectar events --follow\n  nectar events retry message:501",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if l.Quarantined && l.Pending || l.Quarantined && l.Orphaned || l.Pending && l.Orphaned {
				return cli.BadUsage(cmd, errors.New("--quarantined, --pending and --orphaned do not go together"))
			}
			if l.GoOn && (l.Quarantined || l.Pending || l.Orphaned) {
				return cli.BadUsage(cmd, errors.New("--follow shows what has had its turn: it does not go with --quarantined, --pending and --orphaned"))
			}
			if l.Cursor != "" && !l.HasCursors() {
				return cli.BadUsage(cmd, errors.New("--cursor does not go with --rule, --outcome and --follow"))
			}
			if strings.EqualFold(l.Outcome, "moot") { // as it was called before
				l.Outcome = bot.OutcomeObsolete
			}
			return cli.UsageArgs(knownCommand)(cmd, args)
		},
		RunE: withView(sh, &l.Flags, l.Print),
	}
	addViewFlags(&l.Flags, cmd)
	f := cmd.Flags()
	f.BoolVar(&l.Quarantined, "quarantined", false, "only what failed too often")
	f.BoolVar(&l.Pending, "pending", false, "only what waits for its turn")
	f.BoolVar(&l.Orphaned, "orphaned", false, "only timers that the program has no route for")
	f.BoolVarP(&l.GoOn, "follow", "f", false, "go on with what comes, until you interrupt it")
	f.StringVar(&l.Peer, "peer", "", "only of this `person`: @name or number")
	f.StringVar(&l.Rule, "rule", "", "only what the rule with this `id` decided")
	f.StringVar(&l.Outcome, "outcome", "", "only what ended like `this`: answered, \"held back\", unmatched …")
	f.Var((*cli.Span)(&l.Since), "since", "only what was seen within this `time`, like 24h or 7d")
	l.Limit = view.DefaultLimit
	f.Var((*cli.Number)(&l.Limit), "limit", "at most this `number`")
	cursorFlag(cmd, &l.Cursor)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newRetry(sh, &l.Flags))
	return cmd
}
