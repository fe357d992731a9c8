package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/spf13/cobra"
)

const demoHelp = `Demo runs the main job with nothing to set up: a platform in memory behind real
HTTP, lively people, and a bot that answers them, likes what they say, thanks who
reposts and welcomes who follows. It prints what happens as it happens, and then
a verdict that is counted by the platform, not by the bot.

With --campaigns the bot runs campaigns of reposts and renewals, some of which a
person approves; the verdict is about what was doubled, lost, late or too close.

With --kills the bot is killed at random moments and started again on the same
database. With --faults calls are cut, answered wrongly or not at all.`

// demo is what the flags of demo say.
type demo struct {
	people    int
	messages  int
	seed      uint64
	faults    string
	dialect   string
	kills     int
	wait      bool
	lively    bool
	bare      bool
	rules     bool
	encrypt   bool
	quiet     bool
	json      bool
	inProcess bool
	campaigns int
	lasts     time.Duration // the campaigns
	talks     bool          // beside campaigns, people write
	timeout   time.Duration
	dir       string
}

func newDemo() *cobra.Command {
	var d demo
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "See the main job, with nothing to set up",
		Long:    demoHelp,
		Example: "  nectar demo\n  nectar demo --messages 2000 --people 50 --kills 5\n  nectar demo --messages 20000 --people 1000 --json\n  nectar demo --campaigns --kills 10",
		GroupID: groupBot,
		Args:    usage(d.args),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.talks = cmd.Flags().Changed("messages")
			d.lively = !d.talks || d.lively
			if err := d.check(); err != nil {
				return badUsage(cmd, err)
			}
			return d.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVar(&d.people, "people", 12, "`number` of people")
	f.IntVar(&d.messages, "messages", 120, "`number` of messages that they write altogether")
	f.Uint64Var(&d.seed, "seed", 1, "`number` that decides who the people are, and which calls are disturbed")
	f.StringVar(&d.faults, "faults", "none", "disturb calls: none, rough (5 %) or hostile (20 %)")
	f.StringVar(&d.dialect, "dialect", "classic", "`name` of a disagreement between deployments; a wrong name lists them")
	f.IntVar(&d.campaigns, "campaigns", 0, "run this `number` of campaigns (20 without a number), with a slot each minute; alone, unless --messages is given")
	f.Lookup("campaigns").NoOptDefVal = "20"
	f.DurationVar(&d.lasts, "for", 70*time.Second, "how long campaigns have slots")
	f.IntVar(&d.kills, "kills", 0, "kill the bot this `number` of times while it works")
	f.BoolVar(&d.wait, "wait", false, "people wait for each answer before they write again")
	f.BoolVar(&d.lively, "lively", false, "people think and type (the default unless --messages is given)")
	f.BoolVar(&d.bare, "bare", false, "measure a bare HTTP client that makes the same calls, in place of the bot")
	f.BoolVar(&d.encrypt, "encrypt", false, "give the bot a key, so that it encrypts what people say in its database")
	f.BoolVar(&d.rules, "rules", false, "run the sample bot from a rule file, in place of the one written in Go")
	f.BoolVar(&d.quiet, "quiet", false, "print the verdict alone")
	f.BoolVar(&d.json, "json", false, "print the verdict as one JSON object, and nothing else")
	f.BoolVar(&d.inProcess, "in-process", false, "run the bot in the platform's process (its CPU and memory are then not its own)")
	f.StringVar(&d.dir, "dir", "", "keep the bot's database in this `folder` (default: removed at the end)")
	f.DurationVar(&d.timeout, "timeout", 15*time.Minute, "give up after this `time`")
	return cmd
}

// args takes the number in "--campaigns 100", too, which a flag that may stand without one does not.
func (d *demo) args(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flags().Changed("campaigns") {
		n, err := strconv.Atoi(args[0])
		if err == nil {
			d.campaigns = n
			return nil
		}
	}
	return cobra.NoArgs(cmd, args)
}

func (d demo) check() error {
	_, faults := emulator.ParseFaults(d.faults)
	_, dialect := emulator.ParseDialect(d.dialect)
	if err := errors.Join(faults, dialect); err != nil {
		return err
	}
	switch {
	case d.people < 1 || d.messages < 1:
		return errors.New("--people and --messages must be at least 1")
	case d.kills < 0:
		return errors.New("--kills cannot be negative")
	case d.kills > 0 && d.inProcess:
		return errors.New("--kills needs a process to kill: leave out --in-process")
	case d.campaigns < 0 || d.campaigns > 1000 || d.lasts < time.Second || d.lasts > time.Hour:
		return errors.New("--campaigns is 1 to 1000, and --for 1s to 1h")
	case d.campaigns > 0 && (d.bare || d.inProcess):
		return errors.New("--campaigns needs the bot, in a process of its own: leave out --bare and --in-process")
	case d.bare && d.rules:
		return errors.New("--bare has no rules: leave one of them out")
	case d.bare && (d.kills > 0 || d.faults != "none"):
		return errors.New("a bare client cannot take --kills or --faults: it would lose what it was doing")
	}
	return nil
}

// run plays the demo and prints the verdict. It fails when anything was lost, doubled, out of order
// or wrong.
func (d demo) run(ctx context.Context, out, log io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	st, err := newStage(ctx, d)
	if err != nil {
		return err
	}
	defer st.close()
	screen := d.screen(out)
	report, err := st.play(ctx, screen, log)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if d.json {
		err = printJSON(out, report)
	} else {
		err = d.print(out, report)
	}
	if err == nil && !report.OK {
		err = &exitError{Code: exitFailed}
	}
	return err
}

// print writes the verdict about what there was.
func (d demo) print(out io.Writer, r demoReport) (err error) {
	if d.chats() {
		err = r.print(out)
	}
	if err == nil && r.Campaigns != nil {
		err = r.Campaigns.print(out)
	}
	return err
}

// chats tells whether people write to the bot.
func (d demo) chats() bool { return d.campaigns == 0 || d.talks }

// screen is where the transcript goes; nil for nowhere.
func (d demo) screen(out io.Writer) io.Writer {
	if d.json || d.quiet || !d.lively || !d.chats() {
		return nil
	}
	return out
}
