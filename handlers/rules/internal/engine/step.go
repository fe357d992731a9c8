package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// enterStep does what a step does when the conversation comes to it.
func (s *Step) enterStep(_ context.Context, d *decider, p *decision.Progress) error {
	p.Wrong, p.Question, p.Took = 0, "", nil
	say := func() time.Time { return d.sayText(s.Say, s.ID+"/say", p, toMessage) }
	if s.Say != nil && s.End != "" {
		d.sayWithNote(p, say)
	} else if s.Say != nil {
		say()
	}
	for i := range s.Then {
		d.doAct(&s.Then[i], p) //nolint:contextcheck // deciding reads nothing, and waits for nothing
	}
	if s.Handoff != nil {
		d.handOff(s.Handoff, p)
	}
	if s.Ask != nil && !s.takeAnswered(d, p) {
		s.ask(d, p)
	}
	return d.err
}

// ask asks the step's question, and waits for the answer.
func (s *Step) ask(d *decider, p *decision.Progress) {
	s.wants(d, p, s.Ask, s.ID+"/ask")
}

// wants says something that wants an answer.
func (s *Step) wants(d *decider, p *decision.Progress, say *grammar.Say, where string) {
	before := d.put
	// Only what is said here may be the question: what the turn has put before is not.
	d.put = -1
	p.Asked, p.Paused = d.sayWithNote(p, func() time.Time { return d.sayText(say, where, p, toMessage) }), false
	if p.Question = ""; d.put >= 0 && d.out.Actions[d.put].Status.Acts() { //mutate:question-kept
		p.Question = ActionKey(d.in.Trigger, d.put)
	}
	d.put = max(d.put, before)
	d.silentFrom(s.Led, p.Asked, 0)
}

// handle reads what came as the step's answer, and says where it goes on.
func (s *Step) handle(_ context.Context, d *decider, p *decision.Progress) (conversation.Signal, error) {
	switch d.mode {
	case modeAgain:
		s.ask(d, p)
		return conversation.Stay, d.err
	case modeWrong:
		return s.wrong(d, p)
	case modeAnswer:
	}
	a, ok := s.read(d)
	d.keepPrivate(s)
	if !ok {
		return conversation.Pass, nil
	}
	d.noteStep(d.at, fmt.Sprintf("step %s: it is an answer (%s)", s.ID, s.shownAnswer(a)))
	s.keepAnswer(p, a)
	return conversation.Signal(s.next(d, p, a.Choice)), nil
}

func (s *Step) shownAnswer(a decision.Answer) string {
	if a.Private {
		return decision.Masked
	}
	if a.Said != "" && a.Choice != "" {
		return fmt.Sprintf("%s, by %q", a.Text, a.Said)
	}
	return a.Text
}

// wrong tells that an answer is none, a few times, and then goes on elsewhere.
func (s *Step) wrong(d *decider, p *decision.Progress) (conversation.Signal, error) {
	p.Wrong++
	d.noteStep(d.at, fmt.Sprintf("step %s: it is no answer (%d so far)", s.ID, p.Wrong))
	if s.IfWrong != nil && s.IfWrong.ThenGoto != "" && p.Wrong > s.patienceCount() {
		return conversation.Signal(s.IfWrong.ThenGoto), nil
	}
	if s.IfWrong != nil && s.IfWrong.Say != nil {
		s.wants(d, p, s.IfWrong.Say, s.ID+"/wrong")
		return conversation.Stay, d.err
	}
	s.ask(d, p)
	return conversation.Stay, d.err
}

// keepPrivate keeps what came out of the records, when the step's answers are private.
func (d *decider) keepPrivate(s *Step) {
	if s.Private && len(d.out.Masks) == 0 {
		d.out.Masks = append(d.out.Masks, d.ids...)
	}
}

// read reads what came as an answer to the step.
func (s *Step) read(d *decider) (decision.Answer, bool) {
	a := decision.Answer{Private: s.Private}
	if s.Expect == nil {
		a.Text = d.said
		return a, d.said != ""
	}
	if s.Private && IsMasked(d.said) { // the text was not kept, and how it was read was
		name := "private:" + d.event.ID.String()
		var kept decision.Answer
		if _, ok := d.in.Facts[name]; ok && d.readFact(decision.Need{Name: name}, &kept) {
			return kept, kept.Text != ""
		}
	}
	for _, kind := range s.Expect.Kinds {
		if s.readAs(d, kind, &a) {
			if a.Text != d.said { //mutate:answer-said
				a.Said = d.said
			}
			if s.Private {
				d.keepFact("private:"+d.event.ID.String(), decision.Answer{Text: decision.Masked, Choice: a.Choice, Private: true})
			}
			return a, true
		}
	}
	if s.Private {
		d.keepFact("private:"+d.event.ID.String(), decision.Answer{Private: true})
	}
	return decision.Answer{}, false
}

