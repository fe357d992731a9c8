package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// tryFiles are the rule files of a try: the last good version of them.
type tryFiles struct {
	paths   []string
	from    reading        // nil for files alone
	src     rules.Sources  // as they were read last, good or not
	version *rules.Version // the last good one; nil before there was one
	broken  string         // what is wrong with src; "" when it is good
	failing text.Problems  // tests of version that fail
}

// read reads the files again. It reports whether they are others than before; then version or broken
// says what came of it.
func (f *tryFiles) read() (changed bool) {
	read := f.from
	if read == nil {
		read = onDisk
	}
	src, err := read(f.paths...)
	if err != nil {
		changed = f.broken != err.Error()
		f.src, f.broken = nil, err.Error()
		return changed
	}
	if f.src != nil && f.src.Hash() == src.Hash() {
		return false
	}
	f.src, f.broken = src, ""
	v, report := rules.Compile(src)
	if v == nil {
		f.broken = shownReport(report)
		return true
	}
	f.version, f.failing = v, v.Test().Errors()
	return true
}

// told says what came of reading the files.
func (f *tryFiles) told() []tryLine {
	report := text.Report{Files: len(f.src), Problems: f.failing}
	switch {
	case f.broken != "":
		return []tryLine{{kind: tryTrouble, text: f.broken}, {kind: tryAside, text: "the last good version stays in force"}}
	case len(f.failing) > 0:
		return []tryLine{{kind: tryTrouble, text: shownReport(report)}}
	}
	return []tryLine{{kind: tryAside, text: shownReport(report)}}
}

// shownReport returns what a check prints, without hints.
func shownReport(r text.Report) string {
	r.Problems = r.Problems.Errors()
	var b strings.Builder
	_, _ = r.WriteTo(&b) // a builder takes everything
	return strings.TrimRight(b.String(), "\n")
}

// where returns the path of a file by its name.
func (f *tryFiles) where(name string) (string, error) {
	for _, path := range f.paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			continue
		case info.IsDir():
			path = filepath.Join(path, name)
		default:
			path = filepath.Join(filepath.Dir(path), name)
		}
		if whole, err := filepath.EvalSymlinks(path); err == nil {
			return whole, nil
		}
	}
	return "", fmt.Errorf("%s is not there any more", name)
}

// addTest adds a test to a file. It is kept only when the files work with it and all tests pass that
// passed before.
func (f *tryFiles) addTest(name string, place testPlace, test []string) error {
	path, err := f.where(name)
	if err != nil {
		return err
	}
	old := f.src[name]
	patched, err := addTest(name, old, place, test)
	if err != nil {
		return err
	}
	_, was := rules.Check(f.src)
	with := maps.Clone(f.src)
	with[name] = patched
	_, is := rules.Check(with)
	if fresh := freshProblems(was.Problems, is.Problems); len(fresh) > 0 {
		return fmt.Errorf("%s stays as it was, since the test would not pass: %s", name, fresh[0].Text)
	}
	if err := replaceFile(path, old, patched); err != nil {
		return err
	}
	if f.read(); f.broken != "" { // somebody has changed another file at the same time
		wrong := f.broken
		err := replaceFile(path, patched, old)
		f.read()
		return errors.Join(fmt.Errorf("%s is as it was again, since the files have problems now:\n%s", name, wrong), err)
	}
	return nil
}

// freshProblems returns the errors that were not there before, wherever they stand.
func freshProblems(before, after text.Problems) text.Problems {
	return slices.DeleteFunc(after.Errors(), func(p text.Problem) bool {
		return slices.ContainsFunc(before, func(q text.Problem) bool { return p.File == q.File && p.Test == q.Test && p.Text == q.Text })
	})
}

// replaceFile puts content in place of what a file holds, at once, as long as that is old.
func replaceFile(path string, old, content []byte) error {
	failed := func(err error) error { return fmt.Errorf("write %s: %w", filepath.Base(path), err) }
	info, err := os.Stat(path)
	if err != nil {
		return failed(err)
	}
	is, err := os.ReadFile(path) //nolint:gosec // the user names the rule files
	if err != nil {
		return failed(err)
	}
	if !bytes.Equal(is, old) {
		return failed(errors.New("somebody has just changed it; save again"))
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".nectar-*.tmp") // hidden: nobody takes it for a rule file
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(beside.Name()) }() // gone when everything went well
	_, err = beside.Write(content)
	err = errors.Join(err, beside.Chmod(info.Mode().Perm()), beside.Sync(), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}
