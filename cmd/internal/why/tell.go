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

// WriteLine writes a line.
func (t *Told) WriteLine(format string, args ...any) {
	if t.Err == nil {
		_, t.Err = fmt.Fprintln(t.Out, print.LegibleText(fmt.Sprintf(format, args...)))
	}
}

// tellTurns tells about a turn, and about the one that answered its event together with others.
func (t *Told) tellTurns(turns []*whyTurn) {
	t.happened(turns[0])
	turn := turns[0]
	if len(turns) > 1 {
		t.gathered(turn, turns[1])
		turn = turns[1]
	}
	t.WriteLine("%s", endedText(turn))
	t.led(turns[0], turn)
	t.differs(turn)
	t.TellActions(turn)
	t.TellRead(turn)
	if turn.ok {
		t.tellEffects(turn)
		t.tried(turn)
		t.tellConversation(turn)
		t.limits(turn)
	}
	t.rules(turn)
}

// happened says what started a turn.
func (t *Told) happened(turn *whyTurn) {
	in := ""
	if t.Many {
		in = ", account " + string(accountOf(&turn.Recorded))
	}
	if e := turn.Event; e != nil {
		name := print.PersonName(e.User, int64(e.Peer))
		if e.Name != "" {
			name += " (" + print.PlainText(e.Name, 40) + ")"
		}
		t.WriteLine("%s: %s, from %s, seen %s%s", e.ID, view.HappenedText(e, 0), name, print.TimeText(e.SeenAt), in)
		return
	}
	if x := turn.Turn.Timer; x != nil {
		t.WriteLine("%s: a timer that is due %s, with %s%s", print.PlainText(turn.Turn.ID, 0), print.TimeText(x.Due), print.PersonName(x.User, int64(x.Key.Peer)), in)
		return
	}
	with := fmt.Sprintf("with %d", turn.Turn.Peer)
	if turn.Turn.Peer == 0 {
		with = "of the account itself"
	}
	came := words.CameDue(turn.Turn.ID)
	if told, ok := view.ToldOf(turn.Facts); ok {
		came = "somebody asked for " + view.AsksFor(&told, 200)
	}
	t.WriteLine("%s: %s%s, %s, %s%s", print.PlainText(turn.Turn.ID, 0), came, view.ByText(turn.Turn.Record.By), print.TimeText(turn.Turn.HandledAt), with, in)
	if turn.ok && turn.explained.Burst() != nil {
		t.WriteLine("it answers %s: %s", inWords(turn.explained.Burst()), print.QuotePlain(turn.explained.Said, 0))
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
func (t *Told) gathered(turn, burst *whyTurn) {
	t.WriteLine("it waited for what else was written, until %s: %s", print.TimeText(burst.Turn.HandledAt), burst.Turn.ID)
	if !burst.ok {
		return
	}
	others := slices.DeleteFunc(slices.Clone(burst.explained.Burst()), func(id event.ID) bool { return id == turn.Event.ID })
	if len(others) > 0 {
		t.WriteLine("together with %s: %s", inWords(others), print.QuotePlain(burst.explained.Said, 0))
	}
}

// led says which text of a burst led to which rule, and what of it was held back, when something was said.
func (t *Told) led(asked, turn *whyTurn) {
	if !turn.ok {
		return
	}
	d := &turn.explained.Decision
	for _, l := range d.Led {
		mark := " "
		if asked.Event != nil && l.Event == asked.Event.ID {
			mark = "→"
		}
		t.WriteLine("%s %s led to %s", mark, l.Event, print.PlainText(l.Rule, 0))
	}
	if said := ruledecision.Outcome(turn.decisionRecord().Outcome); said == ruledecision.Answered || said == ruledecision.Prepared {
		for _, h := range d.Held {
			t.WriteLine("  %s", print.PlainText(h, 0))
		}
	}
}

// differs says honestly when the second decision is another one than the first.
func (t *Told) differs(turn *whyTurn) {
	switch {
	case turn.why != "":
		t.WriteLine("\nWhich rules were tried cannot be told: %s.", print.PlainText(turn.why, 0))
	case !turn.ok && turn.decisionRecord().Version != "":
		t.WriteLine("\nWhich rules were tried cannot be told: what the decision depended on is not kept any more.")
	case !turn.ok || len(turn.explained.Differs) == 0:
	case turn.explained.Masked:
		t.WriteLine("\nDecided again, it ends otherwise, since the text is private and was not kept. What follows may not be what")
		t.WriteLine("happened:")
		t.writeList(turn.explained.Differs)
	default:
		t.WriteLine("\nDecided again, it ends otherwise. That should not be: please report it. What follows may not be what happened:")
		t.writeList(turn.explained.Differs)
	}
}

func (t *Told) writeList(lines []string) {
	for _, l := range lines {
		t.WriteLine("  %s", print.PlainText(l, 0))
	}
}

// WriteSection begins a part of what is told.
func (t *Told) WriteSection(title string) { t.WriteLine("\n%s", title) }

// tried lists the rules that were tried.
func (t *Told) tried(turn *whyTurn) {
	tried := turn.explained.Decision.Tried
	if len(tried) == 0 {
		return
	}
	t.WriteSection("rules, in the order in which they are tried")
	wide, place, rest := 0, 0, 0
	if !t.All {
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
		t.WriteLine("%s %-*s  %-*s  %s: %s", mark, wide, r.Rule, place, standsAt(r.File, r.Line), matchedText(r), because(r))
	}
	switch {
	case rest > 0 && len(tried) == 0:
		t.WriteLine("  none of %s came near; --all shows them", print.CountText(rest, "rule", "rules"))
	case rest > 0:
		t.WriteLine("  %s did not come near; --all shows them", print.CountText(rest, "other", "others"))
	}
}

func standsAt(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// matchedWord says that a rule matched.
const matchedWord = "matched"

// matchedText says what came of a rule.
func matchedText(r *ruledecision.Tried) string {
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
	return print.PlainText(why, 0)
}

// limits lists the uses of limits.
func (t *Told) limits(turn *whyTurn) {
	if len(turn.explained.Limits) == 0 {
		return
	}
	t.WriteSection("limits")
	for i := range turn.explained.Limits {
		u := &turn.explained.Limits[i]
		count := "one more use of"
		if u.Known {
			count = fmt.Sprintf("use %d of", u.Before+1)
		}
		later := ""
		if u.Later {
			later = ", counted when a person approves it"
		}
		t.WriteLine("  %s: %s %s%s", print.PlainText(u.Name(), 0), count, words.LimitOf(u.LimitUse), later)
	}
}

// rules says by which files it was decided.
func (t *Told) rules(turn *whyTurn) {
	hash := turn.decisionRecord().Version
	switch {
	case hash == "":
	case turn.loaded.IsZero():
		t.WriteLine("\nrules: version %s", hash)
	case turn.loaded.After(HandledAt(&turn.Recorded)): // at a start since, or when files were changed back
		t.WriteLine("\nrules: version %s, loaded before that, and again %s", hash, print.TimeText(turn.loaded))
	default:
		t.WriteLine("\nrules: version %s, loaded %s", hash, print.TimeText(turn.loaded))
	}
}
