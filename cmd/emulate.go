package cmd

import (
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/emulate"
	"github.com/spf13/cobra"
)

const emulateHelp = `Emulate runs a whole platform in memory, with people who write to your bot, until
it is interrupted. It prints the settings that your bot needs to sign in, but for a
password that --password names. Nothing is kept when it ends.

People begin to write once the bot has signed in. With a pause they wait for the
answer to a message before they write the next one; without one (--pause 0) they
write as fast as they can.`

func newEmulate(sh cli.Shell) *cobra.Command {
	var e emulate.Emulation
	cmd := &cobra.Command{
		Use:     "emulate",
		Short:   "Run a platform in memory to try a bot on",
		Long:    emulateHelp,
		Example: "  nectar emulate --people 5 --transcript\n  nectar emulate --people 0 --transcript --type\n  nectar emulate --addr 127.0.0.1:0 --dialect stringly --faults rough --seed 7",
		GroupID: groupBot,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := e.NewPlatform()
			if err != nil {
				return cli.BadUsage(cmd, err)
			}
			return e.Run(cmd.Context(), p, sh.Stdin, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.Addr, "addr", "127.0.0.1:8080", "listen on this `address`; port 0 takes any free one")
	f.StringVar(&e.Dialect, "dialect", "classic", "`name` of a disagreement between deployments; a wrong name lists them")
	f.StringVar(&e.Faults, "faults", "none", "disturb calls: none, rough (5 %) or hostile (20 %)")
	f.Uint64Var(&e.Seed, "seed", 1, "`number` that decides who the people are and which calls are disturbed")
	f.IntVar(&e.People, "people", 3, "`number` of people who write")
	f.IntVar(&e.Messages, "messages", 0, "`number` of messages that they write altogether (default no end)")
	f.DurationVar(&e.Clock, "clock", 0, "how far the platform's clock is ahead of this machine's, such as -20m; with --type: clock 0 sets it right")
	f.DurationVar(&e.Pause, "pause", 2*time.Second, "mean time that a person thinks before a message")
	f.StringVar(&e.Password, "password", emulate.Password, "`password` of the account")
	f.BoolVar(&e.Transcript, "transcript", false, "print what happens as it happens")
	f.BoolVar(&e.Typed, "type", false, "do what is typed, a line each, such as \"ana: hello\" or \"ana follows\"")
	f.BoolVar(&e.JSON, "json", false, "print the settings as one JSON object")
	return cmd
}
