package cmd

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// whyTold tells people why.
type whyTold struct {
	out  io.Writer
	many bool // there are several accounts
	err  error
}

func (w *whyTold) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintln(w.out, legible(fmt.Sprintf(format, args...)))
	}
}

// tell tells about a turn, and about the one that answered its event together with others.
func (w *whyTold) tell(turns []*whyTurn) {
	w.happened(turns[0])
	t := turns[0]
	if len(turns) > 1 {
		w.gathered(t, turns[1])
		t = turns[1]
	}
	w.line("%s", ended(t))
	w.led(turns[0], t)
	w.differs(t)
	w.actions(t)
	w.read(t)
	if t.ok {
		w.books(t)
		w.tried(t)
		w.conversation(t)
		w.limits(t)
	}
	w.rules(t)
}

// happened says what started a turn.
func (w *whyTold) happened(t *whyTurn) {
	in := ""
	if w.many {
		in = ", account " + string(accountOf(&t.Recorded))
	}
	if e := t.Event; e != nil {
		name := who(e.User, int64(e.Peer))
		if e.Name != "" {
			name += " (" + plain(e.Name, 40) + ")"
		}
		w.line("%s: %s, from %s, seen %s%s", e.ID, happened(e, 0), name, when(e.SeenAt), in)
		return
	}
	if x := t.Turn.Timer; x != nil {
		w.line("%s: a timer that is due %s, with %s%s", plain(t.Turn.ID, 0), when(x.Due), who(x.User, int64(x.Key.Peer)), in)
		return
	}
	with := fmt.Sprintf("with %d", t.Turn.Peer)
	if t.Turn.Peer == 0 {
		with = "of the account itself"
	}
	came := cameDue(t.Turn.ID)
	if told, ok := toldOf(t.Facts); ok {
		came = "somebody asked for " + asksFor(&told, 200)
	}
	w.line("%s: %s%s, %s, %s%s", plain(t.Turn.ID, 0), came, by(t.Turn.Trace.By), when(t.Turn.HandledAt), with, in)
	if t.ok && t.explained.Burst() != nil {
		w.line("it answers %s: %s", inWords(t.explained.Burst()), quoted(t.explained.Said, 0))
	}
}

// looksAtAnswer is the id of a turn that looks whether an answer came about.
var looksAtAnswer = regexp.MustCompile(`/rules/waiting/[^/]+/answer/\d+$`)

