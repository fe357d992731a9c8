package cmd

import (
	"io"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/spf13/cobra"
)

const doctorHelp = `Doctor checks the settings and the database, signs in with each account and reads
everything that a bot reads. It says a line about each, in plain words:

  ok       understood
  odd      works, with something that you should know
  MISSING  this platform does not have it; the bot does without
  FAILED   the bot cannot work like this

Without --campaigns it sends nothing to anybody. Reading messages may mark them as seen on the
phone of the account's owner; the doctor finds out, and says so. When no bot
runs, it brings the database up to date and stores its sessions there, and no bot
can start before it has ended.

With --campaigns it finds out, on a post of your own, what campaigns have to know:
whether a post says that you have reposted it, whether taking that back is seen at
once, and whether a repost that is made again lifts the post. It says beforehand what
it does, asks, and puts the post back as it was, also when it is broken off. No bot
may run meanwhile; the next one that starts is told.

Exit status: 0 nothing failed, 1 something failed, 2 wrong command line, 78 wrong settings.`

func newDoctor(sh cli.Shell) *cobra.Command {
	var asJSON bool
	var account string
	var probe doctor.CampaignProbe
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Check the settings, the database and the platform",
		Long:    doctorHelp,
		Example: "  nectar doctor\n  nectar doctor --json\n  nectar doctor --campaigns --post https://social.example/thread/48121",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.SettingsWithStored(cmd)
			if err != nil {
				return err
			}
			if err := doctor.KeepOnly(&cfg, account); err != nil {
				return cli.BadUsage(cmd, err)
			}
			if err := probe.Check(&cfg, asJSON); err != nil {
				return cli.BadUsage(cmd, err)
			}
			d := doctor.Doctor{Out: cmd.OutOrStdout(), Named: account != ""}
			if asJSON {
				d.Out = io.Discard
			}
			var report doctor.Diagnosis
			var trouble error
			if probe.On {
				report, trouble = d.ProbeCampaigns(cmd.Context(), cfg, probe, sh.Stdin)
			} else {
				envFile, err := cmd.Flags().GetString(cli.EnvFileFlag)
				if err != nil {
					return err
				}
				report = d.CheckAll(cmd.Context(), cfg, envFile)
			}
			if asJSON {
				if err := print.WriteJSON(cmd.OutOrStdout(), report); err != nil {
					return err
				}
			}
			if trouble == nil && !report.OK {
				return &cli.ExitError{Code: cli.ExitFailed}
			}
			return trouble
		},
	}
	cmd.Flags().StringVar(&account, "account", "", "only this `account` (default all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	probeFlags(&probe, cmd)
	return cmd
}

// probeFlags adds them to the command.
func probeFlags(o *doctor.CampaignProbe, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.On, "campaigns", false, "find out on a post of your own what campaigns have to know; says before what it does, and asks")
	cmd.Flags().StringVar(&o.Link, "post", "", "with --campaigns: the `link` of that post (default your newest one)")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "with --campaigns: do not ask")
}
