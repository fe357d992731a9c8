package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const conversationsHelp = `Conversations lists the people the bot dealt with last, and who has the
conversation: the bot, or a person of yours. It works while the bot runs.

Where a person of yours wrote, on the phone or anywhere else, the bot is silent
for a while by itself; here you take a conversation over and give it back.`

func newConversations(sh cli.Shell) *cobra.Command {
	var l view.ConversationList
	cmd := &cobra.Command{
		Use:     "conversations",
		Short:   "List conversations, take them over, give them back",
		Long:    conversationsHelp,
		Example: "  nectar conversations --taken-over\n  nectar conversations show @ana\n  nectar conversations take-over @ana --for 2h",
		GroupID: groupCare,
		Args:    cli.UsageArgs(knownConversation),
		RunE:    withView(sh, &l.Flags, l.Print),
	}
	addViewFlags(&l.Flags, cmd)
	addPrivately(&l.Flags, cmd)
	f := cmd.Flags()
	f.BoolVar(&l.TakenOver, "taken-over", false, "only those that a person has")
	f.StringVar(&l.Owner, "owner", "", "only those that this `person` or team has")
	l.Limit = view.DefaultLimit
	f.Var((*cli.Number)(&l.Limit), "limit", "at most this `number`")
	cursorFlag(cmd, &l.Cursor)
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newShow(sh, &l.Flags), newWaiting(sh, &l.Flags), newDone(sh, &l.Flags), newLater(sh, &l.Flags), newTakeOver(sh, &l.Flags), newGiveBack(sh, &l.Flags))
	return cmd
}

// knownConversation refuses what is no command about conversations, and says what may be meant.
func knownConversation(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && strings.HasPrefix(args[0], "@") {
		return fmt.Errorf("say what to do with the conversation, as in: nectar conversations show %s", args[0])
	}
	return knownCommand(cmd, args)
}

// onePerson checks that a command got one person.
func onePerson(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cli.BadUsage(cmd, errors.New("name one person, like @ana or 90"))
	}
	return nil
}
