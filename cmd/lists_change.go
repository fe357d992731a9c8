package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const listAddHelp = `Add puts a person on a list that rules ask for, as in not_in_list: [do-not-touch].
Somebody the bot has not met is named by number. It takes effect at once.`

const listRemoveHelp = `Remove takes something off a list: by its key as nectar lists NAME shows it, or all
entries about a person. It takes effect at once.

  nectar lists remove paused RULE   lets a rule go on that stopped itself; its
                                    if_too_many begins to count anew`

func newListAdd(sh cli.Shell, f *view.Flags) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "add NAME PERSON",
		Short:   "Put a person on a list",
		Long:    listAddHelp,
		Example: "  nectar lists add do-not-touch @ana\n  nectar lists add do-not-touch 90",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 2 || args[0] == "":
				return cli.BadUsage(cmd, errors.New("name a list and a person, like @ana or 90"))
			case args[0] == view.PausedRules:
				return cli.BadUsage(cmd, errors.New("on this list stand rules that stopped themselves; to stop one, write status: paused into its file"))
			}
			return nil
		},
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, args []string) error {
			if near, err := d.NearList(ctx, args[0]); err != nil {
				return err
			} else if near != "" && !yes {
				question := fmt.Sprintf("Nothing stands on a list %s, and no rule asks for it. Did you mean %s? Begin a new list %[1]s all the same?", print.QuotePlain(args[0], 40), print.QuotePlain(near, 40))
				if err := cli.ConfirmYes(ctx, d.Out, sh.Stdin, question); err != nil {
					return err
				}
			}
			return d.AddToList(ctx, args[0], args[1])
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask when the name of the list looks like a slip")
	return cmd
}

func newListRemove(sh cli.Shell, f *view.Flags) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME KEY|PERSON",
		Short:   "Take something off a list",
		Long:    listRemoveHelp,
		Example: "  nectar lists remove do-not-touch @ana\n  nectar lists remove paused welcome-followers",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.BadUsage(cmd, errors.New("name a list, and a key or a person, like @ana or 90"))
			}
			return nil
		},
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, args []string) error {
			return d.RemoveFromList(ctx, args[0], args[1])
		}),
	}
}
