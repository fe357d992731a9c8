package rules

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/text"
)

// FormatVersion is the version of the format that this program knows.
const FormatVersion = 1

// read turns rule files into what they say. What is wrong with one of them does not keep the others
// from being read, and what could be read of it is there, too.
func read(src Sources) (*folder, text.Problems) {
	fo := &folder{hash: src.Hash(), spoiled: map[string][]int{}}
	var problems text.Problems
	for _, name := range src.Names() {
		problems = append(problems, fo.read(name, src[name])...)
	}
	for _, p := range problems.Errors() {
		fo.spoiled[p.File] = append(fo.spoiled[p.File], p.Line)
	}
	for _, lines := range fo.spoiled {
		slices.Sort(lines)
	}
	return fo, problems
}

// read reads one file.
func (fo *folder) read(name string, content []byte) text.Problems {
	f, problems := text.Parse(name, content)
	fo.cut = fo.cut || len(problems.Errors()) > 0
	var dst any
	switch shared := strings.TrimSuffix(name, ".yml") + ".yaml"; {
	case name == SettingsFile:
		dst = &fo.settings
	case name == RepliesFile:
		dst = &fo.replies
	case isShared(shared):
		return append(problems, text.Problem{File: name, Text: "this file has to be called " + shared})
	default:
		file := &File{At: text.At{File: name}}
		fo.files = append(fo.files, file)
		dst = file
	}
	return append(append(problems, f.Decode(dst)...), versionOf(f)...)
}

// versionOf checks the version of the format that a file is written in. A file without one is told so
// when it is decoded.
func versionOf(f *text.File) text.Problems {
	n := f.Root().Get("version")
	if n.Kind() != text.Scalar || n.String() == "1" || strings.Trim(n.String(), "0123456789") != "" {
		return nil
	}
	return text.Problems{n.Problem("this is version %s of the format, and this program knows %d: write version: %d, or use a newer program",
		n.String(), FormatVersion, FormatVersion)}
}
