package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// RunTests runs the tests of all rules and conversations that are not paused. Each is a world of its own, on
// a Tuesday at 10:00 unless it says otherwise, as if everything were live.
func RunTests(v *rules.Version) text.Problems {
	var problems text.Problems
	for _, f := range engine.VersionOf(v).Folder.Files {
		for i := range f.Rules {
			r := &f.Rules[i]
			if grammar.MoreCareful(r.Status, f.StatusOf()) != decision.Paused {
				problems = append(problems, testRule(v, f, r)...)
			}
		}
		for i := range f.Conversations {
			c := &f.Conversations[i]
			if grammar.MoreCareful(c.Status, f.StatusOf()) != decision.Paused {
				problems = append(problems, testTalk(v, f, c)...)
			}
		}
	}
	return problems
}

// testRule runs the tests of a rule.
func testRule(v *rules.Version, f *grammar.File, r *grammar.Rule) text.Problems {
	if len(runTests(v, f, r, false)) == 0 {
		return nil
	}
	return runTests(v, f, r, true) // to explain takes a look at every rule: it is for what fails
}

func runTests(v *rules.Version, f *grammar.File, r *grammar.Rule, explain bool) text.Problems {
	var problems text.Problems
	var world *rehearse.Rehearsal
	for i := range r.Tests {
		t := &r.Tests[i]
		if world == nil || !t.Again {
			world = rehearse.NewRehearsal(v, engine.VersionOf(v).TestNow(f, t.When))
			world.Status, world.Explain = decision.Live, explain
		}
		scenes, err := play(world, r, t)
		wrong := ""
		if err != nil {
			wrong = err.Error()
		} else if wrong = judge(t, r, scenes); wrong != "" {
			wrong = t.ShownText() + " " + wrong
		}
		if p := (text.Problem{File: t.File, Line: t.Line, Test: r.ID, Text: wrong}); wrong != "" || t.Skipped != "" {
			problems = append(problems, skippingHint(p, t.Skipped))
		}
	}
	return problems
}

// skippingHint returns what is said of a test that fails, or that is skipped: of one that is, a hint.
func skippingHint(p text.Problem, skipped string) text.Problem {
	switch {
	case skipped == "":
	case p.Text == "":
		p.Hint, p.Text = true, fmt.Sprintf("skipped (%s), and passes again: take skipped away", skipped)
	default:
		p.Hint, p.Text = true, fmt.Sprintf("skipped (%s), and fails: %s", skipped, p.Text)
	}
	return p
}

// play lets a test's event happen.
func play(r *rehearse.Rehearsal, ru *grammar.Rule, t *grammar.Test) ([]rehearse.Scene, error) {
	user := t.From
	if user == "" {
		user = "guest"
	}
	g := r.Guest(user)
	if t.FollowsMe != nil {
		g.Follows = *t.FollowsMe
	}
	for _, l := range t.Labels {
		engine.PutOn(&g.State, l)
	}
	g.Lists, g.State.Owner = append(g.Lists, t.Lists...), t.OwnerOf()
	if t.Stopped {
		g.State.Silence.Since = r.Now()
	}
	mine := t.Mine == nil || *t.Mine
	age := time.Duration(t.PostAge)
	if age == 0 {
		age = time.Hour
	}
	g.Posts[grammar.TestPost] = platform.Post{ID: grammar.TestPost, IsOwner: mine, Time: r.Now().Add(-age), Text: t.PostText}
	r.Full, r.Paused = t.HeldBack == grammar.HeldCeiling, nil
	if t.HeldBack == grammar.HeldPaused {
		r.Paused = map[string]string{engine.Everything: "as the test says"}
	}
	scenes, err := happen(r, g, t)
	if err == nil && ru.After > 0 && slices.Contains(ru.When, grammar.OnSilence) {
		var more []rehearse.Scene
		more, err = r.Until(r.Now().Add(time.Duration(ru.After)))
		scenes = append(scenes, more...)
	}
	return scenes, err
}

// happen lets the event of a test happen, or several messages in a row.
func happen(r *rehearse.Rehearsal, g *rehearse.Guest, t *grammar.Test) ([]rehearse.Scene, error) {
	kind, said, post := t.TestedEvent()
	if kind == event.KindMessage {
		return writeTexts(r, g, t.Say, t.Media)
	}
	return r.Says(g, kind, said, post)
}

