package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

const sayHelp = `Say says something to one person, in the name of the account. It is a word of
yours: whoever waited for it does not any more, nobody is called about them, and the
bot is silent there as if you had written in the app. Where somebody has asked for
silence it asks first.

With --list it is said to all who stand on a list. That is the bot's word: the
conversations stay with it. It is only shown, until --send. Left out, and named, is
who has asked for silence, whom one of you has, who has refused a message lately, who
has not written for 30 days, and who was told something so in the last 7 days. Quiet
hours hold it. It is said to 20 people the first day, to 50 the second, to 100 each
day then, behind all answers. It stops when 2 of 100 refuse it, of 50 or more. The first
one that somebody gets names the stop word.`

const correctHelp = `Correct says something to whom a rule has said something wrong: to those alone whom
its words have really reached, and where they were said, in a message or below a post.
It is only shown, until --send. What bounds nectar say --list bounds it, but for the 7
days.`

func newSay(sh cli.Shell) *cobra.Command {
	var o view.Saying
	cmd := &cobra.Command{
		Use:   "say PERSON TEXT",
		Short: "Say something yourself, to one person or to all on a list",
		Long:  sayHelp,
		Example: "  nectar say @ana \"Your glasses are ready.\"\n  nectar say --list waiting \"A place is free on Monday.\"\n" +
			"  nectar say --list waiting --send \"A place is free on Monday.\"\n  nectar say --results say-t5m1x2",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			want := 2
			switch {
			case o.Results != "", o.Stop != "":
				want = 0
			case o.List != "":
				want = 1
			}
			if len(args) != want {
				return cli.BadUsage(cmd, errors.New(`write whom, and the text in quotes, as in: nectar say @ana "Your glasses are ready."; with --list the text alone`))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return withView(sh, &o.Flags, func(ctx context.Context, d *view.View, args []string) error {
				switch {
				case o.Results != "":
					return o.ShowTold(ctx, d)
				case o.Stop != "":
					return o.StopSaying(ctx, d)
				case o.List != "":
					return o.SayToMany(ctx, d, args[0])
				}
				return o.SayToPerson(ctx, d, args[0], args[1], sh.Stdin)
			})(cmd, args)
		},
	}
	addViewFlags(&o.Flags, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Anyway, "anyway", false, "also to somebody who has asked for silence")
	f.StringVar(&o.List, "list", "", "to all who stand on this `list`")
	f.BoolVar(&o.Send, "send", false, "with --list, say it: without this it is only shown")
	f.StringVar(&o.Results, "results", "", "show who got what was said to many, by its `id`")
	f.StringVar(&o.Stop, "stop", "", "end what is said to many, by its `id`")
	cmd.MarkFlagsMutuallyExclusive("list", "results", "stop", "anyway")
	waitFlag(cmd, &o.Wait)
	asFlag(cmd, &o.Flags)
	return cmd
}

func newCorrect(sh cli.Shell) *cobra.Command {
	o := view.Saying{Since: 7 * 24 * time.Hour}
	cmd := &cobra.Command{
		Use:     "correct RULE TEXT",
		Short:   "Set right what a rule has said",
		Long:    correctHelp,
		Example: "  nectar correct prices --said \"is 28\" \"We made a mistake: it is 38.\"\n  nectar correct prices --said \"is 28\" --since 3d --send \"We made a mistake: it is 38.\"",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || o.Was == "" {
				return cli.BadUsage(cmd, errors.New(`write the rule, --said with what it said wrong, and the text, as in: nectar correct prices --said "is 28" "It is 38."`))
			}
			return nil
		},
		RunE: withView(sh, &o.Flags, func(ctx context.Context, d *view.View, args []string) error {
			o.Rule = args[0]
			return o.SayToMany(ctx, d, args[1])
		}),
	}
	addViewFlags(&o.Flags, cmd)
	f := cmd.Flags()
	f.StringVar(&o.Was, "said", "", "what it said wrong: `words` of it")
	f.Var((*cli.Span)(&o.Since), "since", "what was said within this `time`, like 24h or 7d")
	f.BoolVar(&o.Send, "send", false, "say it: without this it is only shown")
	asFlag(cmd, &o.Flags)
	return cmd
}
