package cmd

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

const demoHelp = `Demo runs the main job with nothing to set up: a platform in memory behind real
HTTP, lively people, and a bot that answers them, likes what they say, thanks who
reposts and welcomes who follows. It prints what happens as it happens, and then
a verdict that is counted by the platform, not by the bot.

With --campaigns the bot runs campaigns of reposts and renewals, some of which a
person approves; the verdict is about what was doubled, lost, late or too close.

With --kills the bot is killed at random moments and started again on the same
database. With --faults calls are cut, answered wrongly or not at all.

With --workers several bots share accounts in a PostgreSQL that the demo starts
for itself, and ends: its programs have to be installed. Workers are then killed,
frozen, cut off (--cuts) and replaced (--deploys), and the database is restarted,
has a full disk (--fills), or gives way to its standby (--failovers), at random
moments, while people write. The verdict tells besides for how long
accounts were alone, by when their requests arrived at the platform.`

// demo is what the flags of demo say.
type demo struct {
	people    int
	messages  int
	seed      uint64
	faults    string
	dialect   string
	kills     int
	store     string
	workers   int
	accounts  int
	freezes   int
	cuts      int
	restarts  int
	fills     int
	failovers int
	deploys   int
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
		Example: "  nectar demo\n  nectar demo --messages 2000 --people 50 --kills 5\n  nectar demo --messages 20000 --people 1000 --json\n  nectar demo --campaigns --kills 10\n  nectar demo --workers 4 --store postgres --kills 5 --freezes 2 --cuts 2 --restarts 1 --deploys 1",
		GroupID: groupBot,
		Args:    usage(d.args),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.talks = cmd.Flags().Changed("messages")
			d.lively = !d.talks || d.lively
			d.complete(cmd.Flags())
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
	f.StringVar(&d.store, "store", "sqlite", "where the bot keeps its memory: sqlite or postgres")
	f.IntVar(&d.workers, "workers", 0, "`number` of workers that share the accounts, with --store postgres (default 1 then)")
	f.IntVar(&d.accounts, "accounts", 16, "`number` of accounts that workers share")
	f.IntVar(&d.freezes, "freezes", 0, "stop workers this `number` of times, for 1 to 20 seconds")
	f.IntVar(&d.cuts, "cuts", 0, "cut workers off from the database, or the platform, this `number` of times, for 2 to 15 seconds")
	f.IntVar(&d.restarts, "restarts", 0, "restart the database of workers this `number` of times")
	f.IntVar(&d.fills, "fills", 0, "let the disk of the database be full this `number` of times, for 2 to 9 seconds; on Linux, as root")
	f.IntVar(&d.failovers, "failovers", 0, "let a synchronous standby take the place of the database this `number` of times")
	f.IntVar(&d.deploys, "deploys", 0, "put new workers into the places of all this `number` of times")
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

// run plays the demo and prints the verdict. It fails when anything was lost, doubled, out of order
// or wrong.
func (d demo) run(ctx context.Context, out, log io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	report, err := d.play(ctx, out, log)
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

// play plays the demo.
func (d demo) play(ctx context.Context, out, log io.Writer) (demoReport, error) {
	if d.workers > 0 {
		return d.runWorkers(ctx, d.screen(out), log)
	}
	st, err := newStage(ctx, d)
	if err != nil {
		return demoReport{}, err
	}
	defer st.close()
	return st.play(ctx, d.screen(out), log)
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
	if d.json || d.quiet || !d.lively && d.workers == 0 || !d.chats() {
		return nil
	}
	return out
}
