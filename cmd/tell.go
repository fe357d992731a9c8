package cmd

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const tellHelp = `Tell asks something of a part of your program, a plugin, that takes wishes: SUBJECT is
what the plugin calls it, such as shop/say, and TEXT is what it takes. The answer is the
plugin's.

It is done once, by the bot that runs, or by the next one that starts.

Exit status 1 when it could not be done, or nothing in the program is asked for that.`

func newTell(sh cli.Shell) *cobra.Command {
	var f view.Flags
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "tell SUBJECT [TEXT…]",
		Short:   "Ask something of a plugin",
		Long:    tellHelp,
		Example: "  nectar tell shop/say \"Fresh bread from nine\"\n  nectar tell shop/stop --account bakery",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
				return cli.BadUsage(cmd, errors.New("name what is asked for, as the plugin calls it, like shop/say"))
			}
			return nil
		},
		RunE: withView(sh, &f, func(ctx context.Context, d *view.View, args []string) error {
			key, err := d.OwnKey()
			if err != nil {
				return err
			}
			q := event.Request{Key: key, Wish: event.WishTell, Subject: args[0], Text: strings.Join(args[1:], " ")}
			return d.AskDecisions(ctx, wait, []view.Decision{{Request: q, About: args[0]}})
		}),
	}
	addViewFlags(&f, cmd)
	waitFlag(cmd, &wait)
	asFlag(cmd, &f)
	return cmd
}
