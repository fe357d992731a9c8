package cmd

import (
	"errors"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/demo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const demoHelp = `Demo runs the main job with nothing to set up: a platform in memory behind real
HTTP, lively people, and a bot that answers them, likes what they say, thanks who
reposts and welcomes who follows. It prints what happens as it happens, and then
a verdict that is counted by the platform, not by the bot.

With --campaigns the bot runs campaigns of reposts and renewals, some of which a
person approves; the verdict is about what was doubled, lost, late, too close or
missing. With --for 1m20s or more, and without --messages, others are changed
meanwhile: typos are corrected, slots added, taken away, moved and moved back,
and the platform's clock is another one than the bot's at first; with --for 5m or
more for two minutes once more. What was to come is laid down before, by hand.

With --rate people write at moments that are drawn before, and never wait: a bot that
is too slow falls behind, and the verdict says how far, and until when. A time begins
when a message was to be written, and ends when its answer is on the platform. So that
it is a bot as it runs on a server, its memory then begins with as many turns of ten
days ago as people are about to write (at most 100000), which retention deletes, and
checkpoints happen as they come; each ten seconds somebody reads everything, as a copy
does, and holds it for three seconds; and four times a second somebody looks, by what
nectar summary and nectar outbox read. --people is one for each message a second
unless given.

With --idle so many --accounts are signed in, and nobody writes to them. The bot runs
twice, for as long, while people write 20 messages a second to one account more: alone
with that account, and with all. CPU a poll is what the second run has used more than
the first, by the polls of the accounts without messages, at the interval of nectar
run: 5 seconds at first, 20 when nothing comes. What is held for an account is the
heap, and the stacks, after a garbage collection at the end, less what they were before
there was any account. What signing in takes is the most memory that the process had
until all were polled once, less what it had before; all sign in at once, where nectar
run lets one in each second, unless NECTAR_FIRST_SIGN_INS says otherwise.

With --kills the bot is killed at random moments and started again on the same
database. With --faults calls are cut, answered wrongly or not at all.

With --workers several bots share accounts in a PostgreSQL that the demo starts
for itself, and ends: its programs have to be installed. Workers are then killed,
frozen, cut off (--cuts) and replaced (--deploys), and the database is restarted,
has a full disk (--fills), or gives way to its standby (--failovers), at random
moments, while people write. The verdict tells besides for how long
accounts were alone, by when their requests arrived at the platform.`

func newDemo() *cobra.Command {
	var d demo.Demo
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "See the main job, with nothing to set up",
		Long:    demoHelp,
		Example: "  nectar demo\n  nectar demo --messages 2000 --people 50 --kills 5\n  nectar demo --messages 20000 --people 1000 --json\n  nectar demo --campaigns --kills 10\n  nectar demo --workers 4 --store postgres --kills 5 --freezes 2 --cuts 2 --restarts 1 --deploys 1",
		GroupID: groupBot,
		Args:    cli.UsageArgs(func(cmd *cobra.Command, args []string) error { return demoArgs(&d, cmd, args) }),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.Talks = cmd.Flags().Changed("messages")
			d.Lively = d.Lively || !d.Talks && d.Rate == 0 && !d.Idle
			completeDemo(&d, cmd.Flags())
			err := checkFor(&d, cmd.Flags())
			if err == nil {
				err = d.Check()
			}
			if err != nil {
				return cli.BadUsage(cmd, err)
			}
			return d.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVar(&d.People, "people", 12, "`number` of people")
	f.IntVar(&d.Messages, "messages", 120, "`number` of messages that they write altogether")
	f.Uint64Var(&d.Seed, "seed", 1, "`number` that decides who the people are, and which calls are disturbed")
	f.StringVar(&d.Faults, "faults", "none", "disturb calls: none, rough (5 %) or hostile (20 %)")
	f.StringVar(&d.Dialect, "dialect", "classic", "`name` of a disagreement between deployments; a wrong name lists them")
	f.IntVar(&d.Campaigns, "campaigns", 0, "run this `number` of campaigns (20 without a number), with a slot each minute; alone, unless --messages is given")
	f.Lookup("campaigns").NoOptDefVal = "20"
	f.Var((*cli.Rate)(&d.Rate), "rate", "people write at this `rate`, like 1000/s or 60/m, however fast they are answered; in place of --messages")
	f.BoolVar(&d.Idle, "idle", false, "measure what --accounts cost to which nobody writes")
	f.DurationVar(&d.Lasts, "for", 0, "how `long` people write at a --rate (default 1m), accounts are looked at with --idle (30s), or campaigns have slots (1m40s)")
	f.IntVar(&d.Kills, "kills", 0, "kill the bot this `number` of times while it works")
	f.StringVar(&d.Store, "store", "sqlite", "where the bot keeps its memory: sqlite or postgres")
	f.IntVar(&d.Workers, "workers", 0, "`number` of workers that share the accounts, with --store postgres (default 1 then)")
	f.IntVar(&d.Accounts, "accounts", 16, "`number` of accounts that workers share, or that are there with --idle")
	f.IntVar(&d.Freezes, "freezes", 0, "stop workers this `number` of times, for 1 to 20 seconds")
	f.IntVar(&d.Cuts, "cuts", 0, "cut workers off from the database, or the platform, this `number` of times, for 2 to 15 seconds")
	f.IntVar(&d.Restarts, "restarts", 0, "restart the database of workers this `number` of times")
	f.IntVar(&d.Fills, "fills", 0, "let the disk of the database be full this `number` of times, for 2 to 9 seconds; on Linux, as root")
	f.IntVar(&d.Failovers, "failovers", 0, "let a synchronous standby take the place of the database this `number` of times")
	f.IntVar(&d.Deploys, "deploys", 0, "put new workers into the places of all this `number` of times")
	f.BoolVar(&d.Wait, "wait", false, "people wait for each answer before they write again")
	f.BoolVar(&d.Lively, "lively", false, "people think and type (the default unless --messages is given)")
	f.BoolVar(&d.Bare, "bare", false, "measure a bare HTTP client that makes the same calls, in place of the bot")
	f.BoolVar(&d.Encrypt, "encrypt", false, "give the bot a key, so that it encrypts what people say in its database")
	f.BoolVar(&d.Rules, "rules", false, "run the sample bot from a rule file, in place of the one written in Go")
	f.BoolVar(&d.Quiet, "quiet", false, "print the verdict alone")
	f.BoolVar(&d.JSON, "json", false, "print the verdict as one JSON object, and nothing else")
	f.BoolVar(&d.InProcess, "in-process", false, "run the bot in the platform's process (its CPU and memory are then not its own)")
	f.StringVar(&d.Dir, "dir", "", "keep the bot's database in this `folder` (default: removed at the end)")
	f.DurationVar(&d.Timeout, "timeout", 15*time.Minute, "give up after this `time`")
	return cmd
}

// demoArgs takes the number in "--campaigns 100", too, which a flag that may stand without one does not.
func demoArgs(d *demo.Demo, cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flags().Changed("campaigns") {
		n, err := strconv.Atoi(args[0])
		if err == nil {
			d.Campaigns = n
			return nil
		}
	}
	return cobra.NoArgs(cmd, args)
}

// checkFor refuses flags that say the same thing in two ways, or nothing.
func checkFor(d *demo.Demo, flags *pflag.FlagSet) error {
	switch {
	case (d.Rate > 0 || d.Idle) && flags.Changed("messages"):
		return errors.New("how many messages there are follows from --rate, --idle and --for: leave out --messages")
	case flags.Changed("for") && d.Rate == 0 && !d.Idle && d.Campaigns == 0:
		return errors.New("--for goes with --rate, --idle or --campaigns: add one of them, like --rate 1000/s")
	}
	return nil
}

// completeDemo fills in what was not said of workers.
func completeDemo(d *demo.Demo, flags *pflag.FlagSet) {
	d.CompleteMeasured(flags.Changed)
	if d.Store != "postgres" {
		if d.Workers == 1 {
			d.Workers = 0 // the bot is one anyway
		}
		return
	}
	if d.Encrypt = true; d.Workers == 0 { // what is kept on a server always is
		d.Workers = 1
	}
	if !flags.Changed("people") {
		d.People = 3 * d.Accounts
	}
	if !d.IsDisturbed() {
		return
	}
	d.Lively = false
	if !flags.Changed("messages") {
		d.Messages = int(demo.ExpectedTime(d.DrawIncidents(), d.Workers, d.TrackCount()).Seconds()) * demo.WorkersWrite
	}
}
