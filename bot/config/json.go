package config

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// JSON returns a writer of JSON that goes to w with \uXXXX in place of signs that nobody sees: DEL, U+0080 to
// U+009F, what sets the direction of a text or is otherwise of the class Cf, and line breaks beyond ASCII. What people wrote so reaches into no
// terminal, and nothing of it is lost. Each Write has to bring whole characters, as encoding/json and log/slog do.
func JSON(w io.Writer) io.Writer { return visible{w} }

type visible struct{ w io.Writer }

// Write implements io.Writer.
func (v visible) Write(p []byte) (int, error) {
	out, kept := p, 0
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		//mutate:json-signs
		if i += size; r < 0x7F || r != utf8.RuneError && !unseen(r) || r == utf8.RuneError && size > 1 {
			continue // ASCII below a space is white space between values: within a text it is escaped already
		}
		if kept == 0 {
			out = make([]byte, 0, len(p)+16)
		}
		out = appendEscaped(append(out, p[kept:i-size]...), r)
		kept = i
	}
	if kept > 0 {
		out = append(out, p[kept:]...)
	}
	if _, err := v.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

func appendEscaped(out []byte, r rune) []byte {
	if r <= 0xFFFF {
		return fmt.Appendf(out, `\u%04x`, r)
	}
	const surrogate, half = 0xD800, 0xDC00
	r -= 0x10000
	return fmt.Appendf(out, `\u%04x\u%04x`, surrogate+r>>10, half+r&0x3FF)
}
