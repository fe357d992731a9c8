package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/text"
)

// testTalk runs the tests of a conversation.
func testTalk(v *rules.Version, f *grammar.File, c *grammar.Conversation) text.Problems {
	var problems text.Problems
	for i := range c.Tests {
		t := &c.Tests[i]
		p, ok := playChat(testWorld(v, f, t, false), c, t)
		if !ok { // once more, with the reason
			p, ok = playChat(testWorld(v, f, t, true), c, t)
		}
		if ok && t.Skipped != "" {
			p.File, p.Line, p.Test = t.File, t.Line, nameOf(c, t)
		}
		if !ok || t.Skipped != "" {
			problems = append(problems, skippingHint(p, t.Skipped))
		}
	}
	return problems
}

// nameOf names a test of a conversation.
func nameOf(c *grammar.Conversation, t *grammar.Chat) string {
	if t.Name == "" {
		return c.ID
	}
	return c.ID + ", " + t.Name
}

func testWorld(v *rules.Version, f *grammar.File, t *grammar.Chat, explain bool) *rehearse.Rehearsal {
	world := rehearse.NewRehearsal(v, engine.VersionOf(v).TestNow(f, t.When))
	world.Status, world.Explain = decision.Live, explain
	return world
}

// playChat plays a test's lines; false with the problem of the first one that fails.
func playChat(r *rehearse.Rehearsal, c *grammar.Conversation, t *grammar.Chat) (text.Problem, bool) {
	g := r.Guest("guest")
	step := ""
	for i := range t.Chat {
		line := &t.Chat[i]
		scenes, err := playLine(r, g, line)
		fail := func(format string, args ...any) (text.Problem, bool) {
			return text.Problem{File: line.File, Line: line.Line, Test: nameOf(c, t), Text: line.ShownText() + " " + fmt.Sprintf(format, args...)}, false
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

// playLine plays one line: what they write, or time that passes.
func playLine(r *rehearse.Rehearsal, g *rehearse.Guest, line *grammar.ChatLine) ([]rehearse.Scene, error) {
	if len(line.Them) == 0 && !line.Media {
		return r.Until(r.Now().Add(time.Duration(line.Wait)))
	}
	return writeTexts(r, g, line.Them, line.Media)
}

// writeTexts lets a person write texts in a row, with a picture behind them if there is one.
func writeTexts(r *rehearse.Rehearsal, g *rehearse.Guest, texts []string, media bool) ([]rehearse.Scene, error) {
	if g.Media = media; media {
		texts = append(slices.Clip(texts), "")
	}
	return r.Writes(g, texts...)
}
