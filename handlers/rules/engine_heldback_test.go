package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// price answers once in twelve hours; unheard tells the team about what that holds back.
var price = rule("price", "    when: message\n    if: { text: { any_word: price } }\n    then:\n      - reply: twelve\n"+per)

const unheard = "  - id: unheard\n    when: held_back\n    then:\n      - list: unanswered\n      - notify: { who: team, text: \"unheard: {{text|nothing}}\" }\n    limits: { per_person: 1 per 1d }\n"

const isUnheard = "tell team: unheard: price??; list unanswered: price??"

// last returns the last decision about what somebody writes.
func (s *stage) last(want string, texts ...string) *decision.Decision {
	s.Helper()
	scenes := s.writes(want, texts...)
	return &scenes[len(scenes)-1].Decision
}

// What a limit holds back is heard of, once a day; the turn says who was held back and who took it.
func TestHeldBackByALimit(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+unheard+rule("none", "    when: no_match\n    then:\n      - label: odd\n"))
	s.writes("message twelve", "price?")
	d := s.last(isUnheard, "price??")
	want := "price matched, and is held back: the limit price/per_person (1 per 12h) is used up; unheard takes it"
	if d.Reason != want || d.Outcome != decision.HeldBack || d.Rule != "price" {
		t.Errorf("%s by %s: %q, want %q", d.Outcome, d.Rule, d.Reason, want)
	}
	d = s.last("held back", "price???") // its own limit starts nothing
	if want := "price matched, and is held back: the limit price/per_person (1 per 12h) is used up"; d.Reason != want {
		t.Errorf("%q, want %q", d.Reason, want)
	}
	s.writes("acted", "hello")
	if len(s.Guest("ana").State.Labels) != 1 {
		t.Error("what nothing matched is no_match")
	}
	s.waits(25*time.Hour, "")
	s.writes("message twelve", "price?")
	s.writes(isUnheard, "price??")
}

// Each reason runs its own rules, and without a reason all do.
func TestHeldBackReasons(t *testing.T) {
	t.Parallel()
	all := ""
	for _, reason := range []string{"limit", "too_many", "hours", "ceiling", "paused"} {
		all += rule("on-"+reason, "    when: held_back\n    reason: "+reason+"\n    then:\n      - label: "+reason+"\n")
	}
	all += rule("on-any", "    when: held_back\n    then:\n      - label: any\n")
	for name, c := range map[string]struct {
		file string
		do   func(s *stage)
	}{
		"limit":    {price, func(s *stage) { s.writes("message twelve", "price") }},
		"hours":    {"", func(s *stage) { s.waits(13*time.Hour, "") }},
		"ceiling":  {price, func(s *stage) { s.Full = true }},
		"paused":   {price, func(s *stage) { s.Paused = map[string]string{"price": "by ana"} }},
		"too_many": {price + "    if_too_many: { more_than: 1 in 10m, then: pause_and_notify, who: team }\n", func(s *stage) { s.who = "leo"; s.writes("message twelve", "price"); s.who = "ana" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "quiet_hours: 22:00-08:00\nin_quiet_hours: drop\nrules:\n" + price
			if c.file != "" {
				file = "rules:\n" + c.file
			}
			s := play(t, file+all)
			c.do(s)
			scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "price", 0)
			if err != nil {
				t.Fatal(err)
			}
			d := &scenes[0].Decision
			if got := strings.Join(d.State.Labels, " "); got != strings.Join(sorted("any", name), " ") {
				t.Errorf("labels %q: %s", got, d.Reason)
			}
			if !strings.HasSuffix(d.Reason, "; on-"+name+", on-any takes it") || !strings.HasPrefix(d.Reason, "price matched, and is held back: ") {
				t.Errorf("%s: %q", d.Outcome, d.Reason)
			}
		})
	}
}

func sorted(a, b string) []string {
	if a > b {
		a, b = b, a
	}
	return []string{a, b}
}

// What is paused with everything is heard of, and nothing leaves.
func TestHeldBackByAPause(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+rule("sorry", "    when: held_back\n    reason: paused\n    then:\n      - reply: Later.\n      - list: unanswered\n"+per))
	s.Paused = map[string]string{"": "by ana"}
	d := s.last("message twelve (watch); list unanswered: price?", "price?")
	if want := "price matched, and is held back: by ana; sorry takes it"; d.Reason != want {
		t.Errorf("%q, want %q", d.Reason, want)
	}
	s.Paused = map[string]string{"price": ""}
	s.who = "leo"
	s.writes("message twelve (watch); message Later.; list unanswered: price?", "price?")
	s.Paused = nil
	s.who = "mia"
	s.writes("message twelve", "price?")
}

// It may answer when nobody has, and gives no second answer.
func TestHeldBackAnswers(t *testing.T) {
	t.Parallel()
	s := play(t, burst+price+asks("hours", "")+rule("again", "    when: held_back\n    then:\n      - reply: I have told you.\n      - label: asked-twice\n"+per))
	s.writes("message twelve", "price?")
	d := s.last("message about hours", "price?", "hours?") // the price is held back, and the hours are answered
	if want := "asked-twice"; d.State.Labels[0] != want || !strings.Contains(d.Reason, "price matched, and is held back") {
		t.Errorf("%q: %s", d.State.Labels, d.Reason)
	}
	d = s.last("message I have told you.", "hours?")
	if d.Outcome != decision.Answered || d.Rule != "again" || !strings.Contains(d.Reason, "hours matched, and is held back") {
		t.Errorf("%s by %s: %s", d.Outcome, d.Rule, d.Reason)
	}
	s.writes("held back", "hours?")
}

