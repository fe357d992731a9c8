package edit

import (
	"bytes"
	"fmt"

	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// WithStatus returns a rule file with another status: that line alone is another one.
func WithStatus(name string, src []byte, status ruledecision.Status) ([]byte, error) {
	f, problems := textfile.Parse(name, src)
	if bad := problems.Errors(); len(bad) > 0 {
		return nil, bad
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	after := 0 // the line behind which a new one goes
	for _, p := range f.Pairs() {
		switch p.Key.String() {
		case "status":
			return withWord(name, src, lines, p, status)
		case "version", "name":
			after = p.Key.At().Line
		}
	}
	if after == 0 {
		return nil, fmt.Errorf("%s has no line with version: write one, for example: version: 1", name)
	}
	end := "\n"
	if bytes.HasSuffix(lines[after-1], []byte("\r\n")) {
		end = "\r\n"
	}
	var out []byte
	for i, line := range lines {
		out = append(out, line...)
		if i == after-1 {
			if !bytes.HasSuffix(line, []byte("\n")) {
				out = append(out, end...)
			}
			out = append(out, "status: "+string(status)+end...)
		}
	}
	return out, nil
}
