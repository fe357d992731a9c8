package try

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/edit"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/handlers/text"
)

var errNothingLed = errors.New("there is nothing to save: no rule has answered this person yet")

// doSave writes what the one who speaks did last into the rule file, as a test.
func (s *Session) doSave(name string) error {
	if s.Files.broken != "" {
		return errors.New("the rule files have problems: mend them first")
	}
	p := s.who
	last, id := p.led(s.Files.version)
	if last < 0 {
		return errNothingLed
	}
	at, _, ok := rehearse.Origin(s.Files.version, id)
	if !ok {
		return fmt.Errorf("%s is not in the files any more", id)
	}
	place, write := edit.TestPlace{List: "rules", ID: id}, s.ruleTest
	if rehearse.Leads(s.Files.version, id) {
		place.List, write = "conversations", s.chatTest
	}
	test, err := write(id, last, name)
	if err != nil {
		return err
	}
	// Twice the same would be two tests of one thing.
	if slices.Equal(test, s.saved) {
		return errors.New("that is saved already")
	}
	if err := s.Files.AddTest(at.File, place, test); err != nil {
		return err
	}
	s.saved = test
	s.world.Use(s.Files.version)
	s.addLine(tryAside, fmt.Sprintf("saved in %s as a test of %s:\n%s", at.File, id, strings.Join(test, "\n")))
	return nil
}

// led returns the last turn in which a rule or a conversation did something, and its id; -1 for none.
func (p *tryPerson) led(v *rules.Version) (int, string) {
	for i, t := range slices.Backward(p.chat) {
		if id := t.ledBy(v); id != "" {
			return i, id
		}
	}
	return -1, ""
}

// ledBy returns the rule or conversation that did something in a turn; "" for none.
func (t *tryTurn) ledBy(v *rules.Version) string {
	for i := range slices.Backward(t.scenes) {
		d, before := &t.scenes[i].Decision, t.stateBefore(i)
		if d.Step != "" {
			for _, state := range []*ruledecision.State{&d.State, before} {
				if talk, _, ok := replay.Stands(state); ok && rehearse.Leads(v, talk) {
					return talk
				}
			}
		}
		if id := didIt(d); id != "" {
			return id
		}
	}
	return ""
}

// stateBefore returns the person's state before a scene.
func (t *tryTurn) stateBefore(scene int) *ruledecision.State {
	if scene == 0 {
		return &t.before
	}
	return &t.scenes[scene-1].Decision.State
}

// didIt returns the rule that did something; "" for none.
func didIt(d *ruledecision.Decision) string {
	id := d.Rule
	for _, a := range d.Actions {
		id = cmp.Or(id, a.Rule)
	}
	for _, e := range d.Entries {
		id = cmp.Or(id, e.Rule)
	}
	for _, n := range d.Notices {
		id = cmp.Or(id, n.Rule)
	}
	return id
}

// step returns the step that a turn came to; "" for none.
func (t *tryTurn) step() (step string) {
	for i := range t.scenes {
		step = cmp.Or(t.scenes[i].Decision.Step, step)
	}
	return step
}

// silent reports whether nothing was said in a turn.
func (t *tryTurn) silent() bool {
	for i := range t.scenes {
		if slices.ContainsFunc(t.scenes[i].Decision.Actions, func(a ruledecision.Action) bool { return a.Verb.Makes() }) {
			return false
		}
	}
	return true
}

// chatTest writes a conversation from where it began.
func (s *Session) chatTest(id string, last int, name string) ([]string, error) {
	chat := s.who.chat
	first := last
	for first > 0 && !chat[first].begins(id) {
		first--
	}
	if chat[first].kind != event.KindMessage {
		return nil, fmt.Errorf("%s did not begin with a private message, and its tests can have no other", id)
	}
	said, err := s.publicly(id, chat[first:])
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = cmp.Or(print.ExcerptOf(said[0], 40), "a picture")
	}
	test := []string{"- name: " + edit.InQuotes(name)}
	if at := s.when(id, chat[first].at); at != "" {
		test = append(test, "  at: "+edit.InQuotes(at))
	}
	return append(append(test, "  chat:"), edit.IndentLines(chatLines(chat[first:], said), "    ")...), nil
}

// begins reports whether a conversation began in a turn.
func (t *tryTurn) begins(id string) bool {
	talk, _, ok := replay.Stands(&t.before)
	return t.step() != "" && (!ok || talk != id)
}

// chatLines writes turns as the lines of a test, with what was said in them as it may be written.
func chatLines(turns []tryTurn, said []string) []string {
	var lines []string
	for i := range turns {
		t := &turns[i]
		does := ""
		switch {
		case t.media:
			does = "media: true"
		case t.kind == event.KindMessage:
			does = "them: " + inRow(said[i])
		case t.kind == "" && (i < len(turns)-1 || len(t.scenes) > 0):
			does = "wait: " + words.AsWritten(wholeSeconds(t.wait))
		default: // tests of conversations have nothing for it
			continue
		}
		switch step := t.step(); {
		case step != "":
			does += ", at: " + inWord(step)
		case t.silent():
			does += ", no_reply: true"
		}
		lines = append(lines, "- { "+does+" }")
	}
	return lines
}

// wholeSeconds rounds a length of time up.
func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// secretFrom is how many characters an answer has that is looked for in what else was said.
const secretFrom = 5

