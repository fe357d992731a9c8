package grammar

import (
	"slices"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// IsSpoiled reports whether something in a file could not be read.
func (fo *Folder) IsSpoiled(file string) bool { return len(fo.spoiled[file]) > 0 }

// SpoiledBetween reports whether something could not be read on the lines from one up to another.
func (fo *Folder) SpoiledBetween(file string, from, to int) bool {
	lines := fo.spoiled[file]
	i, _ := slices.BinarySearch(lines, from)
	return i < len(lines) && lines[i] < to
}

// FirstLine returns the line of a file's first rule, conversation or campaign.
func (fo *Folder) FirstLine(f *File) int {
	first := endOfFile
	if len(f.Rules) > 0 {
		first = f.Rules[0].Line
	}
	if len(f.Conversations) > 0 {
		first = min(first, f.Conversations[0].Line)
	}
	if len(f.Campaigns) > 0 {
		first = min(first, f.Campaigns[0].Line)
	}
	return first
}

// lines returns the lines on which the rules, conversations and campaigns of a file begin.
func (f *File) lines() []int {
	var lines []int
	for i := range f.Rules {
		lines = append(lines, f.Rules[i].Line)
	}
	for i := range f.Conversations {
		lines = append(lines, f.Conversations[i].Line)
	}
	for i := range f.Campaigns {
		lines = append(lines, f.Campaigns[i].Line)
	}
	slices.Sort(lines)
	return lines
}

// SoundIn returns a function that reports whether everything could be read of what begins at a place.
func (fo *Folder) SoundIn(f *File) func(textfile.At) bool {
	if !fo.IsSpoiled(f.File) {
		return func(textfile.At) bool { return true }
	}
	lines := f.lines()
	return func(at textfile.At) bool {
		i, _ := slices.BinarySearch(lines, at.Line+1)
		end := endOfFile
		if i < len(lines) {
			end = lines[i]
		}
		return !fo.SpoiledBetween(f.File, at.Line, end)
	}
}

// SoundHead reports whether everything could be read that stands above the rules of a file.
func (fo *Folder) SoundHead(f *File) bool { return !fo.SpoiledBetween(f.File, 0, fo.FirstLine(f)) }

// AnySpoiled reports whether there is a rule file of which something could not be read.
func (fo *Folder) AnySpoiled() bool {
	return slices.ContainsFunc(fo.Files, func(f *File) bool { return fo.IsSpoiled(f.File) })
}

// endOfFile is behind every line.
const endOfFile = 1 << 30
