package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// What waited for an answer is not done by a rule that does not act any more, or has come to be for something else.
func TestWaitingForOtherRules(t *testing.T) {
	t.Parallel()
	const late = "rules:\n  - id: late\n    when: silence\n    after: 1h\n    then: [{ reply: Somebody answers soon. }]\n" + often
	const tells = "rules:\n  - id: late\n    when: message\n    then: [{ notify: { who: team, if_waiting: 1h } }]\n"
	for name, c := range map[string]struct{ then, now, want string }{
		"the same":            {late, late, "message Somebody answers soon."},
		"the same, to a team": {tells, tells, "tell team: message from @ana: hello"},
		"paused":              {late, strings.Replace(late, "    when", "    status: paused\n    when", 1), "unmatched"},
		"paused, to a team":   {tells, strings.Replace(tells, "    when", "    status: paused\n    when", 1), "unmatched"},
		"on watch":            {late, strings.Replace(late, "    when", "    status: watch\n    when", 1), "message Somebody answers soon. (watch)"},
		"on watch, to a team": {tells, strings.Replace(tells, "    when", "    status: watch\n    when", 1), "unmatched"},
		"answers now":         {late, strings.Replace(late, "silence\n    after: 1h", "message", 1), "unmatched"},
		"gone":                {late, strings.Replace(late, "id: late", "id: later", 1), "unmatched"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, c.then)
			s.says("hello", "acted")
			s.Use(play(t, c.now).of)
			s.waits(2*time.Hour, c.want)
		})
	}
}

// Whoever asks why a conversation did not go on is told, whatever came of the message otherwise.
func TestWhyItDidNotGoOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ more, want string }{
		"no rule":  {"", "the step day of booking is not there any more; no rule matched"},
		"watched":  {"rules:\n" + rule("all", "    status: watch\n    when: message\n    then: [{ reply: hello }]\n"+often), "the step day of booking is not there any more; on watch, and would have done something: all"},
		"answered": {"rules:\n" + rule("all", "    when: message\n    then: [{ reply: hello }]\n"+often), "the step day of booking is not there any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, booking)
			s.says("book", "message Which day?")
			s.Use(play(t, strings.NewReplacer("id: day", "id: date", "\"no\": day", "\"no\": date").Replace(booking)+c.more).of)
			scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "tomorrow", 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := scenes[0].Decision.Reason; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A conversation that is over by other rules, or since a person of ours wrote, keeps no other one from beginning.
func TestNothingIsUnderWay(t *testing.T) {
	t.Parallel()
	file := booking + "  - id: welcome\n    start: { when: follow }\n    limits: { per_person: 1 ever }\n    if_silent: [{ after: 24h, goto: bye }]\n    steps:\n" +
		"      - { id: hello, ask: Shall we tell you more?, expect: yes_no, next: { \"yes\": bye, \"no\": bye } }\n      - { id: bye, say: Thanks., end: told }\n"
	for name, c := range map[string]struct {
		meanwhile func(s *stage)
		want      string
	}{
		"nothing": {func(*stage) {}, "unmatched"},
		"its step is gone": {func(s *stage) {
			s.Use(play(t, strings.NewReplacer("id: day", "id: date", "\"no\": day", "\"no\": date").Replace(file)).of)
		}, "message Shall we tell you more?"},
		"it is paused": {func(s *stage) {
			s.Use(play(t, strings.Replace(file, "  - id: booking\n", "  - id: booking\n    status: paused\n", 1)).of)
		}, "message Shall we tell you more?"},
		"a person of ours wrote": {func(s *stage) {
			takeOver(s.Rehearsal, s.Guest("ana"))
			giveBack(s.Guest("ana"))
		}, "message Shall we tell you more?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, file)
			s.says("book", "message Which day?")
			s.waits(time.Minute, "")
			c.meanwhile(s)
			s.does(event.KindFollow, "", c.want)
		})
	}
}

// Whoever stands in a conversation that is paused for a while is not forgotten in it: what is done about their silence
// is done when it acts again. One whose step is gone is over.
func TestSilenceWhilePaused(t *testing.T) {
	t.Parallel()
	file := strings.Replace(booking, "    steps:\n", "    if_silent:\n      - { after: 1h, reply: Still there? }\n      - { after: 5h, goto: done }\n    steps:\n", 1)
	for _, status := range []string{"paused", "watch"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			s := play(t, file)
			live := s.of
			s.says("book", "message Which day?")
			s.Use(play(t, strings.Replace(file, "  - id: booking\n", "  - id: booking\n    status: "+status+"\n", 1)).of)
			s.waits(90*time.Minute, "unmatched")
			s.Use(live)
			s.waits(80*time.Minute, "acted") // it is looked at within the hour, and silence counts from there
			s.waits(20*time.Minute, "message Still there?")
			s.waits(24*time.Hour, "message Booked.")
			s.says("tomorrow", "unmatched")
		})
	}
	s := play(t, file)
	s.says("book", "message Which day?")
	s.Use(play(t, strings.NewReplacer("id: day", "id: date", "\"no\": day", "\"no\": date").Replace(file)).of)
	s.waits(24*time.Hour, "unmatched")
	if flow := s.Guest("ana").State.Flow; flow.Active() {
		t.Errorf("the conversation stands at %s", flow.State)
	}
}
