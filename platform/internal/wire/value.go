package wire

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

// IsNothing reports whether v is one of the ways to say that there is no value.
func (v Value) IsNothing() bool {
	switch string(v) {
	case "", "null", "false", `""`, "[]", "{}", "0", `"0"`:
		return true
	default:
		return len(v) > 1 && (v[0] == '[' || v[0] == '{') && SkipSpaces(v, 1) == len(v)-1
	}
}

// inner returns the characters of a string, as they stand between the quotes, or those of a number.
func (v Value) inner() []byte {
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

// Number returns the whole number that v holds, as a number or as a string.
func (v Value) Number() (int64, bool) {
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

// ID returns the number that v holds, or 0.
func (v Value) ID() int64 {
	n, _ := v.Number()
	return n
}

// Count returns the number that v holds, or 0.
func (v Value) Count() int {
	n, _ := v.Number()
	return int(n)
}

// Boolean returns the truth value that v holds, as such, as a number or as a string, and whether it
// holds one at all.
func (v Value) Boolean() (is, known bool) {
	switch string(v) {
	case "true", "1", `"1"`, `"true"`:
		return true, true
	case "false", "0", `"0"`, `"false"`, `""`:
		return false, true
	}
	n, known := v.Number()
	return n != 0, known
}

// Flag is boolean where an unknown value means no.
func (v Value) Flag() bool {
	is, _ := v.Boolean()
	return is
}

// Told is boolean where it makes a difference that a value is unknown.
func (v Value) Told() (is, untold bool) {
	is, known := v.Boolean()
	return is, !known
}

// Text returns the string that v holds, as valid UTF-8, or the digits of a number.
func (v Value) Text() string {
	b := v.inner()
	if bytes.IndexByte(b, '\\') < 0 {
		return ToString(b)
	}
	var room [512]byte
	return ToString(appendUnescaped(room[:0], b))
}

// Prose returns text that people wrote: HTML entities are decoded. It ends after 16 KiB.
func (v Value) Prose() string { return shortenText(v.decoded(), longestText) }

// Said is Prose without the markup that the platform has put into it.
func (v Value) Said() string {
	b := v.inner()
	if bytes.IndexByte(b, '<') < 0 && !bytes.Contains(b, []byte(`\u003`)) {
		return v.Prose()
	}
	return shortenText(ToString(decodeEntities(nil, appendPlain(nil, appendUnescaped(nil, b)))), longestText)
}

// Name returns what people call themselves, or another short text such as a humanised time: HTML entities are decoded. It
// ends after 200 letters.
func (v Value) Name() string { return shortenName(v.decoded()) }

func (v Value) decoded() string {
	b := v.inner()
	if bytes.IndexByte(b, '\\') < 0 && bytes.IndexByte(b, '&') < 0 {
		return ToString(b)
	}
	var room, more [512]byte
	return ToString(decodeEntities(more[:0], appendUnescaped(room[:0], b)))
}

// Address returns a web address. Its "&" may have been escaped; other entities are left as they are. It ends after 16 KiB.
func (v Value) Address() string {
	return shortenText(strings.ReplaceAll(v.Text(), "&amp;", "&"), longestText)
}

// Username returns a user name without "@". It ends after 200 letters.
func (v Value) Username() string { return shortenName(TrimAt(v.Text())) }

// Instant returns the time that v holds as Unix seconds or milliseconds, or the zero time.
func (v Value) Instant() time.Time {
	switch n := v.ID(); {
	case n < firstSecond:
		return time.Time{}
	case n < firstMillisecond:
		return time.Unix(n, 0).UTC()
	default:
		return time.UnixMilli(n).UTC()
	}
}

// TrimAt returns a user name without the "@" in front of it.
func TrimAt(name string) string { return strings.TrimPrefix(strings.TrimSpace(name), "@") }

// Word returns a short text that is nearly always one of a few, without memory of its own for those.
func (v Value) Word() string {
	for _, known := range [...]string{
		"none", "image", "text", "video", "gif",
		"like", "reply", "repost", "mention", "subscribe", "visit",
	} {
		if len(v) == len(known)+2 && string(v[1:len(v)-1]) == known {
			return known
		}
	}
	return shortenName(v.Text())
}