// cameDue says what a turn is that no event started.
func cameDue(id string) string {
	switch {
	case strings.HasPrefix(id, "decision:takeover/"):
		return "a person of ours wrote"
	case strings.HasPrefix(id, "nudge:"):
		return "the program itself began it"
	case strings.HasPrefix(id, "decision:"):
		return "a decision"
	case strings.Contains(id, "/nectar/expires/"):
		return "nobody had approved it in time"
	case strings.Contains(id, "/rules/burst/"):
		return "time to answer what was written in a row"
	case strings.Contains(id, "/rules/silence/"):
		return "the person had not answered for a while"
	case looksAtAnswer.MatchString(id):
		return "time to look whether an answer came about"
	case strings.Contains(id, "/rules/waiting/"):
		return "nobody had answered the person for a while"
	case strings.Contains(id, "/owned/rules/nobody/"):
		return "nobody of the team had answered for a while"
	default:
		return "a timer came due"
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
func (w *whyTold) gathered(t, burst *whyTurn) {
	w.line("it waited for what else was written, until %s: %s", when(burst.Turn.HandledAt), burst.Turn.ID)
	if !burst.ok {
		return
	}
	others := slices.DeleteFunc(slices.Clone(burst.explained.Burst()), func(id event.ID) bool { return id == t.Event.ID })
	if len(others) > 0 {
		w.line("together with %s: %s", inWords(others), quoted(burst.explained.Said, 0))
	}
}

// led says which text of a burst led to which rule, and what of it was held back, when something was said.
func (w *whyTold) led(asked, t *whyTurn) {
	if !t.ok {
		return
	}
	d := &t.explained.Decision
	for _, l := range d.Led {
		mark := " "
		if asked.Event != nil && l.Event == asked.Event.ID {
			mark = "→"
		}
		w.line("%s %s led to %s", mark, l.Event, plain(l.Rule, 0))
	}
	if said := rules.Outcome(t.trace().Outcome); said == rules.Answered || said == rules.Prepared {
		for _, h := range d.Held {
			w.line("  %s", plain(h, 0))
		}
	}
}

// differs says honestly when the second decision is another one than the first.
func (w *whyTold) differs(t *whyTurn) {
	switch {
	case t.why != "":
		w.line("\nWhich rules were tried cannot be told: %s.", plain(t.why, 0))
	case !t.ok && t.trace().Version != "":
		w.line("\nWhich rules were tried cannot be told: what the decision depended on is not kept any more.")
	case !t.ok || len(t.explained.Differs) == 0:
	case t.explained.Masked:
		w.line("\nDecided again, it ends otherwise, since the text is private and was not kept. What follows may not be what")
		w.line("happened:")
		w.list(t.explained.Differs)
	default:
		w.line("\nDecided again, it ends otherwise. That should not be: please report it. What follows may not be what happened:")
		w.list(t.explained.Differs)
	}
}

func (w *whyTold) list(lines []string) {
	for _, l := range lines {
		w.line("  %s", plain(l, 0))
	}
}

// section begins a part of what is told.
func (w *whyTold) section(title string) { w.line("\n%s", title) }

// tried lists the rules that were tried.
func (w *whyTold) tried(t *whyTurn) {
	tried := t.explained.Decision.Tried
	if len(tried) == 0 {
		return
	}
	w.section("rules, in the order in which they are tried")
	wide, place := 0, 0
	for i := range tried {
		wide, place = max(wide, len(tried[i].Rule)), max(place, len(standsAt(tried[i].File, tried[i].Line)))
	}
	for i := range tried {
		r := &tried[i]
		mark := " "
		if r.Won || inStep(r) {
			mark = "→"
		}
		w.line("%s %-*s  %-*s  %s: %s", mark, wide, r.Rule, place, standsAt(r.File, r.Line), matched(r), because(r))
	}
}

func standsAt(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// matchedWord says that a rule matched.
const matchedWord = "matched"

// matched says what came of a rule.
func matched(r *rules.Tried) string {
	switch {
	case !r.Matched:
		return "did not match"
	case inStep(r):
		return "asked"
	case strings.Contains(r.Why, heldBack):
		return "held back"
	case strings.HasSuffix(r.Why, " answers already"):
		return "too late"
	case strings.HasSuffix(r.Why, "it is on watch, and does nothing"):
		return "on watch"
	default:
		return matchedWord
	}
}

// inStep tells whether it is not a rule that was tried, but a step of a conversation.
func inStep(r *rules.Tried) bool {
	return strings.HasPrefix(r.Why, "step ") || strings.HasPrefix(r.Why, "at any step")
}

// heldBack stands between why a rule matched and what holds it back.
const heldBack = "), and is held back: "

// because says why it came so with a rule.
func because(r *rules.Tried) string {
	why := r.Why
	if before, held, ok := strings.Cut(why, heldBack); ok {
		why = strings.TrimPrefix(before, "it matched (") + "; " + held
	}
	return plain(strings.TrimSuffix(why, "; it is on watch, and does nothing"), 0)
}

// limits lists the uses of limits.
func (w *whyTold) limits(t *whyTurn) {
	if len(t.explained.Limits) == 0 {
		return
	}
	w.section("limits")
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
		w.line("  %s: %s %s%s", plain(u.Name(), 0), count, limitOf(u.Claim), later)
	}
}

// rules says by which files it was decided.
func (w *whyTold) rules(t *whyTurn) {
	hash := t.trace().Version
	switch {
	case hash == "":
	case t.loaded.IsZero():
		w.line("\nrules: version %s", hash)
	case t.loaded.After(handled(&t.Recorded)): // at a start since, or when files were changed back
		w.line("\nrules: version %s, loaded before that, and again %s", hash, when(t.loaded))
	default:
		w.line("\nrules: version %s, loaded %s", hash, when(t.loaded))
	}
}
