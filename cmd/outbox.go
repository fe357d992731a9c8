package cmd

import (
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const outboxHelp = `Outbox lists what the bot is to do on the platform and has not done yet: what waits
for a person first, then what nobody knows about, what is on its way, and what is
due. With --peer alone it lists all that was done with one person, newest first.
It works while the bot runs.

  held     waits for a person. "needs approval": a rule on ask prepared it, so
           approve, edit or refuse it. Otherwise nobody knows whether it was
           done: look at the platform, then release or drop it
  in_doubt left, and no answer came; the bot finds out by reading the platform
  sending  on its way
  due      waits for its time or its place

What is held has a number, which stands for its key in all of these commands. What
waits for approval is shown first, each below the question that it answers, with what
else happens when it is approved. All that one rule prepared is one: approve or refuse
one of its numbers, and all of it leaves, or nothing does. Nobody may approve it any
more when answer_within of the rule is over: then it is withdrawn.

What campaigns have prepared is for a slot: it is shown with what the post said when it
was read. What was planned for a time leaves at that time, also when it is approved before. What
has a latest departure never leaves after it: it is withdrawn, whoever has approved it.`

func newOutbox(sh cli.Shell) *cobra.Command {
	var l view.ActionList
	cmd := &cobra.Command{
		Use:     "outbox",
		Short:   "List what is to be done; approve, edit or refuse what waits for you",
		Long:    outboxHelp,
		Example: "  nectar outbox --needs-approval\n  nectar outbox approve 482913\n  nectar outbox --peer @ana",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if l.Cursor != "" && !l.HasCursors() {
				return cli.BadUsage(cmd, errors.New("--cursor goes with --needs-approval, --held, --in-doubt or --due, or with --peer alone or beside one of the first three"))
			}
			return cli.UsageArgs(knownCommand)(cmd, args)
		},
		RunE: withView(sh, &l.Flags, l.Print),
	}
	addViewFlags(&l.Flags, cmd)
	addPrivately(&l.Flags, cmd)
	f := cmd.Flags()
	f.BoolVar(&l.Held, "held", false, "what waits for a person")
	f.BoolVar(&l.Approval, "needs-approval", false, "what a rule on ask prepared, and a person approves")
	f.BoolVar(&l.InDoubt, "in-doubt", false, "what left without an answer")
	f.BoolVar(&l.InDoubt, "unsure", false, "as --in-doubt was called before")
	_ = f.MarkHidden("unsure") // it is there
	f.BoolVar(&l.Due, "due", false, "what waits for its time or its place")
	f.StringVar(&l.Peer, "peer", "", "only of this `person`: @name or number")
	f.StringVar(&l.Rule, "rule", "", "only what the rule with this `id` decided")
	f.StringVar(&l.Campaign, "campaign", "", "only slots of the campaign with this `id`")
	l.Limit = view.DefaultLimit
	f.Var((*cli.Number)(&l.Limit), "limit", "at most this `number` of each state")
	cursorFlag(cmd, &l.Cursor)
	cmd.SuggestionsMinimumDistance = 2
	for _, c := range heldCommands() {
		cmd.AddCommand(newHeld(c, sh, &l.Flags))
	}
	cmd.AddCommand(newEdit(sh, &l.Flags), newReview(sh, &l.Flags))
	return cmd
}
