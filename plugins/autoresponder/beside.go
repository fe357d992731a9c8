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
func notBeside(src, kept rules.Sources, report text.Report) map[string]string {
	var faulty []string
	for _, p := range report.Problems.Errors() {
		faulty = append(faulty, p.File)
	}
	slices.Sort(faulty)
	others := strings.Join(slices.Compact(faulty), ", ")
	says := map[string]string{}
	for _, all := range []rules.Sources{src, kept} {
		for name := range all {
			switch now, there := src[name]; {
			case bytes.Equal(now, kept[name]) || slices.Contains(faulty, name):
			case there:
				says[name] = "it works by itself, and is not in force as it was saved: " + others + " would not work beside it"
			default:
				says[name] = "it was removed, and is in force all the same: " + others + " would not work without it"
			}
		}
	}
	return says
}

// tellBeside logs what notBeside says, a line each, once.
func (fo *folder) tellBeside(ctx context.Context, beside map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		if fo.beside[name] != beside[name] {
			fo.log().WarnContext(ctx, "a file of the rules is not in force as it is", "file", name, "why", beside[name]) //mutate:file-beside
		}
	}
	fo.beside = beside
}
