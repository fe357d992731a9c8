package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const pauseHelp = `Pause keeps the bot from acting, at once: a rule or conversation by its id, an account
with --account, or everything with --all. It lasts, over restarts, too, until you
let it go on with nectar resume. Without a word it lists what is paused. A campaign is
paused with nectar campaigns pause.

Nothing of it leaves any more: what is due stays where it is, and what had left
without an answer is still looked up on the platform. What people write meanwhile
is decided as on watch, and not answered: nectar events --outcome paused lists it,
with what would have been said.`

const unpauseHelp = `Resume lets go on what nectar pause has stopped: a rule or conversation by its id, an
account with --account, or everything with --all: all that was paused, rules, too, and what
stays is said. A rule that has stopped itself (if_too_many) goes on when it is named.

What waited leaves then, but for what has become too late for it (answer_within): that
is withdrawn, and listed. What people wrote meanwhile is not answered any more; nectar
events --outcome paused lists it.`

func newPause(sh cli.Shell) *cobra.Command {
	c := view.PauseChoice{Wish: event.WishPause}
	return newPauseChoice(&c, sh, &cobra.Command{
		Use: "pause [RULE…]", Short: "Keep a rule, an account or everything from acting, at once", Long: pauseHelp,
		Example: "  nectar pause prices\n  nectar pause --all\n  nectar pause",
	})
}

func newUnpause(sh cli.Shell) *cobra.Command {
	c := view.PauseChoice{Wish: event.WishGoOn}
	return newPauseChoice(&c, sh, &cobra.Command{
		Use: "resume [RULE…]", Short: "Let go on what was paused", Long: unpauseHelp, Example: "  nectar resume prices\n  nectar resume --all",
	})
}

func newPauseChoice(c *view.PauseChoice, sh cli.Shell, cmd *cobra.Command) *cobra.Command {
	var f view.Flags
	cmd.GroupID = groupCare
	cmd.Args = func(cmd *cobra.Command, names []string) error {
		switch {
		case c.All && (len(names) > 0 || f.Account != ""):
			return cli.BadUsage(cmd, errors.New("--all is everything: name no rule and no account with it"))
		case c.Wish == event.WishGoOn && !c.All && len(names) == 0 && f.Account == "":
			return cli.BadUsage(cmd, errors.New("name rules, --account NAME or --all; nectar pause lists what is paused"))
		}
		return nil
	}
	cmd.RunE = withView(sh, &f, func(ctx context.Context, d *view.View, names []string) error {
		if !c.All && len(names) == 0 && f.Account == "" {
			return view.PrintPauses(ctx, d)
		}
		return c.DecidePause(ctx, d, names)
	})
	addViewFlags(&f, cmd)
	cmd.Flags().BoolVar(&c.All, "all", false, "all accounts, with all that they do")
	waitFlag(cmd, &c.Wait)
	asFlag(cmd, &f)
	return cmd
}
