package outbox

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/bot/internal/blank"
)

// markup is what some deployments put around links, hashtags and names, and instead of ends of lines.
var markup = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)

// sameText reports whether the platform may show sent as shown: it trims texts, may fold white space,
// may escape markup, once or twice, or add some, and keeps no broken characters.
func sameText(sent, shown string) bool {
	if sent == shown {
		return true
	}
	sent, shown = fold(sent), fold(shown) //mutate:fold
	return sent == shown || (strings.IndexByte(sent, '<') >= 0 || strings.IndexByte(shown, '<') >= 0) && bare(sent) == bare(shown)
}

// SameText reports whether the platform may show a text that was sent as shown.
func SameText(sent, shown string) bool { return sameText(sent, shown) }

// isAlike reports whether shown may be what became of sent: half of the words of the shorter one are in the
// other.
func isAlike(sent, shown string) bool {
	a, b := words(sent), words(shown)
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	return common > 0 && 2*common >= len(a)
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(markup.ReplaceAllString(fold(text), " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// bare returns text without markup and without spaces, which it may stand for.
func bare(text string) string {
	return strings.ReplaceAll(markup.ReplaceAllString(text, ""), " ", "")
}

func fold(text string) string {
	if strings.IndexByte(text, '&') >= 0 {
		text = html.UnescapeString(html.UnescapeString(text))
	}
	return blank.FoldSpace(text)
}
