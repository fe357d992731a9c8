package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/handlers/text"
)

// enter does what a step does when the conversation comes to it.
func (s *step) enter(d *decider, p *Progress) error {
	p.Wrong, p.Question = 0, ""
	if s.Say != nil {
		d.say(s.Say, s.ID+"/say", p, toMessage)
	}
	for i := range s.Then {
		d.act(&s.Then[i], p)
	}
	if s.Handoff != nil {
		d.handoff(s.Handoff, p)
	}
	if s.Ask != nil {
		s.ask(d, p)
	}
	return d.err
}

// ask asks the step's question, and waits for the answer.
func (s *step) ask(d *decider, p *Progress) {
	s.wants(d, p, s.Ask, s.ID+"/ask")
}

// wants says something that wants an answer.
func (s *step) wants(d *decider, p *Progress, say *Say, where string) {
	before := d.put
	d.put = -1
	p.Asked = d.say(say, where, p, toMessage)
	if p.Question = ""; d.put >= 0 && d.out.Actions[d.put].Status == Ask {
		p.Question = actionKey(d.in.Trigger, d.put)
	}
	d.put = max(d.put, before)
	d.silentFrom(s.talk, p.Asked, 0)
}

// handle reads what came as the step's answer, and says where it goes on.
func (s *step) handle(d *decider, p *Progress) (conversation.Signal, error) {
	switch d.mode {
	case modeAgain:
		s.ask(d, p)
		return conversation.Stay, d.err
	case modeWrong:
		return s.wrong(d, p)
	case modeAnswer:
	}
	a, ok := s.read(d)
	d.privately(s)
	if !ok {
		return conversation.Pass, nil
	}
	d.note(d.at, true, fmt.Sprintf("step %s: it is an answer (%s)", s.ID, s.shown(a)))
	if s.SaveAs != "" {
		if p.Answers == nil {
			p.Answers = map[string]Answer{}
		}
		p.Answers[s.SaveAs] = a
	}
	return conversation.Signal(s.next(d, p, a.Choice)), nil
}

func (s *step) shown(a Answer) string {
	if a.Private {
		return masked
	}
	if a.Said != "" && a.Choice != "" {
		return fmt.Sprintf("%s, by %q", a.Text, a.Said)
	}
	return a.Text
}

// wrong tells that an answer is none, a few times, and then goes on elsewhere.
func (s *step) wrong(d *decider, p *Progress) (conversation.Signal, error) {
	p.Wrong++
	d.note(d.at, true, fmt.Sprintf("step %s: it is no answer (%d so far)", s.ID, p.Wrong))
	if s.IfWrong != nil && s.IfWrong.ThenGoto != "" && p.Wrong > s.patience() {
		return conversation.Signal(s.IfWrong.ThenGoto), nil
	}
	if s.IfWrong != nil && s.IfWrong.Say != nil {
		s.wants(d, p, s.IfWrong.Say, s.ID+"/wrong")
		return conversation.Stay, d.err
	}
	s.ask(d, p)
	return conversation.Stay, d.err
}

// privately keeps what came out of the records, when the step's answers are private.
func (d *decider) privately(s *step) {
	if s.Private && len(d.out.Masks) == 0 {
		d.out.Masks = append(d.out.Masks, d.ids...)
	}
}

// read reads what came as an answer to the step.
func (s *step) read(d *decider) (Answer, bool) {
	a := Answer{Private: s.Private}
	if s.Expect == nil {
		a.Text = d.said
		return a, d.said != ""
	}
	if s.Private && isMasked(d.said) { // the text was not kept, and how it was read was
		name := "private:" + d.event.ID.String()
		var kept Answer
		if _, ok := d.in.Facts[name]; ok && d.fact(Need{Name: name}, &kept) {
			return kept, kept.Text != ""
		}
	}
	for _, kind := range s.Expect.Kinds {
		if s.readAs(d, kind, &a) {
			if a.Text != d.said { //mutate:answer-said
				a.Said = d.said
			}
			if s.Private {
				d.keep("private:"+d.event.ID.String(), Answer{Text: masked, Choice: a.Choice, Private: true})
			}
			return a, true
		}
	}
	if s.Private {
		d.keep("private:"+d.event.ID.String(), Answer{Private: true})
	}
	return Answer{}, false
}

// readAs reads what came as one kind of answer.
func (s *step) readAs(d *decider, kind ExpectKind, a *Answer) (ok bool) {
	l, now := d.at.scope.language, d.now.In(d.at.scope.zone)
	switch kind {
	case ExpectText:
		a.Text = d.said
		return strings.TrimSpace(d.said) != ""
	case ExpectNumber:
		a.Number, ok = l.Number(d.said)
		a.Text = trimNumber(a.Number)
		return ok && (s.Expect.Range == nil || s.Expect.Range.Holds(a.Number))
	case ExpectDate:
		var day time.Time
		day, ok = l.Date(d.said, now)
		a.Text = l.ShowDate(day, now)
		return ok && s.opens(d.at.scope.hours, day)
	case ExpectTime:
		var hour, minute int
		hour, minute, ok = l.Time(d.said)
		a.Text = fmt.Sprintf("%d:%02d", hour, minute)
	case ExpectEmail:
		a.Text, ok = emailIn(d.said)
	case ExpectPhone:
		a.Text, ok = phoneIn(d.said)
	case ExpectChoices:
		return s.choose(d, a)
	case ExpectYesNo:
		var yes bool
		yes, ok = l.YesNo(d.said)
		a.Text, a.Choice = l.ShowYesNo(yes), map[bool]string{true: choiceYes, false: choiceNo}[yes]
	case ExpectMedia:
		a.Text = d.event.Image
		return d.event.Image != ""
	}
	return ok
}

// opens tells whether a day is one on which we are at work, when the step wants that.
func (s *step) opens(hours *text.Hours, day time.Time) bool {
	return !s.Open || hours == nil || hours.OpensOn(day) //mutate:open-days
}

// choose reads which one of the choices came; none when several did.
func (s *step) choose(d *decider, a *Answer) bool {
	hits := s.choices.Match(d.reading, nil)
	if len(hits) != 1 {
		return false
	}
	a.Choice = s.Expect.Choices.Keys[hits[0]]
	a.Text = a.Choice
	return true
}
