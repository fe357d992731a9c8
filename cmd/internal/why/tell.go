package why

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// Told tells people why.
type Told struct {
	Out  io.Writer
	Many bool // there are several accounts
	All  bool // rules that did not match are shown, too, when they did not come near
	Err  error
}

// Line writes a line.
func (w *Told) Line(format string, args ...any) {
	if w.Err == nil {
		_, w.Err = fmt.Fprintln(w.Out, print.Legible(fmt.Sprintf(format, args...)))
	}
}

// tell tells about a turn, and about the one that answered its event together with others.
func (w *Told) tell(turns []*whyTurn) {
	w.happened(turns[0])
	t := turns[0]
	if len(turns) > 1 {
		w.gathered(t, turns[1])
		t = turns[1]
	}
	w.Line("%s", ended(t))
	w.led(turns[0], t)
	w.differs(t)
	w.Actions(t)
	w.Read(t)
	if t.ok {
		w.books(t)
		w.tried(t)
		w.conversation(t)
		w.limits(t)
	}
	w.rules(t)
}

// happened says what started a turn.
func (w *Told) happened(t *whyTurn) {
	in := ""
	if w.Many {
		in = ", account " + string(accountOf(&t.Recorded))
	}
	if e := t.Event; e != nil {
		name := print.Who(e.User, int64(e.Peer))
		if e.Name != "" {
			name += " (" + print.Plain(e.Name, 40) + ")"
		}
		w.Line("%s: %s, from %s, seen %s%s", e.ID, view.Happened(e, 0), name, print.When(e.SeenAt), in)
		return
	}
	if x := t.Turn.Timer; x != nil {
		w.Line("%s: a timer that is due %s, with %s%s", print.Plain(t.Turn.ID, 0), print.When(x.Due), print.Who(x.User, int64(x.Key.Peer)), in)
		return
	}
	with := fmt.Sprintf("with %d", t.Turn.Peer)
	if t.Turn.Peer == 0 {
		with = "of the account itself"
	}
	came := words.CameDue(t.Turn.ID)
	if told, ok := view.ToldOf(t.Facts); ok {
		came = "somebody asked for " + view.AsksFor(&told, 200)
	}
	w.Line("%s: %s%s, %s, %s%s", print.Plain(t.Turn.ID, 0), came, view.By(t.Turn.Record.By), print.When(t.Turn.HandledAt), with, in)
	if t.ok && t.explained.Burst() != nil {
		w.Line("it answers %s: %s", inWords(t.explained.Burst()), print.Quoted(t.explained.Said, 0))
	}
}

func inWords(ids []event.ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = id.String()
	}
	return strings.Join(words, ", ")
}

// gathered says with what a message was answered.
func (w *Told) gathered(t, burst *whyTurn) {
	w.Line("it waited for what else was written, until %s: %s", print.When(burst.Turn.HandledAt), burst.Turn.ID)
	if !burst.ok {
		return
	}
	others := slices.DeleteFunc(slices.Clone(burst.explained.Burst()), func(id event.ID) bool { return id == t.Event.ID })
	if len(others) > 0 {
		w.Line("together with %s: %s", inWords(others), print.Quoted(burst.explained.Said, 0))
	}
}

// led says which text of a burst led to which rule, and what of it was held back, when something was said.
func (w *Told) led(asked, t *whyTurn) {
	if !t.ok {
		return
	}
	d := &t.explained.Decision
	for _, l := range d.Led {
		mark := " "
		if asked.Event != nil && l.Event == asked.Event.ID {
			mark = "→"
		}
		w.Line("%s %s led to %s", mark, l.Event, print.Plain(l.Rule, 0))
	}
	if said := ruledecision.Outcome(t.record().Outcome); said == ruledecision.Answered || said == ruledecision.Prepared {
		for _, h := range d.Held {
			w.Line("  %s", print.Plain(h, 0))
		}
	}
}

