package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const deliverHelp = `Deliver tells a part of your program, a plugin, of something that no platform tells
of: a payment, a form, a parcel. PERSON is whose conversation it is for, as @name or a
number, or "account" for the account's own. NAME is what the plugin calls it, such as
shop/paid, ID what you call it, such as the number of the payment, and DATA what the
plugin takes, in JSON; "-" reads it from the standard input.

It has one turn, however often it is delivered: of two with one NAME and ID the second
is left out. The turn comes soon, or with the next start; what it would say does not
leave while one of you has the conversation.

Exit status 1 when it could not be delivered, or nothing in the program is for it.`

func newDeliver(sh cli.Shell) *cobra.Command {
	var f view.Flags
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "deliver PERSON NAME ID [DATA]",
		Short:   "Tell a plugin of something from outside, such as a payment",
		Long:    deliverHelp,
		Example: "  nectar deliver @ana shop/paid 4711 '{\"sum\": 28}'\n  nectar deliver account shop/closed 2026-12-24",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 3 && len(args) != 4 {
				return cli.BadUsage(cmd, errors.New(`write for whom, what, its id, and its data in JSON, as in: nectar deliver @ana shop/paid 4711 '{"sum": 28}'`))
			}
			return nil
		},
		RunE: withView(sh, &f, func(ctx context.Context, d *view.View, args []string) error {
			data, err := readDelivered(args[3:], sh.Stdin)
			if err != nil {
				return err
			}
			key, err := d.TalkWith(ctx, args[0])
			if err != nil {
				return err
			}
			q, err := event.Delivery{To: key, Name: args[1], ID: args[2], Data: data}.Request()
			if err != nil {
				return err
			}
			return d.AskDecisions(ctx, wait, []view.Decision{{Request: q, About: args[1] + " " + args[2]}})
		}),
	}
	addViewFlags(&f, cmd)
	waitFlag(cmd, &wait)
	asFlag(cmd, &f)
	return cmd
}

// mostPiped is how many bytes are read of data that may have 64 KiB: with blanks and lines that JSON does without.
const mostPiped = 1 << 20

// readDelivered returns the data of a delivery, nil for none.
func readDelivered(args []string, in io.Reader) (any, error) {
	if len(args) == 0 {
		return nil, nil
	}
	text := []byte(args[0])
	if args[0] == "-" {
		var err error
		if text, err = io.ReadAll(io.LimitReader(in, mostPiped)); err != nil {
			return nil, err
		}
		if len(text) == mostPiped {
			return nil, fmt.Errorf("the standard input has a megabyte and more: data have up to 64 KiB")
		}
	}
	if !json.Valid(text) {
		return nil, errors.New(`DATA is no JSON: write it like '{"sum": 28}', and a text in quotes of its own, like '"paid"'`)
	}
	return json.RawMessage(text), nil
}
