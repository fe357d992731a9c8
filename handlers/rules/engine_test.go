package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// stage is a rehearsal of one rule file, told in lines.
type stage struct {
	*testing.T
	*rehearse.Rehearsal
	who string
	of  *rules.Version // what it goes by
}

// Use goes on with another version.
func (s *stage) Use(v *rules.Version) { s.of = v; s.Rehearsal.Use(v) }

// pass lets time pass.
func pass(r *rehearse.Rehearsal, d time.Duration) ([]rehearse.Scene, error) {
	return r.Until(r.Now().Add(d))
}

// takeOver lets one of our people write to a person: the bot is silent until the conversation is given back.
func takeOver(r *rehearse.Rehearsal, g *rehearse.Guest) {
	if g.State.Owner == "" {
		g.State.Owner = bot.OwnedByPerson
	}
	g.State.OwnerWrote, g.State.TakenBack = r.Now(), r.Now()
}

func giveBack(g *rehearse.Guest) { g.State.Owner, g.State.OwnerFor = "", 0 }

// play compiles a file, whose header is written by itself, and rehearses it from a Tuesday at 10:00 on.
func play(t *testing.T, file string) *stage {
	t.Helper()
	src := rules.Sources{
		"10-test.yaml": []byte("version: 1\nname: test\nstatus: live\n" + file),
		"settings.yaml": []byte("version: 1\ntimezone: Europe/Lisbon\nhours:\n  open: Mon-Fri 09:00-18:30\n" +
			"stop_words: [stop]\nwho: { team: {}, sales: {} }\n"),
	}
	v := compiled(t, src)
	return &stage{t, rehearse.NewRehearsal(v, tuesday), "ana", v}
}

var tuesday = time.Date(2027, time.March, 2, 10, 0, 0, 0, time.UTC)

// heard tells what came of scenes, in short.
func heard(scenes []rehearse.Scene) string {
	var out []string
	for _, s := range scenes {
		for _, a := range s.Decision.Actions {
			what := string(a.Verb)
			if a.Text != "" {
				what += " " + a.Text
			}
			if !a.Due.Equal(s.At) {
				what += " in " + a.Due.Sub(s.At).String()
			}
			if a.Status != decision.Live {
				what += " (" + string(a.Status) + ")"
			}
			out = append(out, what)
		}
		for i := range s.Decision.Bundles {
			out = append(out, waits(&s.Decision.Bundles[i].Effects)...)
		}
		for _, n := range s.Decision.Notices {
			out = append(out, "tell "+n.Who+": "+n.Text)
		}
		for _, e := range s.Decision.Entries {
			out = append(out, "list "+e.List+": "+e.Text)
		}
		if len(out) == 0 && s.Decision.Outcome != decision.Gathering {
			out = append(out, string(s.Decision.Outcome))
		}
	}
	return strings.Join(out, "; ")
}

// expect lets something happen, and compares what comes of it.
func (s *stage) expect(want string, scenes []rehearse.Scene, err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	if diff := cmp.Diff(want, heard(scenes)); diff != "" {
		s.Errorf("(-want +got)\n%s", diff)
	}
}

func (s *stage) says(text, want string) {
	s.Helper()
	scenes, err := s.Says(s.Guest(s.who), event.KindMessage, text, 0)
	if err == nil {
		var more []rehearse.Scene
		more, err = s.Quiesce()
		scenes = append(scenes, more...)
	}
	s.expect(want, scenes, err)
}

func (s *stage) does(kind event.Kind, text, want string) {
	s.Helper()
	scenes, err := s.Says(s.Guest(s.who), kind, text, 7)
	s.expect(want, scenes, err)
}

func (s *stage) waits(d time.Duration, want string) {
	s.Helper()
	scenes, err := pass(s.Rehearsal, d)
	s.expect(want, scenes, err)
}

const per = "    limits: { per_person: 1 per 12h }\n"

func rule(id, rest string) string { return "  - id: " + id + "\n" + rest }

