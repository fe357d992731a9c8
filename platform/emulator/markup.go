package emulator

import (
	"regexp"
	"strings"
)

// writeProse writes a text that a person wrote; the platform may show it as a page does.
func (e *encoder) writeProse(k, s string) {
	if !e.dialect.Markup {
		e.writeWords(k, s)
		return
	}
	e.key(k)
	e.string(markedUp(s, !e.dialect.RawText), false)
}

// linked are what gets a link around it: addresses, names and tags.
var linked = regexp.MustCompile(`https?://[^\s<>"']*[^\s<>"'.,!?)]|[@#]\w+`)

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;")

// markedUp returns a text with the markup of a page.
func markedUp(s string, escape bool) string {
	escaped := func(s string) string {
		if escape {
			s = escaper.Replace(s)
		}
		return s
	}
	var b strings.Builder
	for s != "" {
		at := linked.FindStringIndex(s)
		if at == nil {
			break
		}
		b.WriteString(escaped(s[:at[0]]))
		switch what := s[at[0]:at[1]]; what[0] {
		case '@':
			b.WriteString(`<a href="https://nectar.example/` + what + `" class="mention">` + what + `</a>`)
		case '#':
			b.WriteString(`<a href="https://nectar.example/search?q=%23` + what[1:] + `" class="hashtag">` + what + `</a>`)
		default:
			b.WriteString(`<a href="` + escaped(what) + `" target="_blank" rel="nofollow">` + escaped(what) + `</a>`)
		}
		s = s[at[1]:]
	}
	b.WriteString(escaped(s))
	return strings.ReplaceAll(b.String(), "\n", "<br />\n")
}
