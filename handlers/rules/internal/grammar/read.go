package grammar

import (
	"maps"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// FormatVersion is the version of the format that this program knows.
const FormatVersion = 1

// Read turns rule files into what they say. What is wrong with one of them does not keep the others
// from being read, and what could be read of it is there, too.
func Read(src map[string][]byte) (*Folder, textfile.Problems) {
	fo := &Folder{spoiled: map[string][]int{}}
	var problems textfile.Problems
	for _, name := range slices.Sorted(maps.Keys(src)) {
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
func (fo *Folder) read(name string, content []byte) textfile.Problems {
	f, problems := textfile.Parse(name, content)
	fo.Cut = fo.Cut || len(problems.Errors()) > 0
	var dst any
	switch shared := strings.TrimSuffix(name, ".yml") + ".yaml"; {
	case name == SettingsFile:
		dst, fo.settings = &fo.Settings, f
	case name == RepliesFile:
		dst = &fo.Replies
	case IsShared(shared):
		return append(problems, textfile.Problem{File: name, Text: "this file has to be called " + shared})
	default:
		file := &File{At: textfile.At{File: name}, language: f.Get("language").At()}
		fo.Files = append(fo.Files, file)
		dst = file
	}
	return append(append(problems, f.Decode(dst)...), versionOf(f)...)
}

// versionOf checks the version of the format that a file is written in. A file without one is told so
// when it is decoded.
func versionOf(f textfile.Node) textfile.Problems {
	n := f.Get("version")
	if n.Kind() != textfile.Scalar || n.String() == "1" || strings.Trim(n.String(), "0123456789") != "" {
		return nil
	}
	return textfile.Problems{n.Problem("this is version %s of the format, and this program knows %d: write version: %d, or use a newer program",
		n.String(), FormatVersion, FormatVersion)}
}

// The files that a folder's other files share.
const (
	SettingsFile = "settings.yaml"
	RepliesFile  = "replies.yaml"
)

// IsShared reports whether a file is for all others of its folder.
func IsShared(name string) bool { return name == SettingsFile || name == RepliesFile }
