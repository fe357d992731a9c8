package wire

import (
	"bytes"
	"slices"
	"strings"
)

// Some deployments send a text the way a page shows it: <br /> for the end of a line, links around addresses and names, pictures in place of emoji. What
// people write they escape. Others send everything as people wrote it, and there "a < b" and "I <3 you" are words. So something counts as a tag by its
// name and its form: it has attributes, or stands alone as <br> does, or its other half is there.

// appendPlain appends s to dst without its markup. The entities in s are not decoded yet.
func appendPlain(dst, s []byte) []byte {
	from, marked := len(dst), false
	halves := halves{all: s}
	for {
		at := bytes.IndexByte(s, '<')
		if at < 0 {
			break
		}
		dst = append(dst, s[:at]...)
		s = s[at:]
		t, ok := readTag(s)
		if !ok || !halves.stand(&t, len(s)) {
			dst, s = append(dst, '<'), s[1:]
			continue
		}
		marked = true
		s = s[t.size:]
		switch {
		case t.name == "br" || t.name == "hr":
			s = bytes.TrimPrefix(bytes.TrimPrefix(s, []byte("\r")), []byte("\n")) // PHP's nl2br leaves the end of the line behind its tag
			dst = append(dst, '\n')
		case t.name == "img":
			dst = append(dst, t.alt...)
		case slices.Contains(blockTags, t.name) && len(dst) > from && dst[len(dst)-1] != '\n':
			dst = append(dst, '\n')
		}
	}
	dst = append(dst, s...)
	if marked {
		text := bytes.TrimSpace(dst[from:])
		dst = dst[:from+copy(dst[from:], text)]
	}
	return dst
}

// tag is a tag at the beginning of a text.
type tag struct {
	name    string
	size    int
	closes  bool // </b>
	dressed bool // it has attributes
	alt     []byte
}

var (
	voidTags  = []string{"br", "hr", "img", "wbr"}
	blockTags = []string{"p", "div", "li", "ul", "ol", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "pre"}
	otherTags = []string{"a", "b", "i", "u", "s", "em", "strong", "span", "font", "small", "big", "del", "ins", "strike", "mark", "code", "sub", "sup"}
)

// mostName is of how many letters the longest name of a tag is.
const mostName = 10

// readTag reads the tag with which s begins.
func readTag(s []byte) (t tag, ok bool) {
	i := 1
	if t.closes = i < len(s) && s[i] == '/'; t.closes {
		i++
	}
	from := i
	for i < len(s) && i-from <= mostName && isNameByte(s[i]) {
		i++
	}
	t.name = strings.ToLower(string(s[from:i]))
	if !slices.Contains(voidTags, t.name) && !slices.Contains(blockTags, t.name) && !slices.Contains(otherTags, t.name) {
		return t, false
	}
	for {
		i += len(s[i:]) - len(bytes.TrimLeft(s[i:], " \t\r\n"))
		switch {
		case i == len(s): // a row of the chat list may be cut
			t.size = i
			return t, t.dressed
		case s[i] == '>':
			t.size = i + 1
			return t, true
		case s[i] == '/':
			i++
			continue
		}
		name, value, size := readAttribute(s[i:])
		if size == 0 {
			return t, false
		}
		t.dressed = true
		if name == "alt" {
			t.alt = value
		}
		i += size
	}
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// readAttribute reads name="value" from the start of s; its size is 0 where there is none.
func readAttribute(s []byte) (name string, value []byte, size int) {
	i := 0
	for i < len(s) && (isNameByte(s[i]) || s[i] == '-' || s[i] == '_' || s[i] == ':') {
		i++
	}
	if i == 0 || i >= len(s) || s[i] != '=' {
		return "", nil, 0
	}
	name = strings.ToLower(string(s[:i]))
	rest := s[i+1:]
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		end := bytes.IndexByte(rest[1:], rest[0])
		switch {
		case end < 0 && bytes.IndexByte(rest, '>') < 0:
			return name, nil, len(s)
		case end < 0:
			return "", nil, 0
		}
		return name, rest[1 : 1+end], i + 1 + end + 2
	}
	end := bytes.IndexAny(rest, " \t\r\n>")
	if end < 0 {
		end = len(rest)
	}
	return name, rest[:end], i + 1 + end
}

// halves knows of tags that come in pairs whether their other half is there.
type halves struct {
	all   []byte
	last  map[string]int // where the last closing half of a name stands, -1 for nowhere
	opens map[string]int // how many are open
}

// stand reports whether a tag is one, of which so much is left from its beginning on.
func (h *halves) stand(t *tag, left int) bool {
	switch {
	case slices.Contains(voidTags, t.name), t.dressed && t.closes:
		return !t.closes
	case t.closes && h.opens[t.name] > 0:
		h.opens[t.name]--
		return true
	case t.closes: // what closes nothing is somebody's own
		return false
	case !t.dressed && t.name != "p" && h.closing(t.name) < len(h.all)-left:
		return false
	}
	if h.opens == nil {
		h.opens = map[string]int{}
	}
	h.opens[t.name]++
	return true
}

// closing returns where the last closing half of a name stands, looked for once: a text may be long, and have many tags.
func (h *halves) closing(name string) int {
	if at, ok := h.last[name]; ok {
		return at
	}
	if h.last == nil {
		h.last = map[string]int{}
	}
	h.last[name] = bytes.LastIndex(bytes.ToLower(h.all), []byte("</"+name+">"))
	return h.last[name]
}
