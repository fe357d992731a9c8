package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/spf13/cobra"
)

// subcommands lists what nectar can do. A new command is a file with a constructor, and its name here.
func subcommands(sh shell) []*cobra.Command {
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
		newEvents(sh),
		newOutbox(sh),
		newCampaigns(sh),
		newConversations(sh),
		newForget(sh),
		newExport(sh),
		newWhy(sh),
		newTell(sh),
		newReplay(sh),
		newLists(sh),
		newNotices(sh),
		newMigrate(sh),
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

Exit status: 0 done, 1 failed, 2 wrong configuration or command line.`

// shell is what surrounds the command: its arguments, its environment and its streams.
type shell struct {
	args    []string
	environ []string // "NAME=value", as os.Environ gives it
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	// hangup returns SIGHUPs until quiet is called; one of a terminal that is gone calls gone instead. nil where there are none.
	hangup func(gone func()) (calls <-chan os.Signal, quiet func())
}

// hangups returns the SIGHUPs from now on; none where there is no such signal.
func (sh shell) hangups(gone func()) (calls <-chan os.Signal, quiet func()) {
	if sh.hangup == nil {
		return nil, func() {}
	}
	return sh.hangup(gone)
}

// execute runs the command that sh.args name until it is done or ctx ends. It returns the exit
// status of the process.
func execute(ctx context.Context, sh shell) int {
	root := newRoot(sh) //nolint:contextcheck // cobra hands ctx to the command that runs
	return exitStatus(root.ExecuteContext(ctx), sh.stderr)
}

// exitStatus prints what err says, a line each, and returns the exit status it stands for.
func exitStatus(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exitError](err)
	if !ok {
		exit = &exitError{exitFailed, err}
	}
	if exit.Err == nil {
		return exit.Code
	}
	text := err.Error()
	if _, ours := errors.AsType[config.Problems](err); !ours {
		text = config.Scrub(text) // Problems repeat no secrets, and have examples of them
	}
	for line := range strings.Lines(text) {
		_, _ = fmt.Fprintln(stderr, "nectar: "+oneLine(strings.TrimRight(line, "\r\n")))
	}
	return exit.Code
}

func newRoot(sh shell) *cobra.Command {
	root := &cobra.Command{
		Use:           "nectar",
		Short:         "Bots that lose nothing and say nothing twice",
		Long:          rootHelp,
		Args:          usage(knownCommand),
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       readBuild().String(),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(append([]string{}, sh.args...)) // nil would be read as the arguments of the process
	root.SetIn(sh.stdin)
	root.SetOut(sh.stdout)
	root.SetErr(sh.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && !strings.HasPrefix(sh.args[0], "-") {
			err = knownCommand(root, sh.args) // the flags are those of a command that is not there
		}
		return badUsage(cmd, err)
	})
	root.PersistentFlags().String(envFileFlag, "", "read settings from this `file` instead of .env")
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
