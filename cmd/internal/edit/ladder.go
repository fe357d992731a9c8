package edit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
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
}

// Climb is what changes in one folder.
type Climb struct {
	config.RuleFolder
	Src   rules.Sources
	Rungs []Rung
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
		if name != file && sources.Within(file, all[i].Path) {
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
	if near := text.Nearest(name, known); near != "" && near != name {
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

// File returns the name of a file of the folder, if it is one that has a status.
func (c *Climb) File(file string) (string, error) {
	name := filepath.Base(file)
	if name == rules.SettingsFile || name == rules.RepliesFile {
		return "", fmt.Errorf("%s has no status: it is shared by all files", name)
	}
	if _, ok := c.Src[name]; ok {
		return name, nil
	}
	problem := fmt.Sprintf("there is no file %q in %s", name, c.Path)
	if near := text.Nearest(name, c.Src.Names()); near != "" {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return "", errors.New(problem)
}

// Move lets a file have a status; false when it has that already.
func (c *Climb) Move(name string, status ruledecision.Status) (bool, error) {
	before := c.Src[name]
	after, err := WithStatus(name, before, status)
	if err != nil || bytes.Equal(before, after) {
		return false, err
	}
	c.Rungs = append(c.Rungs, Rung{Path: PathOf(c.Path, name), Name: name, Before: before, After: after})
	return true, nil
}

// Moved returns the files of the folder as they will be.
func (c *Climb) Moved() rules.Sources {
	src := maps.Clone(c.Src)
	for _, r := range c.Rungs {
		src[r.Name] = r.After
	}
	return src
}

// Names lists files.
func Names(rungs []Rung) string {
	all := make([]string, len(rungs))
	for i := range rungs {
		all[i] = rungs[i].Name
	}
	return strings.Join(all, ", ")
}

// withWord puts another word into the line of the status.
func withWord(name string, src []byte, lines [][]byte, p text.Pair, status ruledecision.Status) ([]byte, error) {
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