// An event gets one answer; the other things of later rules happen.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("first", "    when: message\n    if: { text: { any_word: price } }\n    then:\n      - reply: one\n"+per)+
		rule("second", "    when: message\n    if: { text: { any_word: [price, box] } }\n    then:\n      - reply: two\n      - label: second\n"+per)+
		rule("third", "    when: no_match\n    then:\n      - list: unanswered\n"))
	s.says("the price?", "message one")
	if labels := s.Guest("ana").State.Labels; len(labels) != 1 || labels[0] != "second" {
		t.Errorf("labels: %v", labels)
	}
	s.says("the price?", "held back") // silence: no later rule answers in its place, and it is no no_match
	s.says("the box?", "message two")
	s.says("hello", "list unanswered: hello")
	s.waits(13*time.Hour, "")
	s.says("the price?", "message one")
}

// A rule on watch takes nobody's place.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("watched", "    status: watch\n    when: message\n    then:\n      - reply: watching\n      - label: never\n      - notify: { who: team }\n"+per)+
		rule("asks", "    status: ask\n    when: message\n    if: { text: { any_word: ask } }\n    then:\n      - reply: asking\n"+per)+
		rule("acts", "    when: message\n    then:\n      - reply: acting\n"+per))
	s.says("hello", "message watching (watch); message acting")
	s.says("ask", "message watching (watch); message asking (ask)")
	if labels := s.Guest("ana").State.Labels; len(labels) > 0 {
		t.Errorf("labels: %v", labels)
	}
}

// What is said in a row is answered as one; a burst ends after five times its length.
func TestBurst(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+
		rule("both", "    when: message\n    if: { text: { any_phrase: price of the box } }\n    then:\n      - reply: \"{{text|nothing}}\"\n"+per))
	for range 3 {
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "the price", 0)
		s.expect("", scenes, err)
		s.waits(3*time.Second, "")
	}
	s.says("of the box", "message the price\nthe price\nthe price\nof the box")
	for range 9 {
		scenes, err := s.Says(s.Guest("leo"), event.KindMessage, "hm", 0)
		s.expect("", scenes, err)
		s.waits(3*time.Second, "")
	}
	s.waits(3*time.Second, "unmatched") // 30 s after the first
}

func TestQuietHours(t *testing.T) {
	t.Parallel()
	file := "quiet_hours: 22:00-08:00\nin_quiet_hours: %s\nrules:\n" + rule("likes", "    when: mention\n    then:\n      - like: the_post\n"+per)
	s := play(t, fmt.Sprintf(file, "drop"))
	s.waits(13*time.Hour, "")
	s.does(event.KindMention, "look", "acted")
	s = play(t, fmt.Sprintf(file, "hold"))
	s.waits(13*time.Hour, "")
	scenes, err := s.Says(s.Guest("ana"), event.KindMention, "look", 7)
	if err != nil {
		t.Fatal(err)
	}
	eight := tuesday.Add(22 * time.Hour)
	if due := scenes[0].Decision.Actions[0].Due; due.Before(eight) || due.After(eight.Add(30*time.Minute)) {
		t.Errorf("done at %s", due)
	}
}

func TestTooMany(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("welcome", "    when: follow\n    then:\n      - message: welcome\n"+
		"    limits: { per_person: 1 ever }\n    if_too_many: { more_than: 2 in 10m, then: pause_and_notify, who: team }\n"))
	for i, want := range []string{
		"message welcome", "message welcome",
		"tell team: welcome fired more than 2 times in 10m, and is paused; list paused: welcome fired more than 2 times in 10m, and is paused",
		"held back",
	} {
		s.who = fmt.Sprint("guest", i)
		s.does(event.KindFollow, "", want)
	}
	s.waits(time.Hour, "")
	s.who = "later"
	s.does(event.KindFollow, "", "held back")
}

