package platform

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// firstMillisecond is the least number that is read as a time in milliseconds: as seconds it would
// be the year 5138. firstSecond is the least one read as a time at all (September 2001): shorter
// numbers are "0" for never, or something else than a time.
const (
	firstMillisecond = 100_000_000_000
	firstSecond      = 1_000_000_000
)

// nothing tells whether v is one of the ways to say that there is no value.
func (v value) nothing() bool {
	switch string(v) {
	case "", "null", "false", `""`, "[]", "{}", "0", `"0"`:
		return true
	default:
		return len(v) > 1 && v[0] == '[' && spaces(v, 1) == len(v)-1
	}
}

// inner returns the characters of a string, as they stand between the quotes, or those of a number.
func (v value) inner() []byte {
	if len(v) == 0 {
		return nil
	}
	switch c := v[0]; {
	case c == '"':
		return v[1 : len(v)-1]
	case c == '-' || '0' <= c && c <= '9':
		return v
	default:
		return nil
	}
}

// number returns the whole number that v holds, as a number or as a string.
func (v value) number() (int64, bool) {
	text := v.inner()
	if n, ok := digits(text); ok || len(text) == 0 {
		return n, ok
	}
	s := strings.TrimSpace(string(text))
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 1<<53 {
		return int64(f), true
	}
	return 0, false
}

// digits reads a plain number of at most 18 digits, the form of nearly all of them.
func digits(text []byte) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// id returns the number that v holds, or 0.
func (v value) id() int64 {
	n, _ := v.number()
	return n
}

// count returns the number that v holds, or 0.
func (v value) count() int {
	n, _ := v.number()
	return int(n)
}

// boolean returns the truth value that v holds, as such, as a number or as a string, and whether it
// holds one at all.
func (v value) boolean() (is, known bool) {
	switch string(v) {
	case "true", "1", `"1"`, `"true"`:
		return true, true
	case "false", "0", `"0"`, `"false"`, `""`:
		return false, true
	}
	n, known := v.number()
	return n != 0, known
}

// flag is boolean where an unknown value means no.
func (v value) flag() bool {
	is, _ := v.boolean()
	return is
}

// told is boolean where it makes a difference that a value is unknown.
func (v value) told() (is, untold bool) {
	is, known := v.boolean()
	return is, !known
}

// text returns the string that v holds, as valid UTF-8, or the digits of a number.
func (v value) text() string {
	b := v.inner()
	if bytes.IndexByte(b, '\\') < 0 {
		return toString(b)
	}
	var room [512]byte
	return toString(unescape(room[:0], b))
}

// prose returns text that people wrote: HTML entities are decoded.
func (v value) prose() string {
	b := v.inner()
	if bytes.IndexByte(b, '\\') < 0 && bytes.IndexByte(b, '&') < 0 {
		return toString(b)
	}
	var room, more [512]byte
	return toString(decodeEntities(more[:0], unescape(room[:0], b)))
}

// address returns a web address, whose "&" may have been escaped; other entities are none.
func (v value) address() string { return strings.ReplaceAll(v.text(), "&amp;", "&") }

// username returns a user name without "@".
func (v value) username() string { return trimAt(v.text()) }

// instant returns the time that v holds as Unix seconds or milliseconds, or the zero time.
func (v value) instant() time.Time {
	switch n := v.id(); {
	case n < firstSecond:
		return time.Time{}
	case n < firstMillisecond:
		return time.Unix(n, 0).UTC()
	default:
		return time.UnixMilli(n).UTC()
	}
}

func trimAt(name string) string { return strings.TrimPrefix(strings.TrimSpace(name), "@") }

// word returns a short text that is nearly always one of a few, without memory of its own for those.
func (v value) word() string {
	for _, known := range [...]string{
		"none", "image", "text", "video", "gif",
		string(SubjectLike), string(SubjectReply), string(SubjectRepost), string(SubjectMention),
		string(SubjectFollow), string(SubjectVisit),
	} {
		if len(v) == len(known)+2 && string(v[1:len(v)-1]) == known {
			return known
		}
	}
	return v.text()
}
