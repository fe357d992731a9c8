package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language"
)

// mostTaken is how many bytes a message may have of which something is taken: what is longer tells a story.
const mostTaken = 1000

// takeFirstAnswers reads what the message that begins a conversation says already, by the steps that would ask for it.
func (d *decider) takeFirstAnswers(t *ledConversation, p *decision.Progress) {
	if d.day = (text.Day{}); !t.TakeFromStart || d.said == "" || len(d.said) > mostTaken {
		return
	}
	p.Taken, p.Untold = map[string]decision.Answer{}, map[string]string{}
	for i := range t.Conversation.Steps {
		s := t.Steps[t.Conversation.Steps[i].ID]
		if s.Expect == nil {
			continue
		}
		for _, kind := range s.Expect.Kinds {
			a := decision.Answer{Said: d.said}
			if !t.TakesAnswer(s.Step, kind) || !d.readAnswer(s, kind, &a) {
				continue
			}
			p.Taken[s.ID], p.Untold[s.ID] = a, meantBy(&a)
			if a.Day != (text.Day{}) {
				d.day = a.Day
			}
			break
		}
	}
}

// readAnswer reads what was said as a kind of answer, unless it could be another one.
func (d *decider) readAnswer(s *Step, kind grammar.ExpectKind, a *decision.Answer) bool {
	readers := d.readers()
	if kind == grammar.ExpectNumber {
		said := d.said
		defer func() { d.said = said }()
		for _, r := range readers {
			for rest := r.without(d.said); rest != d.said; rest = r.without(d.said) {
				d.said = rest
			}
		}
		return s.readAs(d, kind, a)
	}
	if i := slices.IndexFunc(readers, func(r reader) bool { return r.kind == kind }); i >= 0 {
		if readers[i].reads(readers[i].without(d.said)) {
			return false
		}
	}
	return s.readAs(d, kind, a)
}

// reader finds one kind of answer in a text, and returns what it means.
type reader struct {
	kind grammar.ExpectKind
	read func(said string) (string, bool)
}

// readers returns those of answers that numbers may be part of.
func (d *decider) readers() []reader {
	l, now := d.at.Scope.Language, d.now.In(d.at.Scope.zone)
	return []reader{
		{grammar.ExpectEmail, emailIn},
		{grammar.ExpectPhone, phoneIn},
		{grammar.ExpectDate, func(said string) (string, bool) {
			day, ok := l.FindDate(said, now)
			return day.Format(time.DateOnly), ok
		}},
		{grammar.ExpectTime, func(said string) (string, bool) {
			hour, minute, ok := l.Time(said)
			return fmt.Sprint(hour, minute), ok
		}},
	}
}

// reads reports whether there is an answer in a text.
func (r *reader) reads(said string) bool {
	_, ok := r.read(said)
	return ok
}

// mostWords is how many words an answer has at most that is looked for among others.
const mostWords = 6

// without returns a text without the words that say what is read of it.
func (r *reader) without(said string) string {
	want, ok := r.read(said)
	if !ok {
		return said
	}
	words := strings.Fields(said)
	is := func(from, to int) bool {
		got, ok := r.read(strings.Join(words[from:to], " "))
		return ok && got == want
	}
	for n := 1; n <= min(len(words), mostWords); n++ {
		for from := 0; from+n <= len(words); from++ {
			if !is(from, from+n) {
				continue
			}
			to := from + n
			if r.kind == grammar.ExpectDate { // with the day of the week beside it: Friday 14 June
				if from > 0 && r.reads(words[from-1]) && is(from-1, to) {
					from--
				}
				if to < len(words) && r.reads(words[to]) && is(from, to+1) {
					to++
				}
			}
			return strings.Join(slices.Concat(words[:from], words[to:]), " ")
		}
	}
	return ""
}

// takeAnswered reports whether the step was answered by the message that began the conversation, and takes the answer over. A step that the
// conversation comes back to is asked.
func (s *Step) takeAnswered(d *decider, p *decision.Progress) bool {
	a, ok := p.Taken[s.ID]
	if !ok {
		return false
	}
	delete(p.Taken, s.ID)
	d.noteStep(d.at, fmt.Sprintf("step %s: the first message has answered it (%s)", s.ID, s.shownAnswer(a)))
	s.keepAnswer(p, a)
	p.Took = &a
	return true
}

// keepAnswer keeps an answer.
func (s *Step) keepAnswer(p *decision.Progress, a decision.Answer) {
	if s.SaveAs == "" {
		return
	}
	if p.Answers == nil {
		p.Answers = map[string]decision.Answer{}
	}
	if p.Answers[s.SaveAs] = a; a.Day != (text.Day{}) {
		p.Day = s.SaveAs
	}
}

// sayWithNote says something with what was taken from the first message before it, unless that was told.
func (d *decider) sayWithNote(p *decision.Progress, say func() time.Time) time.Time {
	d.untold = p.Untold
	at := say()
	d.untold, p.Untold = nil, nil
	return at
}

// notedText returns what is put before a text, so that people read which answers were taken from their message. Answers that the text itself
// mentions are left out.
func (d *decider) notedText(t *template.Template) string {
	var answers []string
	if len(d.untold) == 0 {
		return ""
	}
	for i := range d.at.led.Conversation.Steps {
		s := &d.at.led.Conversation.Steps[i]
		said := slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { return v.Name == s.SaveAs })
		if answer := d.untold[s.ID]; answer != "" && !said {
			answers = append(answers, answer)
		}
	}
	if len(answers) == 0 {
		return ""
	}
	noted := notedIn(d.at.Scope.Language)
	return noted.FillText(func(string) string { return strings.Join(answers, ", ") }) + "\n"
}

// notedIn returns the text that tells what was taken, in a language.
func notedIn(l language.Language) template.Template {
	t, _ := template.Parse(grammar.NotedText(l)) // a text of ours
	return t
}