// If nobody answers for a while, something is done; once somebody has answered, nothing.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("faq", "    when: message\n    if: { text: { any_word: price } }\n    then:\n      - reply: one\n"+per)+
		rule("waiting", "    when: silence\n    after: 2h\n    then:\n      - reply: Somebody answers soon.\n      - notify: { who: team, text: \"waits: {{text|nothing}}\" }\n"+per))
	s.says("hello", "acted")
	s.waits(2*time.Hour, "message Somebody answers soon.; tell team: waits: hello")
	s.says("hello", "held back")
	s.who = "leo"
	s.says("hello", "acted")
	s.waits(time.Minute, "")
	s.says("the price?", "message one")
	s.waits(119*time.Minute, "message Somebody answers soon.; tell team: waits: hello") // that is another question
	s.waits(time.Hour, "left alone")
}

func TestNotifyIfWaiting(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("none", "    when: no_match\n    then:\n      - list: unanswered\n      - notify: { who: team, if_waiting: 30m }\n"))
	s.says("hello", "list unanswered: hello")
	s.waits(31*time.Minute, "tell team: message from @ana: hello")
}

// Several texts are used in turn.
func TestVariants(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("turns", "    when: message\n    then:\n      - reply: [a, b, c]\n    limits: { per_person: 9 per 1h }\n"))
	seen := map[string]int{}
	for range 6 {
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "hi", 0)
		if err != nil {
			t.Fatal(err)
		}
		seen[scenes[0].Decision.Actions[0].Text]++
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 2, "c": 2}, seen); diff != "" {
		t.Error(diff)
	}
}

// What is older than answer_within is not answered.
func TestAnswerWithin(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("all", "    when: message\n    answer_within: 1h\n    then:\n      - reply: hello\n"+per))
	e := event.Event{Account: "a", ID: event.ID{Source: event.Messages, Number: 99}, Kind: event.KindMessage, Peer: 5, Text: "hi", NotBefore: tuesday.Add(-2 * time.Hour)}
	scenes, err := s.Event(e)
	s.expect("held back", scenes, err)
	e.ID.Number, e.NotBefore = 100, tuesday.Add(-30*time.Minute)
	scenes, err = s.Event(e)
	s.expect("message hello", scenes, err)
}

// conversations are in testdata; here is what they do when somebody does what nobody expects.
const booking = "conversations:\n  - id: booking\n    start: { when: message, if: { text: { any_word: book } } }\n" +
	"    limits: { per_person: 1 per 1d }\n    steps:\n" +
	"      - id: day\n        ask: Which day?\n        expect: date\n        save_as: day\n" +
	"        if_wrong: { say: A day please., times: 2, then_goto: person }\n        next: sure\n" +
	"      - id: sure\n        ask: \"{{day}}, yes?\"\n        expect: yes_no\n        if_wrong: { say: Yes or no?, times: 1, then_goto: person }\n" +
	"        next: { \"yes\": done, \"no\": day }\n" +
	"      - id: done\n        say: Booked.\n        end: booked\n" +
	"      - id: person\n        handoff: { to: sales, say_open: Somebody will answer., if_nobody_in: 1h }\n        end: handed-over\n"

func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	s := play(t, booking)
	s.says("book", "message Which day?")
	s.says("hm", "message A day please.")
	s.says("hm", "message A day please.")
	s.says("hm", "message Somebody will answer.; tell sales: message from @ana: hm")
	s.says("hello?", "owned")
	s.waits(time.Hour, "tell sales: nobody has answered yet: message from @ana: hm")
	giveBack(s.Guest("ana"))
	s.says("book", "held back") // once a day
}

func TestBackAndForth(t *testing.T) {
	t.Parallel()
	s := play(t, booking)
	s.says("book", "message Which day?")
	s.says("tomorrow", "message Wednesday 3 March, yes?")
	s.says("no", "message Which day?")
	s.says("2027-03-09", "message Tuesday 9 March, yes?")
	s.says("yes please", "message Booked.")
	s.says("thanks", "unmatched")
}
