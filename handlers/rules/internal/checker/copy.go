package checker

import (
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// findCopies finds files that are copies of others, as file managers name them: "10-faq copy", "10-faq (1)", "Copy of 10-faq".
func (c *checker) findCopies() {
	stem := func(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }
	for _, f := range c.Files {
		name := stem(f.File)
		if !strings.ContainsAny(name, " (") {
			continue
		}
		for _, other := range c.Files {
			if of := stem(other.File); strings.HasPrefix(name, of+" ") || strings.HasPrefix(name, of+"(") || strings.HasSuffix(name, " "+of) {
				c.copies[f.File] = other.File
			}
		}
	}
}

const isCopy = "this looks like a copy of %s, and is read as well: move it out of the folder"

// tellTwins tells when something is there twice because one of two files is a copy of the other; the name of the copy says more than that of each rule.
func (c *checker) tellTwins(file, other string) bool {
	if c.copies[other] == file {
		file, other = other, file
	}
	if c.copies[file] != other {
		return false
	}
	c.add(textfile.At{File: file}, isCopy+", or give its rules other ids", other)
	c.twin[file] = true
	return true
}

// otherCopies hints at copies with rules that differ from the original by now.
func (c *checker) otherCopies() {
	for _, f := range c.Files {
		if of := c.copies[f.File]; of != "" && !c.twin[f.File] {
			c.noteHint(textfile.At{File: f.File}, isCopy+" unless it is meant", of)
		}
	}
}
