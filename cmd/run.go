package cmd

import (
	"context"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/run"
	"github.com/spf13/cobra"
)

const runHelp = `Run signs in and runs the bot until it is interrupted. What is under way is then
finished and stored, and the next start goes on where this one stopped.

It answers by your rule files: those in the folder rules, or what NECTAR_RULES
names. They are read again when they change. A file that does not work leaves its
last good version in force, and the log names the line. nectar init writes files
to begin with, nectar check reads them before the bot does. Campaigns in them run, too:
each for the account that it names.

Without rule files it does not begin, unless some were in force before: those stay in
force, and your teams are told. With --starter it runs a starter bot instead, which
tells people who write that a person reads their message, welcomes followers and
thanks who reposts. A program of your own that brings routes (cmd.Main) needs no rule
files, either; where there are some, its routes are asked before them.

On SIGHUP it reads .env and the accounts file again: accounts that are new are taken
up, those that are gone, or say state: paused, are given up, and those of which
something has changed go on with that. The others are not touched. Settings that are
wrong change nothing; the log says what is wrong, and which settings count from the
next start only. Windows has no SIGHUP: start it again there.

On a database of PostgreSQL it is a worker: any number of them, on any machines, share
the accounts. NECTAR_WORKER names it, otherwise the machine does. When one ends, the
others go on with its accounts, within a moment, and within 10 s when it dies.`

func newRun(sh cli.Shell) *cobra.Command {
	forget, starter := false, false
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Run the bot on your platform",
		Long:    runHelp,
		Example: "  nectar run\n  nectar run --env-file shop.env\n  nectar run --starter",
		GroupID: groupBot,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, halt := context.WithCancel(cmd.Context())
			defer halt()
			calls, quiet := sh.NotifyHangups(halt)
			defer quiet()
			cfg, err := sh.LoadSettings(cmd)
			if err != nil {
				return err
			}
			if err := run.CheckWiring(sh.With, starter); err != nil {
				return err
			}
			cfg.ForgetSealed = forget
			gone, err := run.MayBegin(ctx, cfg, starter, len(sh.With) > 0)
			if err != nil {
				return err
			}
			r := &run.Reloader{Load: func() (config.Config, error) { return sh.LoadSettings(cmd) }, Calls: calls, Starter: starter, With: sh.With, Began: cfg, Halt: halt}
			return r.Run(ctx, gone, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&forget, "forget-sealed", false, "delete what is encrypted with a key that is lost, and go on without it")
	cmd.Flags().BoolVar(&starter, "starter", false, "run the starter bot, without rules")
	return cmd
}
