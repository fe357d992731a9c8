package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const approveHelp = `Approve lets actions leave that a rule on ask prepared, and does what else the rule
says: labels, lists, notices, a handoff. All that one rule prepared is one: approve any
of its numbers. The limits of the rule count now: what they do not allow any more is
taken back instead, and so is what is older than answer_within; that is said. What was
planned for a time leaves at that time.

An answer is overtaken when one of you has written to the person since it was prepared:
it stays where it is, with --all, too. So does one to somebody who has asked for silence.
--anyway, with its number, sends it all the same.

Without a running bot it is done when one starts.`

const refuseHelp = `Refuse takes back all that a rule on ask prepared, also what waits beside it. It is
kept as withdrawn, and does not count for the limits of the rule.

Without a running bot it is done when one starts.`

const releaseHelp = `Release lets held actions leave, at the end of what their conversation is sending.

An action that does not wait for approval is held because nobody could find out
whether it had happened. One that is released is done again: a message that had
arrived all the same arrives a second time. Look at the conversation on the platform
first; what is there already you drop. Likes, reposts and follows are never done
twice: their state is read.

Without a running bot it is done when one starts.`

const dropHelp = `Drop takes back actions that are held, or due and have not left: the bot does not do
them any more, and they are kept as withdrawn. Nothing changes on the platform.

Without a running bot it is done when one starts.`

func heldCommands() []view.HeldCommand {
	return []view.HeldCommand{
		{Name: "approve", Wish: event.WishRelease, Approval: true, Short: "Let what waits for approval leave", Long: approveHelp},
		{Name: "refuse", Wish: event.WishDrop, Approval: true, Short: "Take back what waits for approval", Long: refuseHelp},
		{Name: "release", Wish: event.WishRelease, Approval: false, Short: "Let held actions leave after all", Long: releaseHelp},
		{Name: "drop", Wish: event.WishDrop, Approval: false, Short: "Take held actions back", Long: dropHelp},
	}
}

func newHeld(c view.HeldCommand, sh cli.Shell, f *view.Flags) *cobra.Command {
	var choice view.HeldChoice
	cmd := &cobra.Command{
		Use:     c.Name + " KEY…",
		Short:   c.Short,
		Long:    c.Long,
		Example: "  nectar outbox " + c.Name + " 482913\n  nectar outbox " + c.Name + " message:501/rules/0",
		Args:    func(cmd *cobra.Command, keys []string) error { return checkHeld(c, cmd, keys, &choice) },
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, keys []string) error {
			return c.DecideHeld(ctx, d, keys, &choice)
		}),
	}
	if c.Approval && c.Wish == event.WishRelease {
		cmd.Flags().BoolVar(&choice.Anyway, "anyway", false, "also where somebody of ours has written to the person meanwhile, or the person has asked for silence")
	}
	if c.Approval {
		cmd.Use += " | --all"
		cmd.Example += "\n  nectar outbox " + c.Name + " --all --rule welcome-followers"
		cmd.Flags().BoolVar(&choice.All, "all", false, "all that waits for approval")
		cmd.Flags().StringVar(&choice.Rule, "rule", "", "with --all: only what the rule with this `id` decided")
		cmd.Flags().StringVar(&choice.Rule, "campaign", "", "with --all: only slots of the campaign with this `id`")
		cmd.Flags().StringVar(&choice.Peer, "peer", "", "with --all: only about this `person`: @name or number")
	}
	waitFlag(cmd, &choice.Wait)
	asFlag(cmd, f)
	return cmd
}

func checkHeld(c view.HeldCommand, cmd *cobra.Command, keys []string, choice *view.HeldChoice) error {
	switch {
	case !choice.All && (choice.Rule != "" || choice.Peer != ""):
		return cli.BadUsage(cmd, errors.New("--rule, --campaign and --peer go with --all"))
	case choice.All && choice.Anyway:
		return cli.BadUsage(cmd, errors.New("--anyway is about answers that you name by their numbers"))
	case choice.All == (len(keys) > 0) && c.Approval:
		return cli.BadUsage(cmd, errors.New("name actions by their numbers or keys, or all of them with --all; nectar outbox --needs-approval lists them"))
	case len(keys) == 0 && !choice.All:
		return cli.BadUsage(cmd, errors.New("name actions by their numbers or keys; nectar outbox --held lists them"))
	}
	return nil
}
