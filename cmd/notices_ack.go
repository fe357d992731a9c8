package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const noticesAckHelp = `Ack says that you see to whoever a notice is about: nobody else is called about
them, and those who were called hear who has it. They go on to wait for you until
one of you writes to them. When nobody has, the team that was called last is called
once more, after the longest of the times that your rules give to such calls.

The number stands in the notice, and in nectar notices.

Without a running bot it is done when one starts.`

func newNoticesAck(sh cli.Shell, f *view.Flags) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "ack NUMBER",
		Short:   "Say that you see to whoever a notice is about",
		Long:    noticesAckHelp,
		Example: "  nectar notices ack 482913\n  nectar notices ack 482913 --as ines",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.BadUsage(cmd, errors.New("name one notice by its number, as nectar notices lists them"))
			}
			return nil
		},
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, args []string) error {
			return d.AcknowledgeWait(ctx, args[0], wait)
		}),
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}
