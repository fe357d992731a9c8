package edit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// LadderMeans says what each status means.
var LadderMeans = map[ruledecision.Status]string{
	ruledecision.Live:  "its rules act.",
	ruledecision.Ask:   "what they say waits for your approval.",
	ruledecision.Watch: "they decide, and do nothing.",
}

// Rung is a file that is to change.
type Rung struct {
	Path, Name    string
	Before, After []byte
	Moved         bool     // it has another status
	Skipped       []string // tests that may fail from now on
}

// SaysChanged says what was changed, a line each.
func (r *Rung) SaysChanged(status ruledecision.Status) string {
	var says strings.Builder
	for _, test := range r.Skipped {
		fmt.Fprintf(&says, "%s is skipped: it may fail\n", test)
	}
	if r.Moved {
		fmt.Fprintf(&says, "%s is %s\n", r.Name, status)
	}
	return says.String()
}

// QuestionFor asks whether files are to change so.
func QuestionFor(rungs []Rung, status ruledecision.Status) string {
	var moved, skipped []string
	for i := range rungs {
		if skipped = append(skipped, rungs[i].Skipped...); rungs[i].Moved {
			moved = append(moved, rungs[i].Name)
		}
	}
	ask := fmt.Sprintf("Set %s to %s", strings.Join(moved, ", "), status)
	if len(skipped) == 0 {
		return ask + "?"
	}
	skips := "kip " + strings.Join(skipped, ", ")
	if len(moved) == 0 {
		return "S" + skips + "?"
	}
	return ask + ", and s" + skips + "?"
}

// Climb is what changes in one folder.
type Climb struct {
	config.RuleFolder
	Src   rules.Sources
	Rungs []Rung
	Named bool // a file of it is named
}

// PlaceOf returns the folder that a file is in: the one that its path says, or the only one that has a file of its name.
func PlaceOf(all []Climb, file string) (int, error) {
	if len(all) == 1 {
		return 0, nil
	}
	name := filepath.Base(file)
	var found []int
	var known, paths []string
	for i := range all {
		if name != file && sources.IsWithin(file, all[i].Path) {
			return i, nil
		}
		known = append(known, all[i].Src.Names()...)
		if paths = append(paths, all[i].Path); all[i].Src[name] != nil && name == file {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, fmt.Errorf("several folders have a file %s: write which one, for example %s", name, PathOf(all[found[0]].Path, name))
	}
	problem := fmt.Sprintf("there is no file %q in %s", file, strings.Join(paths, ", "))
	if near := textfile.NearestWord(name, known); near != "" && near != name {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return 0, errors.New(problem)
}

// PathOf returns where a file of the rules lies: the rules may be one file.
func PathOf(folder, name string) string {
	if filepath.Base(folder) == name {
		return folder
	}
	return filepath.Join(folder, name)
}

// FileName returns the name of a file of the folder, if it is one that has a status.
func (c *Climb) FileName(file string) (string, error) {
	name := filepath.Base(file)
	if name == rules.SettingsFile || name == rules.RepliesFile {
		return "", fmt.Errorf("%s has no status: it is shared by all files", name)
	}
	if _, ok := c.Src[name]; ok {
		return name, nil
	}
	problem := fmt.Sprintf("there is no file %q in %s", name, c.Path)
	if near := textfile.NearestWord(name, c.Src.Names()); near != "" {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return "", errors.New(problem)
}

// SetStatus lets a file have a status; false when it has that already.
func (c *Climb) SetStatus(name string, status ruledecision.Status) (bool, error) {
	before := c.Src[name]
	after, err := WithStatus(name, before, status)
	if err != nil || bytes.Equal(before, after) {
		return false, err
	}
	r := c.rung(name)
	r.After, r.Moved = after, true
	return true, nil
}

// rung returns what changes of a file.
func (c *Climb) rung(name string) *Rung {
	for i := range c.Rungs {
		if c.Rungs[i].Name == name {
			return &c.Rungs[i]
		}
	}
	c.Rungs = append(c.Rungs, Rung{Path: PathOf(c.Path, name), Name: name, Before: c.Src[name], After: c.Src[name]})
	return &c.Rungs[len(c.Rungs)-1]
}

// LeaveOut marks tests of rules and conversations as skipped: those that fail, as the problems say. The error says which do when one that is named
// does not.
func (c *Climb) LeaveOut(names []string, problems textfile.Problems, why string) error {
	slices.SortStableFunc(problems, func(a, b textfile.Problem) int { return b.Line - a.Line }) // a line that is added moves what is below it
	var fails, found []string
	for _, p := range problems {
		if p.Test == "" {
			continue
		}
		fails = append(fails, p.Test)
		id, _, _ := strings.Cut(p.Test, ", ")
		at := slices.IndexFunc(names, func(name string) bool { return name == id || name == p.Test })
		if at < 0 {
			continue
		}
		found = append(found, names[at])
		if err := c.skip(p, id, why); err != nil {
			return err
		}
	}
	for _, name := range names {
		if !slices.Contains(found, name) {
			return noneFails(name, fails)
		}
	}
	return nil
}

// skip marks one test.
func (c *Climb) skip(p textfile.Problem, id, why string) error {
	r := c.rung(p.File)
	list := "rules"
	if f, _ := textfile.Parse(p.File, r.After); !hasID(f, list, id) {
		list = "conversations"
	}
	after, err := SkipTest(p.File, r.After, TestPlace{List: list, ID: id}, p.Line, why)
	if err != nil {
		return err
	}
	r.After, r.Skipped = after, append(r.Skipped, fmt.Sprintf("the test of %s (%s:%d)", p.Test, p.File, p.Line))
	return nil
}

func hasID(f textfile.Node, list, id string) bool {
	_, ok := TestPlace{List: list, ID: id}.find(f)
	return ok
}

func noneFails(name string, fails []string) error {
	if len(fails) == 0 {
		return fmt.Errorf("--without-test %s: no test fails, so none is left out", name)
	}
	slices.Sort(fails)
	return fmt.Errorf("--without-test %s: no test of %s fails; those that do are of %s", name, name, strings.Join(slices.Compact(fails), "; "))
}

// MovedFiles returns the files of the folder as they will be.
func (c *Climb) MovedFiles() rules.Sources {
	src := maps.Clone(c.Src)
	for _, r := range c.Rungs {
		src[r.Name] = r.After
	}
	return src
}

// withWord puts another word into the line of the status.
func withWord(name string, src []byte, lines [][]byte, p textfile.Pair, status ruledecision.Status) ([]byte, error) {
	was, line := p.Value.String(), lines[p.Value.At().Line-1]
	if was == string(status) {
		return src, nil
	}
	key := bytes.Index(line, []byte("status:"))
	// Behind the key alone: the same word may stand in the line before it.
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
