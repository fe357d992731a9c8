package try

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/edit"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Files are the rule files of a try: the last good version of them.
type Files struct {
	Paths   []string
	from    sources.Reading   // nil for files alone
	src     rules.Sources     // as they were read last, good or not
	version *rules.Version    // the last good one; nil before there was one
	broken  string            // what is wrong with src; "" when it is good
	failing textfile.Problems // tests of version that fail
}

// read reads the files again. It reports whether they are others than before; then version or broken
// says what came of it.
func (f *Files) read() (changed bool) {
	read := f.from
	if read == nil {
		read = sources.OnDisk
	}
	src, err := read(f.Paths...)
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
	f.version, f.failing = v, rulecheck.RunTests(v).Errors()
	return true
}

// toldLines says what came of reading the files.
func (f *Files) toldLines() []Line {
	report := textfile.Report{Files: len(f.src), Problems: f.failing}
	switch {
	case f.broken != "":
		return []Line{{kind: tryTrouble, text: f.broken}, {kind: tryAside, text: "the last good version stays in force"}}
	case len(f.failing) > 0:
		return []Line{{kind: tryTrouble, text: shownReport(report)}}
	}
	return []Line{{kind: tryAside, text: shownReport(report)}}
}

// shownReport returns what a check prints, without hints.
func shownReport(r textfile.Report) string {
	r.Problems = r.Problems.Errors()
	var b strings.Builder
	_, _ = r.WriteTo(&b) // a builder takes everything
	return strings.TrimRight(b.String(), "\n")
}

// PathOf returns the path of a file by its name.
func (f *Files) PathOf(name string) (string, error) {
	for _, path := range f.Paths {
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

// AddTest adds a test to a file. It is kept only when the files work with it and all tests pass that
// passed before.
func (f *Files) AddTest(name string, place edit.TestPlace, test []string) error {
	path, err := f.PathOf(name)
	if err != nil {
		return err
	}
	old := f.src[name]
	patched, err := edit.AddTest(name, old, place, test)
	if err != nil {
		return err
	}
	_, was := rulecheck.Check(f.src)
	with := maps.Clone(f.src)
	with[name] = patched
	_, is := rulecheck.Check(with)
	if fresh := freshProblems(was.Problems, is.Problems); len(fresh) > 0 {
		return fmt.Errorf("%s stays as it was, since the test would not pass: %s", name, fresh[0].Text)
	}
	if err := edit.ReplaceFile(path, old, patched); err != nil {
		return err
	}
	if f.read(); f.broken != "" { // somebody has changed another file at the same time
		wrong := f.broken
		err := edit.ReplaceFile(path, patched, old)
		f.read()
		return errors.Join(fmt.Errorf("%s is as it was again, since the files have problems now:\n%s", name, wrong), err)
	}
	return nil
}

// freshProblems returns the errors that were not there before, wherever they stand.
func freshProblems(before, after textfile.Problems) textfile.Problems {
	return slices.DeleteFunc(after.Errors(), func(p textfile.Problem) bool {
		return slices.ContainsFunc(before, func(q textfile.Problem) bool { return p.File == q.File && p.Test == q.Test && p.Text == q.Text })
	})
}
