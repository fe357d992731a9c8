package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

const ladderHelp = `%[1]s sets the status of rule files to %[2]s, and changes nothing else in them: %[3]s

The folder is checked with the change first, with all its tests. Then what people wrote in
the last 7 days is answered by it, and what that changes is shown: nothing is sent. You are
asked before a file is written; --yes does not ask. A running bot takes it over by itself.

FILE is the name of a file in the folder of NECTAR_RULES, or a path.`

var ladderMeans = map[rules.Status]string{
	rules.Live:  "its rules act.",
	rules.Ask:   "what they say waits for your approval.",
	rules.Watch: "they decide, and do nothing.",
}

// ladder moves rule files on the ladder of trust.
type ladder struct {
	sh     shell
	status rules.Status
	yes    bool
}

func newLadder(sh shell, status rules.Status) *cobra.Command {
	l := ladder{sh: sh, status: status}
	name := string(status)
	cmd := &cobra.Command{
		Use:     name + " FILE…",
		Short:   "Set the status of rule files to " + name + ", after a check and a replay",
		Long:    fmt.Sprintf(ladderHelp, strings.ToUpper(name[:1])+name[1:], name, ladderMeans[status]),
		Example: "  nectar rules " + name + " 10-faq.yaml",
		Args: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return badUsage(cmd, errors.New("name rule files, like 10-faq.yaml"))
			}
			return nil
		},
		RunE: l.run,
	}
	cmd.Flags().BoolVarP(&l.yes, "yes", "y", false, "do not ask")
	return cmd
}

// rung is a file that is to change.
type rung struct {
	path, name    string
	before, after []byte
}

func (l *ladder) run(cmd *cobra.Command, files []string) error {
	cfg, err := l.sh.settingsWithoutAccounts(cmd)
	if err != nil {
		return err
	}
	src, err := rules.ReadSources(cfg.Rules)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	rungs, err := l.rungs(cfg.Rules, src, files, out)
	if err != nil || len(rungs) == 0 {
		return err
	}
	v, err := l.check(src, rungs, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := l.replay(cmd, v); err != nil {
		return err
	}
	if !l.yes {
		if err := confirm(out, l.sh.stdin, fmt.Sprintf("Set %s to %s?", names(rungs), l.status)); err != nil {
			return err
		}
	}
	for _, r := range rungs {
		if err := replaceFile(r.path, r.before, r.after); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s is %s\n", r.name, l.status); err != nil {
			return err
		}
	}
	return nil
}

// rungs returns the files that change. Those that have that status already are told.
func (l *ladder) rungs(folder string, src rules.Sources, files []string, out io.Writer) ([]rung, error) {
	var all []rung
	for _, file := range files {
		name := filepath.Base(file)
		before, ok := src[name]
		if name == rules.SettingsFile || name == rules.RepliesFile {
			return nil, &exitError{exitUsage, fmt.Errorf("%s has no status: it is shared by all files", name)}
		}
		if !ok {
			problem := fmt.Sprintf("there is no file %q in %s", name, folder)
			if near := text.Nearest(name, src.Names()); near != "" {
				problem += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, &exitError{exitUsage, errors.New(problem)}
		}
		after, err := withStatus(name, before, l.status)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(before, after) {
			if _, err := fmt.Fprintf(out, "%s is %s already\n", name, l.status); err != nil {
				return nil, err
			}
			continue
		}
		all = append(all, rung{pathOf(folder, name), name, before, after})
	}
	return all, nil
}

// pathOf returns where a file of the rules lies: the rules may be one file.
func pathOf(folder, name string) string {
	if filepath.Base(folder) == name {
		return folder
	}
	return filepath.Join(folder, name)
}

// check checks the folder as it will be.
func (l *ladder) check(src rules.Sources, rungs []rung, out io.Writer) (*rules.Version, error) {
	for _, r := range rungs {
		src[r.name] = r.after
	}
	v, report := rules.Check(src)
	if v != nil && report.OK() {
		return v, nil
	}
	report.Problems = report.Problems.Errors()
	if err := printChecked(out, report); err != nil {
		return nil, err
	}
	return nil, &exitError{Code: exitFailed}
}

// replay shows what the files would have said, when there is a recording.
func (l *ladder) replay(cmd *cobra.Command, v *rules.Version) error {
	d, err := l.sh.desk(cmd, &deskFlags{})
	if err != nil || d.shut != "" {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "there is no recording that could be replayed")
		return err
	}
	defer d.close()
	f := replayFlags{since: replaySince, limit: 5}
	return f.replay(cmd.Context(), d, v, cmd.ErrOrStderr())
}

// names lists files.
func names(rungs []rung) string {
	all := make([]string, len(rungs))
	for i := range rungs {
		all[i] = rungs[i].name
	}
	return strings.Join(all, ", ")
}

// withStatus returns a rule file with another status: that line alone is another one.
func withStatus(name string, src []byte, status rules.Status) ([]byte, error) {
	f, problems := text.Parse(name, src)
	if bad := problems.Errors(); len(bad) > 0 {
		return nil, bad
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	after := 0 // the line behind which a new one goes
	for _, p := range f.Root().Pairs() {
		switch p.Key.String() {
		case "status":
			return withWord(name, src, lines, p, status)
		case "version", "name":
			after = p.Key.At().Line
		}
	}
	if after == 0 {
		return nil, fmt.Errorf("%s has no line with version: write one, for example: version: 1", name)
	}
	end := "\n"
	if bytes.HasSuffix(lines[after-1], []byte("\r\n")) {
		end = "\r\n"
	}
	var out []byte
	for i, line := range lines {
		out = append(out, line...)
		if i == after-1 {
			if !bytes.HasSuffix(line, []byte("\n")) {
				out = append(out, end...)
			}
			out = append(out, "status: "+string(status)+end...)
		}
	}
	return out, nil
}

// withWord puts another word into the line of the status.
func withWord(name string, src []byte, lines [][]byte, p text.Pair, status rules.Status) ([]byte, error) {
	was, line := p.Value.String(), lines[p.Value.At().Line-1]
	if was == string(status) {
		return src, nil
	}
	key := bytes.Index(line, []byte("status:"))
	at := -1
	if key >= 0 {
		at = bytes.Index(line[key+len("status:"):], []byte(was))
	}
	if at < 0 || was == "" {
		return nil, fmt.Errorf("%s line %d: write the status in one line, for example: status: %s", name, p.Key.At().Line, status)
	}
	at += key + len("status:")
	var out []byte
	for i, l := range lines {
		if i != p.Value.At().Line-1 {
			out = append(out, l...)
			continue
		}
		out = append(out, l[:at]...)
		out = append(out, status...)
		out = append(out, l[at+len(was):]...)
	}
	return out, nil
}
