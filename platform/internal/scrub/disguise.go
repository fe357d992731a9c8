package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A platform may repeat a secret in any of the ways in which programs write texts: as JSON of one language or another,
// with percent signs, with entities, or one of them inside another. A view is a text as it reads when some of that is
// undone, and knows where in the text each of its bytes comes from.
type view struct {
	text     string
	from, to []int // the part of the text that byte i stands for
}

const (
	deepest   = 3  // ways of writing that are undone one inside another
	mostViews = 64 // of one text
)

// decodedViews returns a text as it stands, and as it reads when it is decoded in all ways up to deepest times.
func decodedViews(text string) []view {
	all, seen := []view{undecoded(text)}, map[string]bool{text: true}
	//mutate:disguise
	for begin, depth := 0, 0; depth < deepest; depth++ {
		end := len(all)
		for _, v := range all[begin:end] {
			for _, decode := range decoders {
				next := v.decoded(decode)
				if len(all) < mostViews && !seen[next.text] {
					seen[next.text] = true
					all = append(all, next)
				}
			}
		}
		begin = end
	}
	return all
}

// undecoded returns a text as it stands.
func undecoded(text string) view {
	v := view{text, make([]int, len(text)), make([]int, len(text))}
	for i := range len(text) {
		v.from[i], v.to[i] = i, i+1
	}
	return v
}

// decoder reads an escape at the beginning of a text. It returns its meaning and how many bytes it takes; 0 when the text
// begins with none.
type decoder func(text string) (meaning string, size int)

// decoded returns a view with what decode finds undone.
func (v view) decoded(decode decoder) view {
	next := view{from: make([]int, 0, len(v.text)), to: make([]int, 0, len(v.text))}
	var b strings.Builder
	for i := 0; i < len(v.text); {
		meaning, size := decode(v.text[i:])
		if size == 0 {
			meaning, size = v.text[i:i+1], 1
		}
		b.WriteString(meaning)
		for range len(meaning) {
			next.from, next.to = append(next.from, v.from[i]), append(next.to, v.to[i+size-1])
		}
		i += size
	}
	next.text = b.String()
	return next
}

var decoders = []decoder{anyEscape, backslash, percent, plusPercent, entity, doubled("'"), doubled(`"`), codePoints, encoded}

// anyEscape undoes them all.
func anyEscape(text string) (string, int) {
	for _, decode := range []decoder{backslash, percent, entity} {
		if meaning, size := decode(text); size > 0 {
			return meaning, size
		}
	}
	return "", 0
}

// codePoints undoes what Python and older JavaScript write, in which \xe9 and %e9 are no bytes but U+00E9.
func codePoints(text string) (string, int) {
	meaning, size := backslash(text)
	if size == 0 {
		meaning, size = percent(text)
	}
	if len(meaning) == 1 {
		meaning = string(rune(meaning[0]))
	}
	return meaning, size
}

// percent undoes percent signs, %u00e9 of older JavaScript included.
func percent(text string) (string, int) {
	if text[0] != '%' {
		return "", 0
	}
	if len(text) > 1 && (text[1] == 'u' || text[1] == 'U') {
		return codeUnits(text, 2, 4)
	}
	if n, ok := hexOf(text, 1, 2); ok {
		return string([]byte{byte(n)}), 3
	}
	return "", 0
}

// plusPercent undoes what forms do.
func plusPercent(text string) (string, int) {
	if text[0] == '+' {
		return " ", 1
	}
	return percent(text)
}

// encoded undoes hex and base64 of what is text: anything else may be a word.
func encoded(text string) (string, int) {
	const shortest = 6 // of a secret of Plenty bytes
	size, digits := 0, true
	for size < len(text) && (alphanumeric(text[size]) || strings.IndexByte("+/-_", text[size]) >= 0) {
		digits = digits && strings.IndexByte("0123456789abcdefABCDEF", text[size]) >= 0
		size++
	}
	if size < shortest {
		return "", 0
	}
	if digits && size%2 == 0 {
		if meaning, err := hex.DecodeString(text[:size]); err == nil && utf8.Valid(meaning) { //mutate:disguise-hex
			return string(meaning), size
		}
	}
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(text[:size])
	meaning, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil || !utf8.Valid(meaning) { //mutate:disguise-base64
		return "", 0
	}
	for size < len(text) && text[size] == '=' {
		size++
	}
	return string(meaning), size
}

