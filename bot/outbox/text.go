package outbox

import (
	"html"
	"strings"
)

// sameText tells whether the platform may show sent as shown: it trims texts, may fold white space,
// may escape markup, once or twice, and keeps no broken characters.
func sameText(sent, shown string) bool { return sent == shown || fold(sent) == fold(shown) }

func fold(text string) string {
	if strings.IndexByte(text, '&') >= 0 {
		text = html.UnescapeString(html.UnescapeString(text))
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}
