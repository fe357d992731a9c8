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

const retryHelp = `Retry lets quarantined events and timers have their turn again, once what made
them fail is put right: in the order in which they happened, behind what the
conversation is doing now, however old they are, and with all tries before them.
Handlers can see that they are late. What fails again is quarantined again.

Without a running bot it is done when one starts.`

func newRetry(sh cli.Shell, f *view.Flags) *cobra.Command {
	var all bool
	var ids []string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "retry ID… | --all",
		Short:   "Let quarantined events and timers be tried again",
		Long:    retryHelp,
		Example: "  nectar events retry message:501 message:507\n  nectar events retry --all --account shop",
		Args: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return cli.BadUsage(cmd, errors.New("name events like message:501, or all of them with --all"))
			}
			ids = args
			for _, id := range args {
				_, err := event.ParseID(id)
				if strings.HasPrefix(id, "timer:") {
					_, err = event.ParseTimer(id)
				}
				if err != nil {
					return cli.BadUsage(cmd, err)
				}
			}
			return nil
		},
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, _ []string) error { return d.RetryEvents(ctx, ids, wait) }),
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that is quarantined")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}
