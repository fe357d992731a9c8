package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

const ladderHelp = `%[1]s sets the status of rule files to %[2]s, and changes nothing else in them: %[3]s

The folder is checked with the change first, with all its tests. Then what people wrote in
the last 7 days is answered by it, and what that changes is shown: nothing is sent. You are
asked before a file is written; --yes does not ask. A running bot takes it over by itself.

FILE is the name of a file in the folder of NECTAR_RULES, or a path. Where accounts have
folders of their own, it is a path, or a name that only one of them has.`

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

// climb is what changes in one folder.
type climb struct {
	config.RuleFolder
	src   rules.Sources
	rungs []rung
}

func (l *ladder) run(cmd *cobra.Command, files []string) error {
	folders, _, err := l.sh.folders(cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	climbs, err := l.climbs(cmd, folders, files, out)
	if err != nil {
		return err
	}
	var rungs []rung
	for _, c := range climbs {
		if len(c.rungs) == 0 {
			continue
		}
		v, err := l.check(c.src, c.rungs, cmd.ErrOrStderr(), rules.ForAccounts(c.Accounts...))
		if err != nil {
			return err
		}
		if err := l.replay(cmd, v, c.Accounts, len(folders)); err != nil {
			return err
		}
		rungs = append(rungs, c.rungs...)
	}
	if len(rungs) == 0 {
		return nil
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

// climbs returns what changes, folder by folder.
func (l *ladder) climbs(cmd *cobra.Command, folders []config.RuleFolder, files []string, out io.Writer) ([]climb, error) {
	all := make([]climb, len(folders))
	for i, f := range folders {
		src, err := l.sh.reading(cmd)(f.Path)
		if err != nil {
			return nil, err
		}
		all[i] = climb{RuleFolder: f, src: src}
	}
	for _, file := range files {
		at, err := placeOf(all, file)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		if err := written(all[at].Path); err != nil {
			return nil, err
		}
		r, err := l.rung(all[at].Path, all[at].src, file)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(r.before, r.after) {
			if _, err := fmt.Fprintf(out, "%s is %s already\n", r.name, l.status); err != nil {
				return nil, err
			}
			continue
		}
		all[at].rungs = append(all[at].rungs, r)
	}
	return all, nil
}

// placeOf returns the folder that a file is in: the one that its path says, or the only one that has a file of its name.
func placeOf(all []climb, file string) (int, error) {
	if len(all) == 1 {
		return 0, nil
	}
	name := filepath.Base(file)
	var found []int
	var known, paths []string
	for i := range all {
		if name != file && within(file, all[i].Path) {
			return i, nil
		}
		known = append(known, all[i].src.Names()...)
		if paths = append(paths, all[i].Path); all[i].src[name] != nil && name == file {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, fmt.Errorf("several folders have a file %s: write which one, for example %s", name, pathOf(all[found[0]].Path, name))
	}
	problem := fmt.Sprintf("there is no file %q in %s", file, strings.Join(paths, ", "))
	if near := text.Nearest(name, known); near != "" && near != name {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return 0, errors.New(problem)
}

// rung returns what changes in a file of a folder.
func (l *ladder) rung(folder string, src rules.Sources, file string) (rung, error) {
	name := filepath.Base(file)
	before, ok := src[name]
	if name == rules.SettingsFile || name == rules.RepliesFile {
		return rung{}, &exitError{exitUsage, fmt.Errorf("%s has no status: it is shared by all files", name)}
	}
	if !ok {
		problem := fmt.Sprintf("there is no file %q in %s", name, folder)
		if near := text.Nearest(name, src.Names()); near != "" {
			problem += fmt.Sprintf("; did you mean %q?", near)
		}
		return rung{}, &exitError{exitUsage, errors.New(problem)}
	}
	after, err := withStatus(name, before, l.status)
	return rung{pathOf(folder, name), name, before, after}, err
}

// pathOf returns where a file of the rules lies: the rules may be one file.
func pathOf(folder, name string) string {
	if filepath.Base(folder) == name {
		return folder
	}
	return filepath.Join(folder, name)
}

// check checks the folder as it will be.
func (l *ladder) check(src rules.Sources, rungs []rung, out io.Writer, known ...rules.Option) (*rules.Version, error) {
	for _, r := range rungs {
		src[r.name] = r.after
	}
	v, report := rules.Check(src, known...)
	if v != nil && report.OK() {
		return v, nil
	}
	report.Problems = report.Problems.Errors()
	if err := printChecked(out, report); err != nil {
		return nil, err
	}
	return nil, &exitError{Code: exitFailed}
}

// replay shows what the files would have said, when there is a recording: of the accounts that act by them, where others have
// folders of their own.
func (l *ladder) replay(cmd *cobra.Command, v *rules.Version, accounts []event.Account, of int) error {
	d, err := l.sh.desk(cmd, &deskFlags{})
	if err != nil || d.shut != "" {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "there is no recording that could be replayed")
		return err
	}
	defer d.close()
	if of > 1 {
		d.only(accounts)
	}
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
