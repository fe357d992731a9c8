package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// testTalk runs the tests of a conversation.
func (v *Version) testTalk(f *File, c *Conversation) text.Problems {
	var problems text.Problems
	for i := range c.Tests {
		t := &c.Tests[i]
		p, ok := v.testWorld(f, t, false).chat(c, t)
		if !ok { // once more, with the reason
			p, ok = v.testWorld(f, t, true).chat(c, t)
		}
		if !ok {
			problems = append(problems, p)
		}
	}
	return problems
}

func (v *Version) testWorld(f *File, t *Chat, explain bool) *Rehearsal {
	world := NewRehearsal(v, v.testNow(f, t.When))
	world.Status, world.Explain = Live, explain
	return world
}

// chat plays a test's lines; false with the problem of the first one that fails.
func (r *Rehearsal) chat(c *Conversation, t *Chat) (text.Problem, bool) {
	g := r.Guest("guest")
	step := ""
	for i := range t.Chat {
		line := &t.Chat[i]
		scenes, err := r.line(g, line)
		fail := func(format string, args ...any) (text.Problem, bool) {
			name := c.ID
			if t.Name != "" {
				name += ", " + t.Name
			}
			return text.Problem{File: line.File, Line: line.Line, Test: name, Text: line.shown() + " " + fmt.Sprintf(format, args...)}, false
		}
		if err != nil {
			return fail("%s", err)
		}
		said, why := "", ""
		for j := range scenes {
			d := &scenes[j].Decision
			if d.Step != "" {
				step = d.Step
			}
			if w := whyOf(c.ID, d); w != "" {
				why = w
			}
			for _, a := range d.Actions {
				if a.Verb.Makes() {
					said += a.Text + "\n"
				}
			}
		}
		switch {
		case line.Step != "" && step == "":
			return fail("expected to be at %s, and the conversation did not begin: %s", line.Step, why)
		case line.Step != "" && step != line.Step:
			return fail("expected to be at %s, and is at %s: %s", line.Step, step, why)
		case line.Says != "" && !strings.Contains(said, line.Says):
			return fail("should say %q, and says %q", line.Says, said)
		case line.Silent && said != "":
			return fail("should say nothing, and says %q", said)
		}
	}
	return text.Problem{}, true
}

// line plays one line: what they write, or time that passes.
func (r *Rehearsal) line(g *Guest, line *ChatLine) ([]Scene, error) {
	if len(line.Them) == 0 {
		return r.Pass(time.Duration(line.Wait))
	}
	return r.Writes(g, line.Them...)
}

func (l *ChatLine) shown() string {
	if len(l.Them) == 0 {
		return "after " + l.Wait.String()
	}
	return fmt.Sprintf("%q", strings.Join(l.Them, " / "))
}
