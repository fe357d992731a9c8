package autoresponder

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// mostApart is how many changes of one save are looked at one by one: each costs a check of the whole folder.
const mostApart = 20

// applyApart puts in force what was saved, change by change, without those beside which something else does not work: kept becomes what last worked, with
// all changes that can be made to it.
func (fo *folder) applyApart(kept, saved rules.Sources) {
	clear(kept)
	maps.Copy(kept, fo.good)
	fo.aside = map[string]text.Problems{}
	left := changedFiles(fo.good, saved)
	if v, _ := fo.check(kept); v == nil || len(left) > mostApart {
		return
	}
	for found := true; found; { // one may need another one, such as a team in settings.yaml
		found = false
		left = slices.DeleteFunc(left, func(names []string) bool {
			with := maps.Clone(kept)
			put(with, saved, names)
			v, report := fo.check(with)
			for _, name := range names {
				if fo.aside[name] = report.Problems.Errors(); v != nil {
					delete(fo.aside, name)
				}
			}
			if v != nil {
				put(kept, saved, names)
				found = true
			}
			return v != nil
		})
	}
}

// put puts files as they were saved in the place of what is there.
func put(into, saved rules.Sources, names []string) {
	for _, name := range names {
		if into[name] = saved[name]; saved[name] == nil {
			delete(into, name)
		}
	}
}

// changedFiles returns which files were changed, each as a change of its own. New files and removed files are one change where there are both: a file may have
// been renamed.
func changedFiles(was, is rules.Sources) [][]string {
	var all [][]string
	var came, gone []string
	for _, name := range is.Names() {
		switch {
		case was[name] == nil:
			came = append(came, name)
		case !bytes.Equal(was[name], is[name]):
			all = append(all, []string{name})
		}
	}
	for _, name := range was.Names() {
		if is[name] == nil {
			gone = append(gone, name)
		}
	}
	if len(came) > 0 && len(gone) > 0 {
		return append(all, append(came, gone...))
	}
	for _, name := range append(came, gone...) {
		all = append(all, []string{name})
	}
	return all
}

// failsTest says which test of another file a change fails, and the two ways to repair that; false when no test keeps the change out.
func (fo *folder) failsTest(file string, src rules.Sources) (fault, bool) {
	var tests []string
	var first text.Problem
	for _, p := range fo.aside[file] {
		if p.Test == "" || p.File == file {
			return fault{}, false
		}
		if first.Test == "" {
			first = p
		}
		if !slices.Contains(tests, p.Test) {
			tests = append(tests, p.Test)
		}
	}
	if len(tests) == 0 {
		return fault{}, false
	}
	what := "it was changed, and the change is not in force"
	switch {
	case src[file] == nil:
		what = "it was removed, and is in force all the same"
	case fo.good[file] == nil:
		what = "it is new, and not in force"
	}
	x := fault{text: fmt.Sprintf("%s: with it the test of %s fails (%s:%d: %s)", what, first.Test, first.File, first.Line, first.Text)}
	if len(tests) > 1 {
		x.text += ", and so does that of " + strings.Join(tests[1:], ", ")
	}
	f, _ := textfile.Parse(first.File, fo.good[first.File])
	x.ask, x.do = "Change that test, or let it be live without it:", fmt.Sprintf("nectar rules %s %s", cmp.Or(f.Get("status").String(), "watch"), first.File)
	for _, name := range tests {
		if strings.Contains(name, " ") {
			name = "\"" + name + "\""
		}
		x.do += " --without-test " + name
	}
	return x, true
}

// notBeside says of files that have no problem of their own why they are not in force as they were saved: others do not work beside
// them. src are the files as they were saved, kept those that are in force, report is what is wrong with the former.
func (fo *folder) notBeside(src, kept rules.Sources, report text.Report) map[string]fault {
	faulty := filesOf(report.Problems.Errors())
	says := map[string]fault{}
	for _, all := range []rules.Sources{src, kept} {
		for name := range all {
			now, there := src[name]
			if bytes.Equal(now, kept[name]) || slices.Contains(faulty, name) {
				continue
			}
			x, ok := fo.failsTest(name, src)
			x.beside = true
			others := strings.Join(faulty, ", ")
			if with := fo.aside[name]; len(with) > 0 {
				others = strings.Join(filesOf(with), ", ")
			}
			switch {
			case ok:
			case there:
				x.text = "it works by itself, and is not in force as it was saved: " + others + " would not work beside it"
			default:
				x.text = "it was removed, and is in force all the same: " + others + " would not work without it"
			}
			says[name] = x
		}
	}
	return says
}

// filesOf returns which files have problems.
func filesOf(problems text.Problems) []string {
	var files []string
	for _, p := range problems {
		files = append(files, p.File)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// tellBeside logs what notBeside says, a line each, once.
func (fo *folder) tellBeside(ctx context.Context, beside map[string]fault) {
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		if x := beside[name]; fo.beside[name] != x {
			why := x.text
			if x.do != "" {
				why += ". " + x.ask + " " + x.do
			}
			fo.log().WarnContext(ctx, "a file of the rules is not in force as it is", "file", name, "why", why) //mutate:file-beside
		}
	}
	fo.beside = beside
}
