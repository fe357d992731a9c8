package cmd

import (
	"errors"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/try"
	"github.com/spf13/cobra"
)

const tryHelp = `Try is a chat with your rules in the terminal. You are the people who write to the
bot, and see what it would answer, when, and why. Nothing is sent, and nothing is
kept. PATH is a folder of rule files or a file of one; without, it is the one of
NECTAR_RULES, or rules. Files are read again when they change.

What you type is said to the bot. Lines that begin with a slash are for nectar:
/help lists them. /as @ana lets somebody else speak, /wait 3h lets time pass,
/trace shows which rules were tried and what decided, and /save writes the chat
into the rule file as a test; private answers are not written.

Where the files have campaigns and no rules, or with --campaign, the campaigns are
played instead, as their files say, over a platform that is made up: /wait 3d lets
three days pass, and what would happen in them is told; /wait alone goes to the next
thing that happens. What waits for a person is for you to approve. /outage 5h,
/delete 48121 and /phone undo 48121 disturb it, /book says what became of each slot
and why, /plan what comes. It begins on the day before the first slot.

Everything acts as if it were live; /status file says what would wait for approval
or is on watch. The clock begins on a Tuesday at 10:00, as in the tests of rules.

With --script, or when the input is no terminal, the same lines are read from a
file or from the input and the chat is printed; # begins a comment. The same lines
have the same answers. The exit status is then 1 when the rules do not load, and
when a line could not be done.`

func newTry(sh cli.Shell) *cobra.Command {
	o := try.Options{As: try.DefaultPerson}
	cmd := &cobra.Command{
		Use:     "try [PATH…]",
		Short:   "Chat with your rules",
		Long:    tryHelp,
		Example: "  nectar try\n  nectar try rules --at \"Sat 23:00\" --trace\n  nectar try rules --script chat.txt\n  nectar try --campaign spring-menu",
		GroupID: groupBot,
		Args:    cli.UsageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) > 0 && o.Account != "" {
				return cli.BadUsage(cmd, errors.New("--account names the folder: leave out the paths"))
			}
			cfg, err := o.CheckedConfig(paths)
			if err != nil {
				return cli.BadUsage(cmd, err)
			}
			if len(paths) == 0 {
				folders, _, err := foldersFrom(sh, cmd)
				if err != nil {
					return err
				}
				folder, err := sources.FolderOf(folders, o.Account)
				if err != nil {
					return cli.BadUsage(cmd, err)
				}
				cfg.Paths = []string{folder.Path}
			}
			cfg.From = readingOf(sh, cmd)
			return o.Run(cmd.Context(), sh, cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Script, "script", "", "read what is typed from this `file`; - is the standard input")
	f.StringVar(&o.As, "as", o.As, "user `name` of who speaks first")
	f.StringVar(&o.Account, "account", "", "by the rules of this `account`, where accounts have folders of their own")
	f.StringVar(&o.Campaign, "campaign", "", "play the campaigns, those of this `id` on stage; all plays all")
	f.StringVar(&o.At, "at", "", "`time` at which it begins, such as \"Sat 23:00\" (default a Tuesday, 10:00; the day before a campaign)")
	f.BoolVar(&o.Explain, "trace", false, "show why from the beginning")
	f.BoolVar(&o.JSON, "json", false, "of a script, print what came of it as JSON, an object on each line")
	return cmd
}