// doubled undoes one quotation mark that is written twice, as in SQL, YAML and CSV.
func doubled(mark string) decoder {
	return func(text string) (string, int) {
		if strings.HasPrefix(text, mark+mark) {
			return mark, 2
		}
		return "", 0
	}
}

// entity undoes HTML entities.
func entity(text string) (string, int) {
	const longest = 34 // of the names that there are
	if text[0] != '&' {
		return "", 0
	}
	size := 1
	for size < min(len(text), longest) && (text[size] == '#' && size == 1 || alphanumeric(text[size])) {
		size++
	}
	if size < len(text) && text[size] == ';' {
		size++
	}
	if meaning := html.UnescapeString(text[:size]); meaning != text[:size] {
		return meaning, size
	}
	return "", 0
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// controls are what letters behind a backslash stand for.
var controls = map[byte]string{'n': "\n", 'r': "\r", 't': "\t", 'b': "\b", 'f': "\f", 'v': "\v", 'a': "\a"}

// backslash undoes the escapes of JSON, JavaScript, Python, PHP, C and Go.
func backslash(text string) (string, int) {
	if text[0] != '\\' || len(text) < 2 {
		return "", 0
	}
	switch c := text[1]; {
	case c == 'u' && strings.HasPrefix(text[2:], "{"):
		end := strings.IndexByte(text, '}')
		if n, err := strconv.ParseUint(text[3:max(3, end)], 16, 21); err == nil {
			return string(rune(n)), end + 1
		}
	case c == 'u':
		return codeUnits(text, 2, 4)
	case c == 'U':
		if n, ok := hexOf(text, 2, 8); ok {
			return string(rune(n)), 10
		}
	case c == 'x':
		if n, ok := hexOf(text, 2, 2); ok {
			return string([]byte{byte(n)}), 4
		}
	case controls[c] != "":
		return controls[c], 2
	case '0' <= c && c <= '7':
		return octal(text)
	case !alphanumeric(c) && c < utf8.RuneSelf:
		return text[1:2], 2
	}
	return "", 0
}

// octal undoes a backslash with up to three digits.
func octal(text string) (string, int) {
	size := 2
	for size < min(len(text), 4) && '0' <= text[size] && text[size] <= '7' {
		size++
	}
	n, _ := strconv.ParseUint(text[1:size], 8, 16) // they are digits
	return string([]byte{byte(n)}), size
}

// codeUnits undoes code units of UTF-16 that are written in n digits behind a sign of two bytes.
func codeUnits(text string, sign, n int) (string, int) {
	one, ok := hexOf(text, sign, n)
	if !ok {
		return "", 0
	}
	size := sign + n
	if utf16.IsSurrogate(rune(one)) && len(text) > size+sign && strings.EqualFold(text[size:size+sign], text[:sign]) {
		if two, ok := hexOf(text, size+sign, n); ok {
			if r := utf16.DecodeRune(rune(one), rune(two)); r != utf8.RuneError {
				return string(r), 2 * size
			}
		}
	}
	return string(rune(one)), size
}

// hexOf reads n digits at text[i].
func hexOf(text string, i, n int) (uint32, bool) {
	if len(text) < i+n {
		return 0, false
	}
	value, err := strconv.ParseUint(text[i:i+n], 16, 32)
	return uint32(value), err == nil
}

// bytesOf returns the bytes that a secret is in texts: UTF-8, Latin-1, UTF-8 that was taken for Latin-1, and with its own
// escapes undone, since a text is undone whole.
func bytesOf(secret string) []string {
	forms := []string{secret}
	add := func(form string) {
		if form != "" && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	latin, ok := make([]byte, 0, len(secret)), true
	for _, r := range secret {
		latin, ok = append(latin, byte(r)), ok && r <= 0xFF
	}
	if ok {
		add(string(latin))
	}
	taken := make([]rune, len(secret))
	for i := range len(secret) {
		taken[i] = rune(secret[i])
	}
	add(string(taken))
	for v, depth := undecoded(secret), 0; depth < deepest; depth++ {
		if v = v.decoded(anyEscape); len(v.text) >= Plenty {
			add(v.text)
		}
	}
	return forms
}

// tells is how many bytes a secret has that is found in capitals: what is shorter may be a part of any word.
const tells = 6

// lowerASCII returns a text with its letters A to Z as small ones: byte by byte, so that each stays where it is.
func lowerASCII(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + ('a' - 'A')
		}
	}
	return string(out)
}