// What a step answers in the same turn was not held back; what is for nobody, or only watched, neither.
func TestNotHeldBack(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+unheard+catering)
	s.writes("message twelve", "price?")
	s.writes("message Which day?", "book")
	s.writes("message A day please.", "price?")
	s = play(t, "rules:\n"+strings.Replace(price, "    when", "    status: watch\n    when", 1)+unheard+rule("old", "    when: message\n    if: { text: { any_word: old } }\n    answer_within: 1h\n    then:\n      - reply: old\n"+per))
	s.writes("message twelve (watch)", "price?")
	s.writes("message twelve (watch)", "price?")
	s.writes("unmatched", "hello")
	e := event.Event{Account: "a", ID: event.ID{Source: event.Messages, Number: 99}, Kind: event.KindMessage, Peer: 5, Text: "old", NotBefore: tuesday.Add(-2 * time.Hour)}
	scenes, err := s.Event(e)
	s.expect("held back", scenes, err)
	takeOver(s.Rehearsal, s.Guest("ana"))
	s.writes("owned", "price?")
}

// A follower who was greeted, or a like too many, is nothing that anybody waits for.
func TestHeldBackIsAboutAnswers(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+unheard+
		rule("likes", "    when: mention\n    then:\n      - like: the_post\n"+per)+
		rule("welcome", "    when: follow\n    then:\n      - message: welcome\n    limits: { per_person: 1 ever }\n"))
	s.does(event.KindMention, "price??", "like")
	s.does(event.KindMention, "price??", "held back")
	s.does(event.KindFollow, "", "message welcome")
	s.does(event.KindFollow, "", "held back")
}

// On watch it takes nobody's place, and on ask a person approves what it says.
func TestHeldBackOnTheLadder(t *testing.T) {
	t.Parallel()
	sorry := rule("sorry", "    status: STATUS\n    when: held_back\n    then:\n      - reply: Later.\n"+per)
	for status, want := range map[string]string{"watch": "message Later. (watch)", "ask": "message Later. (ask)", "paused": "held back"} {
		s := play(t, "rules:\n"+price+strings.Replace(sorry, "STATUS", status, 1))
		s.writes("message twelve", "price?")
		s.writes(want, "price?")
	}
}

// What is paused is recorded as on watch, takes its place all the same, and ends as paused; a conversation waits where it
// stands.
func TestPausedByHand(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+rule("any", "    when: message\n    then:\n      - reply: hello\n"+per))
	s.Paused = map[string]string{"price": "the rule price is paused"}
	d := s.last("message twelve (watch)", "price?")
	if want := "price matched, and is held back: the rule price is paused"; d.Outcome != decision.OnPause || d.Reason != want || len(d.LimitUses) > 0 {
		t.Errorf("%s: %q, want %q; uses %v", d.Outcome, d.Reason, want, d.LimitUses)
	}
	s.writes("message hello", "hello?")
	s.writes("message twelve (watch)", "price?")
	s.Paused = nil
	s.writes("message twelve", "price?") // nothing was used up
	s = play(t, "rules:\n"+price+strings.Replace(catering, "after: 24h", "after: 2h", 1))
	s.writes("message Which day?", "book")
	s.Paused = map[string]string{"": "the account is paused"}
	s.writes("paused", "14 March")
	s.waits(2*time.Hour, "paused")
	s.Paused = nil
	s.writes("message Sunday 14 March, and your mail?", "14 March")
}

// Bursts, what is held back, silence and pauses come out of what was recorded as they did, and a replay by the same
// files finds nothing else.
func TestHeldBackAsRecorded(t *testing.T) {
	t.Parallel()
	s := play(t, burst+price+asks("hours", "    status: ask\n")+asks("parking", "")+unheard+waiting+catering)
	v := s.of
	for _, paused := range []bool{false, true} {
		r := day(t, v, func(s *streets) {
			if paused {
				s.r.Paused = map[string]string{"parking": "the rule parking is paused"}
			}
			for range 2 {
				s.says("ana", "price?")
				s.says("ana", "your hours?")
				s.pass(time.Minute)
				s.says("ana", "parking?")
				s.says("ana", "price and hours")
				s.pass(time.Minute)
				s.says("leo", "book")
				s.says("leo", "parking?")
				s.pass(time.Minute)
				s.says("leo", "14 March")
				s.says("leo", "what is the price")
				s.pass(3 * time.Hour)
			}
		})
		for i := range r.turns {
			x, ok, err := replay.Explain(v, &r.turns[i])
			if err != nil || ok && !x.Masked && len(x.Differs) > 0 {
				t.Errorf("explain %s: %v %v", r.turns[i].Trigger(), x.Differs, err)
			}
		}
		if count, changed := r.replay(t, v); !paused && (len(changed) > 0 || count.Failed > 0) {
			t.Errorf("%+v\n%s", count, describe(changed))
		}
	}
}
