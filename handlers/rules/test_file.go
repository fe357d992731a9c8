package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Test runs the tests of all rules and conversations that are not paused. Each is a world of its own, on
// a Tuesday at 10:00 unless it says otherwise, as if everything were live.
func (v *Version) Test() text.Problems {
	var problems text.Problems
	for _, f := range v.folder.files {
		for i := range f.Rules {
			r := &f.Rules[i]
			if r.Status.atMost(f.status()) != Paused {
				problems = append(problems, v.testRule(f, r)...)
			}
		}
		for i := range f.Conversations {
			c := &f.Conversations[i]
			if c.Status.atMost(f.status()) != Paused {
				problems = append(problems, v.testTalk(f, c)...)
			}
		}
	}
	return problems
}

// testTime is a Tuesday at 10:00.
func testTime(zone *time.Location) time.Time { return time.Date(2026, time.June, 2, 10, 0, 0, 0, zone) }

// testNow returns when a test happens: then when it says so, else on a Tuesday on which we are at work.
func (v *Version) testNow(f *File, then *text.WhenTime) time.Time {
	now := testTime(v.folder.zone(f))
	if then != nil {
		return then.Next(now)
	}
	hours := v.folder.hours(f)
	for week := range 52 {
		if at := now.AddDate(0, 0, 7*week); hours == nil || hours.OpenAt(at) {
			return at
		}
	}
	if at, ok := hours.NextOpen(now); ok {
		return at
	}
	return now
}

// testRule runs the tests of a rule.
func (v *Version) testRule(f *File, r *Rule) text.Problems {
	if len(v.runTests(f, r, false)) == 0 {
		return nil
	}
	return v.runTests(f, r, true) // to explain takes a look at every rule: it is for what fails
}

func (v *Version) runTests(f *File, r *Rule, explain bool) text.Problems {
	var problems text.Problems
	var world *Rehearsal
	for i := range r.Tests {
		t := &r.Tests[i]
		if world == nil || !t.Again {
			world = NewRehearsal(v, v.testNow(f, t.When))
			world.Status, world.Explain = Live, explain
		}
		scenes, err := world.play(r, t)
		if err != nil {
			problems = append(problems, text.Problem{File: t.File, Line: t.Line, Test: r.ID, Text: err.Error()})
			continue
		}
		if wrong := t.judge(r, scenes); wrong != "" {
			problems = append(problems, text.Problem{File: t.File, Line: t.Line, Test: r.ID, Text: t.shown() + " " + wrong})
		}
	}
	return problems
}

// shown names a test by what happens in it.
func (t *Test) shown() string {
	for _, said := range []string{strings.Join(t.Say, " / "), t.Mention, t.Reply} {
		if said != "" {
			return fmt.Sprintf("%q", said)
		}
	}
	if t.Again {
		return string(t.Event) + ", again"
	}
	return string(t.Event)
}

const testPost platform.PostID = 1

// play lets a test's event happen.
func (r *Rehearsal) play(ru *Rule, t *Test) ([]Scene, error) {
	user := t.From
	if user == "" {
		user = "guest"
	}
	g := r.Guest(user)
	if t.FollowsMe != nil {
		g.Follows = *t.FollowsMe
	}
	for _, l := range t.Labels {
		g.State.label(l)
	}
	g.Lists, g.State.Owner = append(g.Lists, t.Lists...), t.owner()
	if t.Stopped {
		g.State.Memory.Stopped, g.State.Memory.StoppedAt = true, r.now
	}
	mine := t.Mine == nil || *t.Mine
	age := time.Duration(t.PostAge)
	if age == 0 {
		age = time.Hour
	}
	g.Posts[testPost] = platform.Post{ID: testPost, IsOwner: mine, Time: r.now.Add(-age), Text: t.PostText}
	r.Full, r.Paused = t.HeldBack == HeldCeiling, nil
	if t.HeldBack == HeldPaused {
		r.Paused = map[string]string{everything: "as the test says"}
	}
	scenes, err := r.happen(g, t)
	if err == nil && ru.After > 0 && slices.Contains(ru.When, OnSilence) {
		var more []Scene
		more, err = r.Pass(time.Duration(ru.After))
		scenes = append(scenes, more...)
	}
	return scenes, err
}

