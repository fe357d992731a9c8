package textfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one finding of the checker.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 means the whole file
	Test string `json:"test,omitempty"` // the rule or conversation whose test failed
	Text string `json:"text"`           // what is wrong and what to write instead
	Hint bool   `json:"hint,omitempty"` // the file works all the same
}

// String returns the problem on one line, with its file.
func (p Problem) String() string {
	switch {
	case p.Test != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d: test %s: %s", p.File, p.Line, p.Test, p.Text)
	case p.Test != "":
		return fmt.Sprintf("%s: test %s: %s", p.File, p.Test, p.Text)
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
	default:
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
}

// Problems are findings. As an error they are what they say, one on each line.
type Problems []Problem

// Error returns all findings, one on each line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the findings with which a file does not work.
func (p Problems) Errors() Problems {
	var some Problems
	for _, problem := range p {
		if !problem.Hint {
			some = append(some, problem)
		}
	}
	return some
}

// Sort puts the findings into the order of a report: by file, then by line, tests last.
func (p Problems) Sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			compareBool(a.Test != "", b.Test != ""),
			cmp.Compare(a.Line, b.Line),
			compareBool(a.Hint, b.Hint),
		)
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