// publicly returns what was said in turns as it may stand in a file: something else in place of each
// private answer, also where it is told again.
func (s *Session) publicly(id string, turns []tryTurn) ([]string, error) {
	said := make([]string, len(turns))
	var secrets []string
	for i := range turns {
		t := &turns[i]
		said[i] = t.said
		for n := range t.scenes {
			private, understood := t.scenes[n].Private()
			if !private {
				continue
			}
			talk, step, _ := replay.Stands(t.stateBefore(n))
			if t.media { // of which the test shows nothing
				continue
			}
			// Something else of the same kind: the test has to go the same way, and a file is read by more people than a chat.
			instead, ok := rehearse.StandIn(s.Files.version, talk, step, understood, s.now())
			if !ok {
				return nil, fmt.Errorf("the answer in step %s of %s is private, and nothing can be written in its place", step, id)
			}
			if said[i] = instead; utf8.RuneCountInString(t.said) >= secretFrom {
				secrets = append(secrets, t.said, instead)
			}
		}
	}
	hide := strings.NewReplacer(secrets...)
	for i := range said {
		said[i] = hide.Replace(said[i])
	}
	return said, nil
}

// ruleTest writes an event that a rule answered.
func (s *Session) ruleTest(id string, last int, name string) ([]string, error) {
	if name != "" {
		return nil, errors.New("the tests of rules have no names: write /save alone")
	}
	p := s.who
	first := last
	for first > 0 && p.chat[first].kind == "" {
		first--
	}
	t := &p.chat[first]
	if t.kind == "" {
		return nil, errNothingLed
	}
	var scenes []rehearse.Scene
	for _, turn := range p.chat[first : last+1] {
		scenes = append(scenes, turn.scenes...)
	}
	// It rests on what came before in this chat, which a test by itself does not have.
	if held := scenes[len(scenes)-1].Decision; held.Outcome == ruledecision.HeldBack {
		return nil, fmt.Errorf("%s. A test of that needs the one before it, and again: true; write it by hand", held.Reason)
	}
	came := mainly(rulecheck.Came(id, scenes), len(t.before.Labels) > 0)
	if len(came) == 0 {
		return nil, fmt.Errorf("%s did nothing that a test could expect", id)
	}
	parts := []string{asTested(t)}
	add := func(key, value string, on bool) {
		if on {
			parts = append(parts, key+": "+value)
		}
	}
	add("from", edit.InQuotes("@"+p.State.User), p.State.User != DefaultPerson)
	add("at", edit.InQuotes(s.when(id, t.at)), s.when(id, t.at) != "")
	if p.follows != nil {
		add("follows_me", fmt.Sprint(*p.follows), true)
	}
	add("labels", inList(t.before.Labels), len(t.before.Labels) > 0)
	add("lists", inList(t.lists), len(t.lists) > 0)
	expect := came[0]
	if len(came) > 1 {
		expect = fmt.Sprintf("[%s, %s]", came[0], came[1])
	}
	add("expect", expect, true)
	return []string{"- { " + strings.Join(parts, ", ") + " }"}, nil
}

// mainly returns of what a rule did at most two things that matter most: what is kept of it only when
// nothing else was done, and no message beside the reply that it is. A label counts when there was none.
func mainly(came []string, labelled bool) []string {
	without := func(these ...string) []string {
		return slices.DeleteFunc(slices.Clone(came), func(e string) bool { return slices.Contains(these, e) })
	}
	if slices.Contains(came, "reply") {
		came = without("message")
	}
	if labelled {
		came = without("label")
	}
	if seen := without("list", "notify", "label"); len(seen) > 0 {
		came = seen
	}
	return came[:min(2, len(came))]
}

// asTested writes what somebody did, as tests of rules say it.
func asTested(t *tryTurn) string {
	if t.media {
		return "media: true"
	}
	switch t.kind {
	case event.KindMessage:
		return "say: " + inRow(t.said)
	case event.KindMention, event.KindReply:
		return string(t.kind) + ": " + edit.InQuotes(t.said)
	default:
		return "event: " + string(t.kind)
	}
}

// when writes the time of a test; "" when it is about the one that tests have anyway.
func (s *Session) when(id string, at time.Time) string {
	_, begins, _ := rehearse.Origin(s.Files.version, id)
	at = at.In(begins.Location())
	if d := at.Sub(begins); d >= 0 && d < time.Hour {
		return ""
	}
	w := text.WhenTime{Weekday: at.Weekday(), Clock: text.Clock(60*at.Hour() + at.Minute())}
	if !w.Next(begins).Equal(at.Truncate(time.Minute)) {
		w.Day = text.DayOf(at)
	}
	return w.String()
}

var (
	bareWord  = regexp.MustCompile(`^[a-z][0-9a-z_-]*$`)
	otherWise = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)

// inWord writes an id, in quotes where it might be taken for something else.
func inWord(id string) string {
	if bareWord.MatchString(id) && !slices.Contains(otherWise, id) {
		return id
	}
	return edit.InQuotes(id)
}

// inRow writes messages that stand on lines.
func inRow(said string) string {
	if texts := strings.Split(said, "\n"); len(texts) > 1 {
		return inList(texts)
	}
	return edit.InQuotes(said)
}

func inList(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = edit.InQuotes(w)
	}
	return "[" + strings.Join(list, ", ") + "]"
}