// happen lets the event of a test happen, or several messages in a row.
func (r *Rehearsal) happen(g *Guest, t *Test) ([]Scene, error) {
	kind, said, post := t.happens()
	if kind == event.KindMessage {
		return r.Writes(g, t.Say...)
	}
	return r.Says(g, kind, said, post)
}

// owner returns who has the conversation in a test; "" is the bot.
func (t *Test) owner() string {
	switch t.Owner {
	case ownerNobody:
		return ""
	case ownerAnybody:
		return bot.OwnedByPerson
	default:
		return t.Owner
	}
}

// happens returns the event of a test.
func (t *Test) happens() (event.Kind, string, platform.PostID) {
	switch {
	case t.Mention != "":
		return event.KindMention, t.Mention, testPost
	case t.Reply != "":
		return event.KindReply, t.Reply, testPost
	case len(t.Say) > 0 || t.Event == "":
		return event.KindMessage, "", 0
	case t.Event.aboutPost():
		return event.Kind(t.Event), "", testPost
	default:
		return event.Kind(t.Event), "", 0
	}
}

// judge says what is wrong with what came of a test; "" when nothing is.
func (t *Test) judge(r *Rule, scenes []Scene) string {
	got := outcomesOf(r.ID, scenes)
	if t.labelled(r, scenes) {
		got.done = append(got.done, ExpectLabel)
	}
	for _, want := range t.Expect {
		ok := slices.Contains(got.done, want)
		switch want {
		case ExpectNoReply:
			ok = !got.says
		case ExpectNoAction:
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

// labelled tells whether the rule has put a label on the conversation that was not there before.
func (t *Test) labelled(r *Rule, scenes []Scene) bool {
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
	done []Expected
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

func outcomesOf(rule string, scenes []Scene) came {
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
		if d.Rule == rule && d.Handoff != nil {
			c.done = append(c.done, ExpectHandoff)
		}
		for _, e := range d.Entries {
			if e.Rule == rule {
				c.done = append(c.done, ExpectList)
			}
		}
		for _, n := range d.Notices {
			if n.Rule == rule {
				c.done = append(c.done, ExpectNotify)
			}
		}
		for i := range d.Bundles {
			c.waits(rule, &d.Bundles[i])
		}
		for _, tm := range d.Timers {
			if isWaiting(tm.Name) && strings.HasSuffix(tm.Name, timerWaiting+rule) {
				c.done = append(c.done, ExpectNotify)
			}
		}
	}
	return c
}

// waits notes what waits for an approval.
func (c *came) waits(rule string, b *Bundle) {
	e := &b.Effects
	if b.Rule != rule {
		return
	}
	if e.Handoff != nil {
		c.done = append(c.done, ExpectHandoff)
	}
	if len(e.Entries) > 0 {
		c.done = append(c.done, ExpectList)
	}
	for _, tm := range e.Timers {
		if isWaiting(tm.Name) && strings.HasSuffix(tm.Name, timerWaiting+rule) {
			c.done = append(c.done, ExpectNotify)
		}
	}
	if len(e.Notices) > 0 {
		c.done = append(c.done, ExpectNotify)
	}
}

// take notes an action.
func (c *came) take(a *Action, kind event.Kind) {
	c.acts = c.acts || a.Verb != event.VerbBooks
	if a.Verb.Makes() {
		c.says = true
		c.said += a.Text + "\n"
	}
	switch a.Verb {
	case event.VerbMessage:
		c.done = append(c.done, ExpectMessage)
		if kind == event.KindMessage || kind == "" {
			c.done = append(c.done, ExpectReply)
		}
	case event.VerbPost:
		c.done = append(c.done, ExpectReply)
	case event.VerbLike:
		c.done = append(c.done, ExpectLike)
	case event.VerbRepost:
		c.done = append(c.done, ExpectRepost)
	case event.VerbFollow:
		c.done = append(c.done, ExpectFollow)
	case event.VerbBooks, event.VerbDeleteMessage, event.VerbDeletePost, event.VerbRenew: // rules have no such acts
	}
}

// whyOf says why a rule did or did not do something.
func whyOf(rule string, d *Decision) string {
	for i := range d.Tried {
		if d.Tried[i].Rule == rule {
			return d.Tried[i].Why
		}
	}
	switch {
	case d.Outcome == Gathering:
		return ""
	case d.Reason == "" && d.Rule != "" && d.Rule != rule:
		return "the rule " + d.Rule + " took it"
	default:
		return d.Reason
	}
}
