package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// What was written before a person of ours took over is not answered when the bot speaks again.
func TestBurstTakenOver(t *testing.T) {
	t.Parallel()
	for name, takeOver := range map[string]func(*stage){
		"wrote":  func(s *stage) { takeOver(s.Rehearsal, s.Guest("ana")) },
		"has it": func(s *stage) { s.Guest("ana").State.Owner = "sales" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+rule("all", "    when: message\n    then:\n      - reply: hello\n"+per))
			scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "hi", 0)
			s.expect("", scenes, err)
			takeOver(s)
			s.waits(20*time.Minute, "")
			giveBack(s.Guest("ana"))
			s.waits(2*time.Hour, "left alone")
			s.says("hi again", "message hello")
		})
	}
}

// A burst that an outage cut is answered afterwards, unless it is too old by then.
func TestBurstAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		late time.Duration
		want string
	}{{2 * time.Hour, "message hello"}, {7 * time.Hour, "held back"}} {
		s := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+rule("all", "    when: message\n    then:\n      - reply: hello\n"+per))
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "hi", 0)
		s.expect("", scenes, err)
		s.Outage(c.late)
		s.waits(time.Second, c.want)
	}
}

// Messages that are answered at once, since the rules have changed, do not overtake what waits already.
func TestBurstOfOtherRules(t *testing.T) {
	t.Parallel()
	const answers = "    when: message\n    then:\n      - reply: \"{{text|nothing}}\"\n    limits: { per_person: 9 per 1h }\n"
	s := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+rule("all", answers))
	scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "one", 0)
	s.expect("", scenes, err)
	s.Use(play(t, "rules:\n"+rule("all", answers)).of)
	s.says("two", "message one\ntwo")
}

// When a person of ours has written in the middle of the questions, the bot does not go on with them.
func TestQuestionsTakenOver(t *testing.T) {
	t.Parallel()
	file := strings.Replace(booking, "    steps:\n", "    if_silent:\n      - { after: 1h, reply: Still there? }\n    steps:\n", 1)
	s := play(t, file)
	ana := s.Guest("ana")
	s.says("book", "message Which day?")
	s.waits(time.Minute, "")
	takeOver(s.Rehearsal, ana)
	s.says("tomorrow", "owned")
	s.waits(3*time.Hour, "")
	giveBack(ana)
	s.waits(2*time.Hour, "left alone")
	s.says("tomorrow", "unmatched")

	s = play(t, file)
	s.says("book", "message Which day?")
	s.waits(time.Minute, "")
	takeOver(s.Rehearsal, s.Guest("ana"))
	giveBack(s.Guest("ana"))
	s.says("tomorrow", "unmatched")

	s = play(t, file)
	s.says("book", "message Which day?")
	s.Guest("ana").State.Owner = "sales" // who have not written
	s.waits(3*time.Hour, "")
	giveBack(s.Guest("ana"))
	s.says("tomorrow", "message Wednesday 3 March, yes?")
}

// A rule that hands over in the middle of the questions ends them: nobody is asked again.
func TestHandoffBetween(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("angry", "    when: message\n    if: { text: { any_word: scam } }\n    then:\n      - handoff: { to: team, note: angry }\n"+per)+
		strings.Replace(booking, "    steps:\n", "    answer_faq_between: true\n    steps:\n", 1))
	s.says("book", "message Which day?")
	s.says("scam!", "tell team: angry")
	giveBack(s.Guest("ana"))
	s.says("tomorrow", "unmatched")
}

// Whoever waited has been answered when a person of ours wrote, also when the bot speaks again by then.
func TestWaitingTakenOver(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("none", "    when: no_match\n    then:\n      - notify: { who: team, if_waiting: 30m }\n      - notify: { who: sales, if_waiting: 2h }\n"))
	s.says("hello", "acted")
	s.waits(31*time.Minute, "tell team: message from @ana: hello")
	takeOver(s.Rehearsal, s.Guest("ana"))
	giveBack(s.Guest("ana"))
	s.waits(2*time.Hour, "left alone")
	s.says("hello", "acted")
	s.waits(31*time.Minute, "tell team: message from @ana: hello")
	s.waits(2*time.Hour, "tell sales: message from @ana: hello")
}

// Whoever wants to be left alone is not written to by what was to come.
func TestStoppedMeanwhile(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("waiting", "    when: silence\n    after: 1h\n    then:\n      - reply: Somebody answers soon.\n"+per))
	s.says("hello", "acted")
	s.says("stop", stopSaid)
	s.waits(2*time.Hour, "")
	s.does(event.KindLike, "", "left alone")
	s.says("start again", "acted")
	s.waits(time.Hour, "message Somebody answers soon.")
}

// A rule on silence comes too late, after an outage.
func TestSilenceAfterAnOutage(t *testing.T) {
	t.Parallel()
	file := "rules:\n" + rule("waiting", "    when: silence\n    after: 8h\n    then:\n      - reply: Somebody answers soon.\n"+per)
	s := play(t, file)
	s.says("hello", "acted")
	s.waits(9*time.Hour, "message Somebody answers soon.")
	s = play(t, file)
	s.says("hello", "acted")
	s.Outage(20 * time.Hour)
	s.waits(time.Second, "held back")
}

// After an outage of a day there is no reminder a second before the end.
func TestSilenceInQuestionsAfterAnOutage(t *testing.T) {
	t.Parallel()
	s := play(t, strings.Replace(booking, "    steps:\n", "    if_silent:\n      - { after: 1h, reply: Still there? }\n      - { after: 5h, goto: done }\n    steps:\n", 1))
	s.says("book", "message Which day?")
	s.Outage(24 * time.Hour)
	s.waits(time.Minute, "message Booked.")
}

// A new handoff takes the place of an earlier one, with its reminder.
func TestHandoffAgain(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("one", "    when: message\n    if: { text: { any_word: one } }\n    then:\n      - handoff: { to: team, note: first, if_nobody_in: 2h }\n"+per)+
		rule("two", "    when: message\n    if: { text: { any_word: two } }\n    then:\n      - handoff: { to: sales, note: second }\n"+per))
	s.says("one", "tell team: first")
	giveBack(s.Guest("ana"))
	s.says("two", "tell sales: second")
	s.waits(3*time.Hour, "")
}

// A conversation whose file does not act any more is left, without a word.
func TestStatusChanges(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"watch", "paused"} {
		s := play(t, booking)
		s.says("book", "message Which day?")
		s.Use(play(t, strings.Replace(booking, "  - id: booking\n", "  - id: booking\n    status: "+status+"\n", 1)).of)
		s.says("tomorrow", "unmatched")
		if flow := s.Guest("ana").State.Flow; flow.Active() {
			t.Errorf("%s: the conversation stands at %s", status, flow.State)
		}
	}
}

// A step that was renamed while somebody stands in it is left with their next message.
func TestStepGone(t *testing.T) {
	t.Parallel()
	s := play(t, booking)
	s.says("book", "message Which day?")
	s.Use(play(t, strings.NewReplacer("id: day", "id: date", "\"no\": day", "\"no\": date").Replace(booking)).of)
	s.says("tomorrow", "unmatched")
	s.waits(13*time.Hour, "")
	s.waits(12*time.Hour, "")
	s.says("book", "message Which day?")
	if _, ok := replay.StepAt(s.of, "booking", s.Guest("ana").State.Flow.State); !ok {
		t.Errorf("the conversation stands at %+v", s.Guest("ana").State.Flow)
	}
}
