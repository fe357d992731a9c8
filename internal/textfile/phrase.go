package textfile

import (
	"fmt"
	"slices"
	"strings"
)

// wording is a text in a problem that does not come from the file.
type wording string

// phraseProblem says what is wrong. Of a file with secrets it leaves out the strings among args, since each
// of them may show what stands in the file.
func phraseProblem(secret bool, format string, args []any) string {
	if !secret { //mutate:secret-file
		return fmt.Sprintf(format, args...)
	}
	const hidden = "…"
	args = slices.Clone(args)
	for i, arg := range args {
		switch arg.(type) {
		case wording, int, int32, byte:
		default:
			args[i] = wording(hidden)
			if i == 0 && strings.HasPrefix(format, "%s ") {
				args[i] = wording("this")
			}
		}
	}
	said := fmt.Sprintf(format, args...)
	for strings.HasSuffix(said, ": "+hidden) {
		said = strings.TrimSuffix(said, ": "+hidden)
	}
	return said
}
