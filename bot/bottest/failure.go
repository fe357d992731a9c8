package bottest

import (
	"fmt"
	"slices"
	"strings"
)

// must ends the test unless something could be done.
func (w *World) must(ok bool, format string, args ...any) {
	w.t.Helper()
	if !ok {
		w.fail(format+": the platform refused, or nothing changed", args...)
	}
}

// fail ends the test. It shows what led to the failure.
func (w *World) fail(format string, args ...any) {
	w.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, format, args...)
	for _, a := range w.accounts {
		section(&b, "what happened with "+string(a.name), a.transcriptText(false))
		section(&b, "what "+string(a.name)+" decided", a.decisionsText())
	}
	section(&b, "the end of the bot's log", lastLines(w.book.loggedText(), 20))
	w.t.Fatal(b.String())
}

func section(b *strings.Builder, title, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(b, "\n\n%s:\n    %s", title, strings.ReplaceAll(text, "\n", "\n    "))
	}
}

// decisionsText returns what the account decided about the people of the test, one line each.
func (a *Account) decisionsText() string {
	var names []string
	for name := range a.people {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		for _, t := range a.w.book.decisionsOf(a.people[name].key()) {
			fmt.Fprintf(&b, "%s: %s\n", name, t)
		}
	}
	return b.String()
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
