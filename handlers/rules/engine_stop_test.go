package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// Whoever asks to be left alone while one of our people has the conversation is not written to either when the bot
// has it again: by what was gathered, by a step, by a rule on silence, by what is answered when they do not write.
func TestStopWhileOwned(t *testing.T) {
	t.Parallel()
	const hello = "rules:\n  - id: hello\n    when: [message, mention]\n    then: [{ reply: hello }]\n" + often
	for name, c := range map[string]struct{ file, says, want string }{
		"gathered": {"defaults: { merge_messages: 6s }\n" + hello, "hi", ""},
		"asked": {
			strings.Replace(booking, "    steps:\n", "    if_silent:\n      - { after: 1h, reply: Still there? }\n    steps:\n", 1),
			"book", "message Which day?",
		},
		"waiting":  {"rules:\n  - id: late\n    when: silence\n    after: 1h\n    then: [{ reply: soon }]\n" + often, "hi", "acted"},
		"answered": {hello, "hi", "message hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, c.file)
			ana := s.Guest("ana")
			scenes, err := s.Says(ana, event.KindMessage, c.says, 0)
			s.expect(c.want, scenes, err)
			ana.State.Owner = "sales" // who have not written
			scenes, err = s.Says(ana, event.KindMessage, "Stop!", 0)
			if err != nil {
				t.Fatal(err)
			}
			decided(t, scenes, decision.Owned, "", `sales has the conversation; "Stop!" asks for silence: the person is left alone until they write "start"`)
			if d := scenes[0].Decision; d.Withdraw == "" || d.State.Flow.Active() || d.State.Silence.Since.IsZero() {
				t.Errorf("%+v", d)
			}
			giveBack(ana)
			s.waits(24*time.Hour, "")
			s.does(event.KindLike, "", "left alone")
		})
	}
}

// A start word lifts it, also while the conversation is not the bot's.
func TestStopIsLifted(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("hello", "    when: [message, mention]\n    then: [{ reply: hello }]\n"+often))
	ana := s.Guest("ana")
	takeOver(s.Rehearsal, ana)
	s.says("stop", "owned")
	giveBack(ana)
	s.does(event.KindLike, "", "left alone")
	s.waits(time.Minute, "")
	takeOver(s.Rehearsal, ana)
	s.says("how are you, Mia?", "owned") // who talks with her
	giveBack(ana)
	s.does(event.KindLike, "", "left alone")
	takeOver(s.Rehearsal, ana)
	s.says("start it now please", "owned")
	giveBack(ana)
	s.does(event.KindMention, "hello", "post hello")
}

// Nobody keeps books about a stop word: it is for everybody.
func TestStopIsNoNews(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("seen", "    when: message\n"+whileOwned+"    then: [{ list: seen }]\n"))
	takeOver(s.Rehearsal, s.Guest("ana"))
	s.says("hm", "list seen: hm")
	s.says("stop", "owned")
}

// A replay knows who asked to be left alone while a person had the conversation.
func TestReplayStopWhileOwned(t *testing.T) {
	t.Parallel()
	v := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+rule("all", "    when: [message, mention]\n    then: [{ reply: hello }]\n"+often)).of
	r := day(t, v, func(r *streets) {
		ana := r.r.Guest("ana")
		r.says("ana", "hi")
		r.pass(time.Minute)
		r.says("ana", "hi again")
		takeOver(r.r, ana)
		r.says("ana", "stop")
		giveBack(ana)
		r.pass(5 * time.Minute)
		r.does("ana", event.KindMention, "look", 7)
		takeOver(r.r, ana)
		r.says("ana", "thanks")
		giveBack(ana)
		r.does("ana", event.KindMention, "look!", 8)
	})
	if count, changed := r.replay(t, v); len(changed) > 0 || count.Owned != 2 || count.Failed+count.Begun > 0 {
		t.Errorf("%+v\n%s", count, describe(changed))
	}
}