// judge says what is wrong with what came of a test; "" when nothing is.
func judge(t *grammar.Test, r *grammar.Rule, scenes []rehearse.Scene) string {
	got := outcomesOf(r.ID, scenes)
	if labelled(t, r, scenes) {
		got.done = append(got.done, grammar.ExpectLabel)
	}
	for _, want := range t.Expect {
		ok := slices.Contains(got.done, want)
		switch want {
		case grammar.ExpectNoReply:
			ok = !got.says
		case grammar.ExpectNoAction:
			ok = !got.acts
		default: // something that is done
		}
		if !ok {
			return strings.TrimSuffix(fmt.Sprintf("expected %s, got %s: %s", want, got, got.why), ": ")
		}
	}
	if t.Says != "" && !strings.Contains(got.said, t.Says) {
		return fmt.Sprintf("should say %q, and says %q", t.Says, got.said)
	}
	return ""
}

// labelled reports whether the rule has put a label on the conversation that was not there before.
func labelled(t *grammar.Test, r *grammar.Rule, scenes []rehearse.Scene) bool {
	if len(scenes) == 0 {
		return false
	}
	after := scenes[len(scenes)-1].Decision.State.Labels
	for i := range r.Then {
		for _, l := range r.Then[i].Label {
			if slices.Contains(after, l) && !slices.Contains(t.Labels, l) {
				return true
			}
		}
	}
	return false
}

// came is what came of a test's event by its own rule.
type came struct {
	done []grammar.Expected
	says bool
	acts bool
	said string
	why  string
}

// String names what came of it.
func (c came) String() string {
	if len(c.done) == 0 {
		return "no_reply"
	}
	words := make([]string, len(c.done))
	for i, e := range c.done {
		words[i] = string(e)
	}
	return strings.Join(words, ", ")
}

func outcomesOf(rule string, scenes []rehearse.Scene) came {
	var c came
	for i := range scenes {
		d := &scenes[i].Decision
		if why := whyOf(rule, d); why != "" {
			c.why = why
		}
		for _, a := range d.Actions {
			if slices.Contains(a.Rules(), rule) {
				c.take(&a, scenes[i].Trigger.Event.Kind)
			}
		}
		if d.Rule == rule && d.Outcome == decision.Ignored {
			c.done = append(c.done, grammar.ExpectIgnored)
		}
		if d.Rule == rule && d.Handoff != nil {
			c.done = append(c.done, grammar.ExpectHandoff)
		}
		for _, e := range d.Entries {
			if e.Rule == rule {
				c.done = append(c.done, grammar.ExpectList)
			}
		}
		for _, n := range d.Notices {
			if n.Rule == rule {
				c.done = append(c.done, grammar.ExpectNotify)
			}
		}
		for i := range d.Bundles {
			c.waits(rule, &d.Bundles[i])
		}
		for _, tm := range d.Timers {
			if engine.WaitsFor(tm.Name) == rule && !tm.Due.IsZero() {
				c.done = append(c.done, grammar.ExpectNotify)
			}
		}
	}
	return c
}

// waits notes what waits for an approval.
func (c *came) waits(rule string, b *decision.Bundle) {
	e := &b.Effects
	if b.Rule != rule {
		return
	}
	if e.Handoff != nil {
		c.done = append(c.done, grammar.ExpectHandoff)
	}
	if len(e.Entries) > 0 {
		c.done = append(c.done, grammar.ExpectList)
	}
	for _, tm := range e.Timers {
		if engine.WaitsFor(tm.Name) == rule && tm.After > 0 {
			c.done = append(c.done, grammar.ExpectNotify)
		}
	}
	if len(e.Notices) > 0 {
		c.done = append(c.done, grammar.ExpectNotify)
	}
}

// take notes an action.
func (c *came) take(a *decision.Action, kind event.Kind) {
	c.acts = c.acts || a.Verb != event.VerbBooks
	if a.Verb.Makes() {
		c.says = true
		c.said += a.Text + "\n"
	}
	switch a.Verb {
	case event.VerbMessage:
		c.done = append(c.done, grammar.ExpectMessage)
		if kind == event.KindMessage || kind == "" {
			c.done = append(c.done, grammar.ExpectReply)
		}
	case event.VerbPost:
		c.done = append(c.done, grammar.ExpectReply)
	case event.VerbLike:
		c.done = append(c.done, grammar.ExpectLike)
	case event.VerbRepost:
		c.done = append(c.done, grammar.ExpectRepost)
	case event.VerbFollow:
		c.done = append(c.done, grammar.ExpectFollow)
	case event.VerbBooks, event.VerbDeleteMessage, event.VerbDeletePost, event.VerbRenew: // rules have no such acts
	}
}

// whyOf says why a rule did or did not do something.
func whyOf(rule string, d *decision.Decision) string {
	for i := range d.Tried {
		if d.Tried[i].Rule == rule {
			return d.Tried[i].Why
		}
	}
	switch {
	case d.Outcome == decision.Gathering:
		return ""
	case d.Reason == "" && d.Rule != "" && d.Rule != rule:
		return "the rule " + d.Rule + " took it"
	default:
		return d.Reason
	}
}