// differs says honestly when the second decision is another one than the first.
func (w *Told) differs(t *whyTurn) {
	switch {
	case t.why != "":
		w.Line("\nWhich rules were tried cannot be told: %s.", print.Plain(t.why, 0))
	case !t.ok && t.record().Version != "":
		w.Line("\nWhich rules were tried cannot be told: what the decision depended on is not kept any more.")
	case !t.ok || len(t.explained.Differs) == 0:
	case t.explained.Masked:
		w.Line("\nDecided again, it ends otherwise, since the text is private and was not kept. What follows may not be what")
		w.Line("happened:")
		w.list(t.explained.Differs)
	default:
		w.Line("\nDecided again, it ends otherwise. That should not be: please report it. What follows may not be what happened:")
		w.list(t.explained.Differs)
	}
}

func (w *Told) list(lines []string) {
	for _, l := range lines {
		w.Line("  %s", print.Plain(l, 0))
	}
}

// Section begins a part of what is told.
func (w *Told) Section(title string) { w.Line("\n%s", title) }

// tried lists the rules that were tried.
func (w *Told) tried(t *whyTurn) {
	tried := t.explained.Decision.Tried
	if len(tried) == 0 {
		return
	}
	w.Section("rules, in the order in which they are tried")
	wide, place, rest := 0, 0, 0
	if !w.All {
		all := len(tried)
		tried = slices.DeleteFunc(slices.Clone(tried), func(r ruledecision.Tried) bool { return !r.Matched && !r.Near })
		rest = all - len(tried)
	}
	for i := range tried {
		wide, place = max(wide, len(tried[i].Rule)), max(place, len(standsAt(tried[i].File, tried[i].Line)))
	}
	for i := range tried {
		r := &tried[i]
		mark := " "
		if r.Won || inStep(r) {
			mark = "→"
		}
		w.Line("%s %-*s  %-*s  %s: %s", mark, wide, r.Rule, place, standsAt(r.File, r.Line), matched(r), because(r))
	}
	switch {
	case rest > 0 && len(tried) == 0:
		w.Line("  none of %s came near; --all shows them", print.Several(rest, "rule", "rules"))
	case rest > 0:
		w.Line("  %s did not come near; --all shows them", print.Several(rest, "other", "others"))
	}
}

func standsAt(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// matchedWord says that a rule matched.
const matchedWord = "matched"

// matched says what came of a rule.
func matched(r *ruledecision.Tried) string {
	if !r.Matched {
		return "did not match"
	}
	return cmp.Or(string(r.End), matchedWord)
}

// inStep reports whether it is not a rule that was tried, but a step of a conversation.
func inStep(r *ruledecision.Tried) bool { return r.End == ruledecision.TriedStep }

// because says why it came so with a rule.
func because(r *ruledecision.Tried) string {
	why := cmp.Or(r.Found, r.Why)
	if r.Held != "" {
		why += "; " + r.Held
	}
	return print.Plain(why, 0)
}

// limits lists the uses of limits.
func (w *Told) limits(t *whyTurn) {
	if len(t.explained.Limits) == 0 {
		return
	}
	w.Section("limits")
	for i := range t.explained.Limits {
		u := &t.explained.Limits[i]
		count := "one more use of"
		if u.Known {
			count = fmt.Sprintf("use %d of", u.Before+1)
		}
		later := ""
		if u.Later {
			later = ", counted when a person approves it"
		}
		w.Line("  %s: %s %s%s", print.Plain(u.Name(), 0), count, words.LimitOf(u.LimitUse), later)
	}
}

// rules says by which files it was decided.
func (w *Told) rules(t *whyTurn) {
	hash := t.record().Version
	switch {
	case hash == "":
	case t.loaded.IsZero():
		w.Line("\nrules: version %s", hash)
	case t.loaded.After(Handled(&t.Recorded)): // at a start since, or when files were changed back
		w.Line("\nrules: version %s, loaded before that, and again %s", hash, print.When(t.loaded))
	default:
		w.Line("\nrules: version %s, loaded %s", hash, print.When(t.loaded))
	}
}
