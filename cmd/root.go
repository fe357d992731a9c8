package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// subcommands lists what nectar can do. A new command is a file with a constructor, and its name here.
func subcommands(sh cli.Shell) []*cobra.Command {
	return []*cobra.Command{
		newDemo(),
		newDemoBot(sh),
		newRun(sh),
		newEmulate(sh),
		newInit(sh),
		newCheck(sh),
		newPublish(sh),
		newHistory(sh),
		newBack(sh),
		newPlan(sh),
		newTry(sh),
		newRules(sh),
		newDoctor(sh),
		newAudit(sh),
		newPause(sh),
		newUnpause(sh),
		newAccounts(sh),
		newWorkers(sh),
		newSummary(sh),
		newStatus(sh),
		newEvents(sh),
		newOutbox(sh),
		newCampaigns(sh),
		newConversations(sh),
		newForget(sh), newSay(sh), newCorrect(sh),
		newExport(sh),
		newWhy(sh),
		newTell(sh),
		newDeliver(sh),
		newReplay(sh),
		newLists(sh),
		newNotices(sh),
		newMigrate(sh),
		newRestore(sh),
		newRestored(sh),
		newMove(sh),
		newRekey(sh),
		newVersion(),
	}
}

// The groups in which the help text lists the commands.
const (
	groupBot   = "bot"   // commands that run something
	groupRules = "rules" // commands for those who write rule files
	groupCare  = "care"  // commands that look after it
)

const rootHelp = `Nectar runs bots on social networks that speak the mobile API. A bot answers
messages, likes, reposts and follows: every event is decided once, and every
answer is sent once, over crashes and restarts.

Settings come from the environment and from the file .env in the working
directory; the environment wins. The file .env.example lists them all.

Exit status: 0 done, 1 failed, 2 wrong command line, 78 wrong settings.`

// execute runs the command that sh.args name until it is done or ctx ends. It returns the exit
// status of the process.
func execute(ctx context.Context, sh cli.Shell) int {
	root := newRoot(sh) //nolint:contextcheck // cobra hands ctx to the command that runs
	return cli.ExitStatus(root.ExecuteContext(ctx), sh.Stderr)
}

func newRoot(sh cli.Shell) *cobra.Command {
	root := &cobra.Command{
		Use:           "nectar",
		Short:         "Bots that lose nothing and say nothing twice",
		Long:          rootHelp,
		Args:          cli.UsageArgs(knownCommand),
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       cli.ReadBuild().String(),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(append([]string{}, sh.Args...)) // nil would be read as the arguments of the process
	root.SetIn(sh.Stdin)
	root.SetOut(sh.Stdout)
	root.SetErr(sh.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && !strings.HasPrefix(sh.Args[0], "-") {
			err = knownCommand(root, sh.Args) // the flags are those of a command that is not there
		}
		return cli.BadUsage(cmd, err)
	})
	root.PersistentFlags().String(cli.EnvFileFlag, "", "read settings from this `file` instead of .env")
	root.AddGroup(
		&cobra.Group{ID: groupBot, Title: "Run a bot:"},
		&cobra.Group{ID: groupRules, Title: "Write its rules:"},
		&cobra.Group{ID: groupCare, Title: "Look after it:"},
	)
	root.SuggestionsMinimumDistance = 2
	root.SetHelpCommandGroupID(groupCare)
	root.SetCompletionCommandGroupID(groupCare)
	root.AddCommand(subcommands(sh)...)
	return root
}

// knownCommand refuses every argument: what names a command never gets here.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	problem := fmt.Sprintf("there is no command %q", args[0])
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		problem += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return errors.New(problem)
}
