package cmd

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const forgetHelp = `Forget shows what is kept of a person, asks, and has the bot delete it: what she
wrote and was told, values, timers, entries of lists, notices, limits. What is on
its way to her is waited for, what is due or held does not leave. What stays are
numbers of events and messages, without what was said, so that nothing is
answered again. What she writes afterwards is a stranger's first message.

With --and-ignore she is left alone from then on: nothing she does has an answer,
and nothing she writes is kept. --stop-ignoring ends that.

It is gone from the file of the database and its log, not from copies of them,
and not from the platform. The bot's own log, and the phones, chats and mailboxes
that notices went to, keep what they were told. A server clears it away when it cleans
up. Without a running bot it is done when one starts. Where much is kept it takes
longer than --wait: the bot goes on with it beside its work, and this command says so.
nectar export shows all of it before.`

func newForget(sh cli.Shell) *cobra.Command {
	var o view.Oblivion
	cmd := &cobra.Command{
		Use:     "forget PERSON",
		Short:   "Delete what is kept of a person",
		Long:    forgetHelp,
		Example: view.ForgetExample,
		GroupID: groupCare,
		Args:    func(cmd *cobra.Command, args []string) error { return checkForget(&o, cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return withView(sh, &o.Flags, func(ctx context.Context, d *view.View, args []string) error {
				switch {
				case o.List:
					return d.ListIgnored(ctx)
				case o.Heed:
					return d.UnignorePerson(ctx, args[0], o.Wait)
				}
				return o.ForgetPerson(ctx, d, args[0], sh.Stdin)
			})(cmd, args)
		},
	}
	addViewFlags(&o.Flags, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Yes, "yes", false, "do not ask")
	f.BoolVar(&o.Ignore, "and-ignore", false, "leave the person alone from then on")
	f.BoolVar(&o.List, "list-ignored", false, "list who is left alone")
	f.BoolVar(&o.Heed, "stop-ignoring", false, "hear the person again from now on")
	waitFlag(cmd, &o.Wait)
	asFlag(cmd, &o.Flags)
	return cmd
}

func checkForget(o *view.Oblivion, cmd *cobra.Command, args []string) error {
	switch {
	case o.Ignore && o.Heed, o.List && (o.Ignore || o.Heed):
		return cli.BadUsage(cmd, errors.New("--and-ignore, --list-ignored and --stop-ignoring are three things: choose one"))
	case o.List && len(args) > 0:
		return cli.BadUsage(cmd, errors.New("--list-ignored lists everybody: name nobody"))
	case !o.List && len(args) != 1:
		return cli.BadUsage(cmd, view.ErrNobody)
	case o.JSON && !o.Yes && !o.List && !o.Heed:
		return cli.BadUsage(cmd, errors.New("--json is for scripts, and nobody is asked there: add --yes"))
	}
	return nil
}