// readAs reads what came as one kind of answer.
func (s *Step) readAs(d *decider, kind grammar.ExpectKind, a *decision.Answer) (ok bool) {
	l, now := d.at.Scope.Language, d.now.In(d.at.Scope.zone)
	switch kind {
	case grammar.ExpectText:
		a.Text = d.said
		return strings.TrimSpace(d.said) != ""
	case grammar.ExpectNumber:
		a.Number, ok = l.ReadNumber(d.said)
		a.Text = TrimNumber(a.Number)
		return ok && (s.Expect.Range == nil || s.Expect.Range.HoldsNumber(a.Number))
	case grammar.ExpectDate:
		var day time.Time
		day, ok = d.date()
		a.Text, a.Day = l.ShowDate(day, now), text.DayOf(day)
		return ok && s.IsOpenOn(d.at.Scope.Hours, day)
	case grammar.ExpectTime:
		var hour, minute int
		hour, minute, ok = l.Time(d.said)
		a.Text = fmt.Sprintf("%d:%02d", hour, minute)
		return ok && s.opensAt(d, text.Clock(hour*60+minute))
	case grammar.ExpectEmail:
		a.Text, ok = emailIn(d.said)
	case grammar.ExpectPhone:
		a.Text, ok = phoneIn(d.said)
	case grammar.ExpectChoices:
		return s.readChoice(d, a)
	case grammar.ExpectYesNo:
		var yes bool
		yes, ok = l.YesNo(d.said)
		a.Text, a.Choice = l.ShowYesNo(yes), map[bool]string{true: choiceYes, false: choiceNo}[yes]
	case grammar.ExpectMedia:
		a.Text = d.event.Image
		return d.event.Image != ""
	}
	return ok
}

// date reads what was said as a day, by when that was: "tomorrow" is the day after, also when it is read later. What would be another day
// if it was said as early as it may have been is none.
func (d *decider) date() (time.Time, bool) {
	// In the zone of the file, not of the machine: it is a day as the person understands it.
	l, zone := d.at.Scope.Language, d.at.Scope.zone
	last := d.event.SeenAt
	if last.IsZero() {
		last = d.now
	}
	day, ok := l.FindDate(d.said, last.In(zone))
	for _, first := range []time.Time{d.event.NotBefore, d.from} {
		if first.IsZero() {
			continue
		}
		if other, found := l.FindDate(d.said, first.In(zone)); !found || !other.Equal(day) { //mutate:said-then
			return time.Time{}, false
		}
	}
	return day, ok
}

// IsOpenOn reports whether a day is one on which we are at work, when the step wants that.
func (s *Step) IsOpenOn(hours *text.Hours, day time.Time) bool {
	return !s.Open || hours == nil || opensOn(hours, day) //mutate:open-days
}

// opensAt reports whether a time is one at which we are at work, when the step wants that: on the day that was answered last, else on any.
func (s *Step) opensAt(d *decider, at text.Clock) bool {
	h := d.at.Scope.Hours
	switch {
	case !s.Open || h == nil:
		return true
	case d.day != (text.Day{}):
		return h.OpenAt(d.day.At(at, d.at.Scope.zone))
	default:
		return slices.ContainsFunc(h.Open, func(o text.Opening) bool {
			if o.From < o.To {
				return o.From <= at && at < o.To
			}
			return o.From <= at || at < o.To // over midnight
		})
	}
}

// readChoice reads which one of the choices came; none when several did.
func (s *Step) readChoice(d *decider, a *decision.Answer) bool {
	hits := s.choices.Match(d.reading, nil)
	if len(hits) != 1 {
		return false
	}
	a.Choice = s.Expect.Choices.Keys[hits[0]]
	a.Text = a.Choice
	return true
}

// meantBy returns what an answer means.
func meantBy(a *decision.Answer) string {
	if a.Choice != "" && a.Choice != choiceYes && a.Choice != choiceNo && a.Said == "" && a.Text != decision.Masked {
		return a.Choice //mutate:choice-kept
	}
	return a.Text
}

// saidBy returns what was said.
func saidBy(a *decision.Answer) string {
	if a.Said != "" {
		return a.Said
	}
	return a.Text
}

// The choices of a question of yes or no.
const (
	choiceYes = "yes"
	choiceNo  = "no"
)

// answerFor returns the answer that a variable or a field stands for, and its text.
func answerFor(p *decision.Progress, name string) (decision.Answer, string) {
	if p == nil {
		return decision.Answer{}, ""
	}
	if of, ok := strings.CutSuffix(name, grammar.SaidSuffix); ok {
		a := p.Answers[of]
		return a, saidBy(&a) //mutate:said-private
	}
	a := p.Answers[name]
	return a, meantBy(&a)
}

// saysPrivate reports whether a text says a private answer.
func saysPrivate(p *decision.Progress, t *template.Template) bool {
	return p != nil && slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { a, _ := answerFor(p, v.Name); return a.Private })
}

// isAnswer reports whether an answer is one that a condition names: the choice, or what was said.
func isAnswer(a *decision.Answer, want string) bool {
	return want == a.Choice || grammar.PlainText(want) == grammar.PlainText(a.Text) || a.Said != "" && grammar.PlainText(want) == grammar.PlainText(a.Said)
}
