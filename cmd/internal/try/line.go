package try

import (
	"strings"
	"time"
)

// Line is an entry of the transcript. Its text may have several lines, and holds no control characters.
type Line struct {
	kind tryKind
	at   time.Time // of what is said or comes due, in the zone of the rules; else zero
	who  string    // who says it: "@ana", "bot"
	text string
}

// tryKind says what a line of the transcript is.
type tryKind uint8

const (
	tryThey    tryKind = iota // somebody says or does something
	tryBot                    // the bot does
	tryAside                  // something that the person does not see
	tryExplain                // why
	tryTrouble                // something is wrong
	tryTime                   // time passes
)

const (
	tryClock  = "Mon 15:04"
	tryMargin = "           " // below what is said
)

// margin is what stands in front of the lines of a kind.
func (k tryKind) margin() string {
	switch k {
	case tryAside:
		return tryMargin + "· "
	case tryExplain:
		return tryMargin + "    "
	case tryTrouble:
		return tryMargin + "! "
	case tryThey, tryBot, tryTime:
	}
	return ""
}

// leadTexts returns what stands in front of the first line, and of the others.
func (l *Line) leadTexts() (first, others string) {
	if l.who == "" {
		first, others = l.kind.margin(), strings.Repeat(" ", len([]rune(l.kind.margin())))
		if !l.at.IsZero() {
			first = l.at.Format(tryClock) + "  " + strings.TrimPrefix(first, tryMargin)
		}
		return first, others
	}
	return l.at.Format(tryClock) + "  " + l.who + ": ", tryMargin + "  "
}

// String returns the line as plain text.
func (l *Line) String() string {
	first, others := l.leadTexts()
	return first + strings.ReplaceAll(l.text, "\n", "\n"+others)
}
