package textfile

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is what a check prints.
type Report struct {
	Files    int      `json:"files"` // how many were read
	Problems Problems `json:"problems"`
}

// OK reports whether every file works: there may be hints.
func (r Report) OK() bool { return len(r.Problems.Errors()) == 0 }

// WriteTo prints the findings file by file, and a last line that counts them.
func (r Report) WriteTo(w io.Writer) (int64, error) {
	problems := slices.Clone(r.Problems)
	problems.Sort()
	var b strings.Builder
	file := ""
	for i, p := range problems {
		if i == 0 || p.File != file {
			file = p.File
			fmt.Fprintln(&b, file)
		}
		b.WriteString("  " + p.place() + p.said() + "\n")
	}
	b.WriteString(r.sum() + "\n")
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// place is the first column: "line 61  ", "test     " of one whose line is not known, or blanks.
func (p Problem) place() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%-7s  ", fmt.Sprintf("line %d", p.Line))
	case p.Test != "":
		return "test     "
	default:
		return ""
	}
}

func (p Problem) said() string {
	said := strings.ReplaceAll(p.Text, "\n", "\n           ")
	if p.Test != "" {
		said = p.Test + ": " + said
	}
	if p.Test != "" && p.Line > 0 {
		said = "test " + said
	}
	if p.Hint {
		said = "hint: " + said
	}
	return said
}

func (r Report) sum() string {
	sum := count(r.Files, "file") + " read, "
	problems := len(r.Problems.Errors())
	hints := len(r.Problems) - problems
	if problems == 0 {
		sum += "no problems"
	} else {
		sum += count(problems, "problem")
	}
	if hints > 0 {
		sum += ", " + count(hints, "hint")
	}
	if problems > 0 {
		sum += "; nothing was changed"
	}
	return sum + "."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
