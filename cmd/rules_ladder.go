package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/edit"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/replay"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/spf13/cobra"
)

const ladderHelp = `%[1]s sets the status of rule files to %[2]s, and changes nothing else in them: %[3]s

The folder is checked with the change first, with all its tests. Then what people wrote in
the last 7 days is answered by it, and what that changes is shown: nothing is sent. You are
asked before a file is written; --yes does not ask. A running bot takes it over by itself.

FILE is the name of a file in the folder of NECTAR_RULES, or a path. Where accounts have
folders of their own, it is a path, or a name that only one of them has.

--without-test NAME lets the tests of a rule or conversation of the folder fail that do: each
is marked in its file, "skipped:" with the day and who said so, and nectar check reminds of it.`

// ladder moves rule files on the ladder of trust.
type ladder struct {
	sh     cli.Shell
	status ruledecision.Status
	yes    bool

	without []string // tests that may fail
	by      string
}

func newLadder(sh cli.Shell, status ruledecision.Status) *cobra.Command {
	l := ladder{sh: sh, status: status}
	name := string(status)
	cmd := &cobra.Command{
		Use:     name + " FILE…",
		Short:   "Set the status of rule files to " + name + ", after a check and a replay",
		Long:    fmt.Sprintf(ladderHelp, strings.ToUpper(name[:1])+name[1:], name, edit.LadderMeans[status]),
		Example: "  nectar rules " + name + " 10-faq.yaml\n  nectar rules " + name + " 10-faq.yaml --without-test prices",
		Args: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return cli.BadUsage(cmd, errors.New("name rule files, like 10-faq.yaml"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error { return runLadder(&l, cmd, files) },
	}
	cmd.Flags().BoolVarP(&l.yes, "yes", "y", false, "do not ask")
	cmd.Flags().StringArrayVar(&l.without, "without-test", nil, "let the tests of this rule or conversation fail, and note that in its `NAME`'s file")
	cmd.Flags().StringVar(&l.by, "by", "", "who says so; the user of this machine unless set")
	return cmd
}

func runLadder(l *ladder, cmd *cobra.Command, files []string) error {
	folders, _, err := foldersFrom(l.sh, cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	climbs, err := climbsOf(l, cmd, folders, files, out)
	if err != nil {
		return err
	}
	var rungs []edit.Rung
	for i := range climbs {
		c := &climbs[i]
		if err := l.leaveOut(c, rules.ForAccounts(c.Accounts...)); err != nil {
			return err
		}
		if len(c.Rungs) == 0 {
			continue
		}
		v, err := l.check(c.MovedFiles(), cmd.ErrOrStderr(), rules.ForAccounts(c.Accounts...))
		if err != nil {
			return err
		}
		if err := replayLadder(l, cmd, v, c.Accounts, len(folders)); err != nil {
			return err
		}
		rungs = append(rungs, c.Rungs...)
	}
	if len(rungs) == 0 {
		return nil
	}
	if !l.yes {
		if err := cli.ConfirmYes(cmd.Context(), out, l.sh.Stdin, edit.QuestionFor(rungs, l.status)); err != nil {
			return err
		}
	}
	for _, r := range rungs {
		if err := edit.ReplaceFile(r.Path, r.Before, r.After); err != nil {
			return err
		}
		if _, err := io.WriteString(out, r.SaysChanged(l.status)); err != nil {
			return err
		}
	}
	return nil
}

// climbsOf returns what changes, folder by folder.
func climbsOf(l *ladder, cmd *cobra.Command, folders []config.RuleFolder, files []string, out io.Writer) ([]edit.Climb, error) {
	all := make([]edit.Climb, len(folders))
	for i, f := range folders {
		src, err := readingOf(l.sh, cmd)(f.Path)
		if err != nil {
			return nil, err
		}
		all[i] = edit.Climb{RuleFolder: f, Src: src}
	}
	for _, file := range files {
		at, err := edit.PlaceOf(all, file)
		if err != nil {
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		if err := sources.RefusePublished(all[at].Path); err != nil {
			return nil, err
		}
		name, err := all[at].FileName(file)
		if err != nil {
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		all[at].Named = true
		moved, err := all[at].SetStatus(name, l.status)
		if err == nil && !moved {
			_, err = fmt.Fprintf(out, "%s is %s already\n", name, l.status)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// leaveOut marks tests that fail, and may.
func (l *ladder) leaveOut(c *edit.Climb, known ...rules.Option) error {
	if len(l.without) == 0 || !c.Named {
		return nil
	}
	_, report := rulecheck.Check(c.MovedFiles(), known...)
	by := view.DeciderName(l.sh, l.by)
	return c.LeaveOut(l.without, report.Problems.Errors(), strings.TrimSpace(time.Now().Format(time.DateOnly)+" by "+by))
}

// check checks the folder as it will be.
func (l *ladder) check(src rules.Sources, out io.Writer, known ...rules.Option) (*rules.Version, error) {
	v, report := rulecheck.Check(src, known...)
	if v != nil && report.OK() {
		return v, nil
	}
	report.Problems = report.Problems.Errors()
	if err := printChecked(out, report); err != nil {
		return nil, err
	}
	return nil, &cli.ExitError{Code: cli.ExitFailed}
}

// replayLadder shows what the files would have said, when there is a recording: of the accounts that act by them, where others have
// folders of their own.
func replayLadder(l *ladder, cmd *cobra.Command, v *rules.Version, accounts []event.Account, of int) error {
	d, err := viewOf(l.sh, cmd, &view.Flags{})
	if err != nil || d.Shut != "" {
		return print.SayLine(cmd.OutOrStdout(), "there is no recording that could be replayed")
	}
	defer d.Done()
	if of > 1 {
		d.KeepOnly(accounts)
	}
	f := replay.Flags{Since: replay.Since, Limit: 5}
	return f.ReplayAll(cmd.Context(), d, v, cmd.ErrOrStderr())
}
