package autoresponder

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

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
