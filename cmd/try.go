package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
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

// defaultPerson is who speaks unless somebody else is named.
const defaultPerson = "guest"

// tryOptions are what the flags of try say.
type tryOptions struct {
	script, as, at string
	account        string
	campaign       string
	trace, json    bool
}

func newTry(sh shell) *cobra.Command {
	o := tryOptions{as: defaultPerson}
	cmd := &cobra.Command{
		Use:     "try [PATH…]",
		Short:   "Chat with your rules",
		Long:    tryHelp,
		Example: "  nectar try\n  nectar try rules --at \"Sat 23:00\" --trace\n  nectar try rules --script chat.txt\n  nectar try --campaign spring-menu",
		GroupID: groupBot,
		Args:    usage(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) > 0 && o.account != "" {
				return badUsage(cmd, errors.New("--account names the folder: leave out the paths"))
			}
			cfg, err := o.config(paths)
			if err != nil {
				return badUsage(cmd, err)
			}
			if len(paths) == 0 {
				folders, _, err := sh.folders(cmd)
				if err != nil {
					return err
				}
				folder, err := folderOf(folders, o.account)
				if err != nil {
					return badUsage(cmd, err)
				}
				cfg.paths = []string{folder.Path}
			}
			cfg.from = sh.reading(cmd)
			return o.run(cmd.Context(), sh, cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.script, "script", "", "read what is typed from this `file`; - is the standard input")
	f.StringVar(&o.as, "as", o.as, "user `name` of who speaks first")
	f.StringVar(&o.account, "account", "", "by the rules of this `account`, where accounts have folders of their own")
	f.StringVar(&o.campaign, "campaign", "", "play the campaigns, those of this `id` on stage; all plays all")
	f.StringVar(&o.at, "at", "", "`time` at which it begins, such as \"Sat 23:00\" (default a Tuesday, 10:00; the day before a campaign)")
	f.BoolVar(&o.trace, "trace", false, "show why from the beginning")
	f.BoolVar(&o.json, "json", false, "of a script, print what came of it as JSON, an object on each line")
	return cmd
}

// config checks the flags.
func (o *tryOptions) config(paths []string) (tryConfig, error) {
	cfg := tryConfig{paths: paths, as: o.as, trace: o.trace, campaign: o.campaign, account: event.Account(o.account)}
	if o.at != "" {
		at, err := text.ParseWhenTime(o.at)
		if err != nil {
			return cfg, fmt.Errorf("--at %q: %w", o.at, err)
		}
		cfg.at = &at
	}
	return cfg, nil
}

// run begins, in the terminal or with a script.
func (o *tryOptions) run(ctx context.Context, sh shell, cfg tryConfig) error {
	s, err := newTryStage(cfg)
	if report, ok := errors.AsType[brokenRules](err); ok && strings.Contains(report.Error(), "\n") {
		_, err := fmt.Fprintln(sh.stderr, report)
		return &exitError{exitFailed, err}
	} else if err != nil {
		return err
	}
	switch {
	case o.script != "" && o.script != "-":
		file, err := os.Open(o.script)
		if err != nil {
			return fmt.Errorf("read the script: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		return o.play(ctx, s, file, sh)
	case o.script == "" && !o.json && isTTY(sh.stdin) && isTTY(sh.stdout):
		return chatInTerminal(ctx, s, sh)
	default:
		return o.play(ctx, s, sh.stdin, sh)
	}
}

// isTTY tells whether somebody sits at the other end.
func isTTY(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// play does what stands in a script, line by line, until it or ctx ends.
func (o *tryOptions) play(ctx context.Context, s tryStage, script io.Reader, sh shell) error {
	if err := o.print(s, s.take(), sh); err != nil {
		return err
	}
	for line, err := range scriptLines(ctx, script) {
		if err != nil {
			return fmt.Errorf("read the script: %w", err)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if err := o.print(s, s.do(line), sh); err != nil {
			return err
		}
		if s.ended() {
			break
		}
	}
	if s.troubled() {
		return &exitError{Code: exitFailed}
	}
	return nil
}

// longestLine is how long a line of a script may be, in bytes.
const longestLine = 1 << 20

// scriptLines reads lines until they are over or ctx ends.
func scriptLines(ctx context.Context, script io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ctx, enough := context.WithCancel(ctx)
		defer enough()
		lines, failed := make(chan string), make(chan error, 1)
		go func() { // a read cannot be broken off
			defer close(lines)
			in := bufio.NewScanner(script)
			in.Buffer(nil, longestLine)
			for in.Scan() {
				select {
				case lines <- in.Text():
				case <-ctx.Done():
					return
				}
			}
			failed <- in.Err()
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case line, ok := <-lines:
				switch {
				case ok && !yield(line, nil):
					return
				case !ok:
					if err := <-failed; err != nil {
						yield("", err)
					}
					return
				}
			}
		}
	}
}

// print prints what is new.
func (o *tryOptions) print(s tryStage, lines []tryLine, sh shell) error {
	var err error
	for i := range lines {
		to := sh.stdout
		if o.json {
			if lines[i].kind != tryTrouble {
				continue
			}
			to = sh.stderr
		}
		_, failed := fmt.Fprintln(to, lines[i].String())
		err = errors.Join(err, failed)
	}
	for _, sc := range s.played() {
		if o.json {
			err = errors.Join(err, printLine(sh.stdout, sc))
		}
	}
	return err
}
