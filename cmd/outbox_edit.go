package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const editHelp = `Edit gives a held action another text and lets it leave, as approve does. Without
--text your editor opens with the text as it is: the one of VISUAL or EDITOR,
otherwise vi. Leave it unchanged or empty, and nothing happens. What you write is said
as it stands: variables such as {{first_name}} are known in rule files alone.

Without a running bot it is done when one starts.`

func newEdit(sh cli.Shell, f *view.Flags) *cobra.Command {
	var text string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "edit KEY",
		Short:   "Give what waits for you another text, and let it leave",
		Long:    editHelp,
		Example: "  nectar outbox edit 482913 --text \"Welcome, Ana!\"\n  EDITOR=nano nectar outbox edit 482913",
		Args: func(cmd *cobra.Command, keys []string) error {
			switch {
			case len(keys) != 1:
				return cli.BadUsage(cmd, errors.New("name one action by its number or key; nectar outbox --held lists them"))
			case text == "" && (cmd.Flags().Changed("text") || !sh.IsInteractive()):
				return cli.BadUsage(cmd, errors.New("say with --text what is said instead; only on a terminal an editor opens"))
			}
			return nil
		},
		RunE: withView(sh, f, func(ctx context.Context, d *view.View, keys []string) error {
			a, err := d.HeldAction(ctx, keys[0])
			if err == nil && !a.Verb.Makes() {
				err = fmt.Errorf("%s has no text: it can be approved or refused as it is", a.Key)
			}
			if err == nil && text == "" {
				text, err = sh.EditText(ctx, a.Text)
			}
			if err == nil {
				err = view.CheckVariables(text, a.Text)
			}
			if err != nil {
				return err
			}
			q := event.Request{Key: a.Conversation(), Wish: event.WishEdit, Action: a.Key, Text: text}
			return d.AskDecisions(ctx, wait, []view.Decision{{Request: q, About: a.Key}})
		}),
	}
	cmd.Flags().StringVar(&text, "text", "", "what is said `instead`")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}
