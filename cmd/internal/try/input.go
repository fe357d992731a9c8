package try

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// inputLine is a line that is being typed, and those that were typed before.
type inputLine struct {
	text    []rune
	at      int // where the next character goes
	typed   []string
	restore int    // which one of typed is shown; len(typed) is the new line
	pending string // the new line, while another one is shown
}

// Value returns what was typed.
func (l *inputLine) Value() string { return string(l.text) }

// takeLine takes the line, and begins a new one.
func (l *inputLine) takeLine() string {
	line := l.Value()
	if line != "" && (len(l.typed) == 0 || l.typed[len(l.typed)-1] != line) {
		l.typed = append(l.typed, line)
	}
	l.restore = len(l.typed)
	l.set("")
	return line
}

func (l *inputLine) set(line string) {
	l.text = []rune(line)
	l.at = len(l.text)
}

// insert puts what was typed or pasted where the cursor is.
func (l *inputLine) insert(typed string) {
	added := []rune(print.OneLine(typed))
	l.text = slices.Insert(l.text, l.at, added...)
	l.at += len(added)
}

// back shows a line that was typed before, forth a later one.
func (l *inputLine) back(by int) {
	to := l.restore + by
	if to < 0 || to > len(l.typed) {
		return
	}
	if l.restore == len(l.typed) {
		l.pending = l.Value()
	}
	if l.restore = to; to == len(l.typed) {
		l.set(l.pending)
		return
	}
	l.set(l.typed[to])
}

// key does what a key says. It reports whether the key is one of a line.
func (l *inputLine) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		l.at = max(0, l.at-1)
	case "right", "ctrl+f":
		l.at = min(len(l.text), l.at+1)
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "ctrl+left", "alt+left", "alt+b":
		l.at = l.wordStart()
	case "ctrl+right", "alt+right", "alt+f":
		l.at = l.wordEnd()
	case "up", "ctrl+p":
		l.back(-1)
	case "down", "ctrl+n":
		l.back(+1)
	case "backspace", "ctrl+h":
		l.remove(max(0, l.at-1), l.at)
	case "delete":
		l.remove(l.at, min(len(l.text), l.at+1))
	case "ctrl+w", "alt+backspace":
		l.remove(l.wordStart(), l.at)
	case "ctrl+u":
		l.remove(0, l.at)
	case "ctrl+k":
		l.remove(l.at, len(l.text))
	default:
		l.insert(k.Text)
		return k.Text != ""
	}
	return true
}

func (l *inputLine) remove(from, to int) {
	l.text = slices.Delete(l.text, from, to)
	l.at = from
}

// wordStart returns where the word in front of the cursor begins.
func (l *inputLine) wordStart() int {
	i := l.at
	for i > 0 && unicode.IsSpace(l.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(l.text[i-1]) {
		i--
	}
	return i
}

// wordEnd returns where the word behind the cursor ends.
func (l *inputLine) wordEnd() int {
	i := l.at
	for i < len(l.text) && unicode.IsSpace(l.text[i]) {
		i++
	}
	for i < len(l.text) && !unicode.IsSpace(l.text[i]) {
		i++
	}
	return i
}

// VisiblePart returns the part of the line around the cursor that fits into a width, and the column of the
// cursor in it.
func (l *inputLine) VisiblePart(width int) (shown string, cursor int) {
	if width < 2 {
		return "", 0
	}
	from := 0
	for lipgloss.Width(string(l.text[from:l.at])) >= width {
		from++
	}
	var b strings.Builder
	used := 0
	for _, ch := range l.text[from:] {
		if used += lipgloss.Width(string(ch)); used > width {
			break
		}
		b.WriteRune(ch)
	}
	return b.String(), lipgloss.Width(string(l.text[from:l.at]))
}
