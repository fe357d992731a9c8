package print

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
)

// OwnName is what stands for the account's own conversation, which is with nobody.
const OwnName = "account"

// ExcerptOf returns the first n characters of a text, without the space around it.
func ExcerptOf(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// MostName is how long the name of who decides may be, in columns.
const MostName = 40

// JoinNames joins names as people do.
func JoinNames(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

const (
	replayWide   = 100 // where there is no terminal
	ReplayNarrow = 40  // at least
)

// WidthOf returns how many columns a stream shows.
func WidthOf(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(f.Fd()); err == nil {
			return max(width, ReplayNarrow)
		}
	}
	return replayWide
}

// CountText says how many there are, with the word for one or for many.
func CountText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// ColourText returns the text in a colour, where colours are on.
func ColourText(text, colour string, on bool) string {
	if !on || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// JoinTwo joins what there is of two texts.
func JoinTwo(one, two string) string {
	if one != "" && two != "" {
		return one + "; " + two
	}
	return one + two
}

// PrefixText puts what in front of a text, where there is one.
func PrefixText(what, text string) string {
	if text == "" {
		return ""
	}
	return what + text
}
