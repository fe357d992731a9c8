package replay

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// Widths of what is shown side by side.
const (
	replayBar = " │ "
)

// ForPeople prints the changes side by side, and what it comes to.
func (p *Replayed) ForPeople(out io.Writer, many bool) error {
	var b strings.Builder
	width, colours := print.WidthOf(out), print.IsTerminal(out)
	shown := p.ShownChanges()
	for i := range shown {
		shown[i].print(&b, width, many, colours)
	}
	if more := p.Count.Changes() - len(shown); more > 0 {
		fmt.Fprintf(&b, "and %d more; --limit shows more\n\n", more)
	}
	p.summary(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// changeColours are the colours of changes.
var changeColours = map[replay.Change]string{replay.Gone: "31", replay.Changed: "33", replay.New: "32"}

// print prints an exchange.
func (x *ReplayedExchange) print(b *strings.Builder, width int, many, colours bool) {
	name := print.PersonName(x.User, int64(x.Peer))
	if many {
		name += " of " + string(x.Account)
	}
	fmt.Fprintf(b, "%s  %s, %s\n", print.ColourText(fmt.Sprintf("%-7s", x.Change), changeColours[x.Change], colours), name, print.TimeText(x.At))
	for i := range x.Events {
		for _, line := range print.WrapText(x.Events[i].ID.String()+" "+eventText(&x.Events[i]), width-2) {
			b.WriteString("  " + line + "\n")
		}
	}
	if len(x.Events) == 0 {
		b.WriteString("  since nobody answered\n")
	}
	side := (width - 2 - runewidth.StringWidth(replayBar)) / 2
	inColumns(b, side, print.WrapText("was: "+decidedWhy(x.Then, x.RuleThen, x.ReasonThen), side),
		print.WrapText("now: "+decidedWhy(x.Now, x.RuleNow, x.ReasonNow), side))
	for i := range max(len(x.Then), len(x.Now)) {
		then, now := sides(x.Then, x.Now, i)
		inColumns(b, side, print.WrapText(then, side), print.WrapText(now, side))
	}
	b.WriteByte('\n')
}

// decidedWhy says who decided, or why nothing was done.
func decidedWhy(said []replay.Said, rule, reason string) string {
	if len(said) == 0 {
		return "nothing" + print.PrefixText(": ", print.PlainText(reason, 0))
	}
	return cmp.Or(rule, "no answer, only this")
}

// eventText says what an event is.
func eventText(e *event.Event) string {
	if text := print.PlainText(e.Text, 0); text != "" {
		return string(e.Kind) + " " + `"` + text + `"`
	}
	return string(e.Kind)
}

// sides returns what stands on both sides of a line, with marks at what differs.
func sides(then, now []replay.Said, i int) (left, right string) {
	switch {
	case i >= len(then):
		return "", deedOf(&now[i], print.PlainText(now[i].Text, 0))
	case i >= len(now):
		return deedOf(&then[i], print.PlainText(then[i].Text, 0)), ""
	}
	a, b := &then[i], &now[i]
	was, is := print.PlainText(a.Text, 0), print.PlainText(b.Text, 0)
	if a.Verb == b.Verb && !a.Private && !b.Private {
		was, is = print.MarkedWords(was, is)
	}
	return deedOf(a, was), deedOf(b, is)
}

// deedOf says what was decided, with a text in place of its own.
func deedOf(s *replay.Said, text string) string {
	what := string(s.Verb)
	if s.Verb == event.VerbPost {
		what = "reply"
	}
	if s.Post != 0 {
		what += fmt.Sprintf(" to post %d", s.Post)
	}
	if s.Private {
		text = words.Private
	}
	what = strings.TrimSpace(what + ": " + text)
	if s.Watch {
		what += " (on watch)"
	}
	return strings.TrimSuffix(what, ":")
}

// inColumns prints two columns.
func inColumns(b *strings.Builder, side int, left, right []string) {
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		b.WriteString(strings.TrimRight("  "+l+strings.Repeat(" ", max(0, side-print.TextWidth(l)))+replayBar+r, " ") + "\n")
	}
}

// summary prints what it comes to.
func (p *Replayed) summary(b *strings.Builder) {
	c := &p.Count
	fmt.Fprintf(b, "%s of %s: %d the same (%d of them silent), %d changed, %d new, %d gone\n",
		print.CountText(c.Events, "event", "events"), print.CountText(c.People, "person", "people"), c.Same, c.Silent, c.Changed, c.New, c.Gone)
	for _, l := range []struct {
		n    int
		text string
	}{
		{c.Private, "private, not compared"},
		{c.Awake, "of the same were on watch, and would be done now"},
		{c.Asleep, "of the same were done, and would be on watch now"},
		{c.Edited, map[bool]string{true: "of the same was said in other words by the person who approved it", false: "of the same were said in other words by the person who approved them"}[c.Edited == 1]},
		{c.Owned, "left out: a person had the conversation"},
		{c.Others, "left out: the program handled them, or nobody"},
		{c.Begun, "left out: the recording has only a part of what they belong to"},
		{c.Unread, "facts were not recorded, and count as not so"},
		{c.Failed, "could not be decided by these files"},
	} {
		if l.n > 0 {
			fmt.Fprintf(b, "%d %s\n", l.n, l.text)
		}
	}
}
