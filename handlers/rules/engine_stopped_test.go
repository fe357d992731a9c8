package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

const stopSaid = "message We will send no more automatic messages. Write START to get them again."

const chatty = "rules:\n  - id: all\n    when: message\n    then: [{ reply: hello }]\n" + often +
	"  - id: likes\n    when: mention\n    then: [{ like: the_post }, { reply: thanks }]\n" + often +
	"  - id: none\n    when: no_match\n    then: [{ list: unanswered }, { notify: { who: team } }]\n"

// Whoever asks for silence is told once how to end it, and hears nothing more until they do; what they write meanwhile
// is kept, and told once a day.
func TestStopWords(t *testing.T) {
	t.Parallel()
	s := play(t, chatty)
	s.says("is it near the bus stop?", "message hello")
	s.says("the bus stop?", "message hello")
	s.says("you should not stop doing that", "message hello")
	s.says("stop bleeding", "message hello")
	s.says("STOP please", stopSaid)
	s.says("please stop!", "left alone") // she knows
	s.says("and where are you?", "tell team: asked for silence, and is not answered: message from @ana: and where are you?; list unanswered: and where are you?")
	s.waits(23*time.Hour, "")
	s.says("hello?", "list unanswered: hello?")
	s.does(event.KindMention, "look", "list unanswered: look")
	s.does(event.KindLike, "", "left alone")
	s.waits(time.Hour, "")
	s.does(event.KindReply, "well", "tell team: asked for silence, and is not answered: reply from @ana: well; list unanswered: well")
	s.says("how do I start?", "list unanswered: how do I start?")
	s.says("start", "message hello")
	s.does(event.KindMention, "look", "like; post thanks")
	s.says("stop", stopSaid)
}

// The start word is no question that nobody answers: it rings nobody, also when it is gathered with what follows. What follows counts.
func TestStartWordIsNoQuestion(t *testing.T) {
	t.Parallel()
	const none = "  - id: none\n    when: no_match\n    then: [{ list: unanswered }, { notify: { who: team } }]\n"
	for name, merge := range map[string]string{"one by one": "", "gathered": "defaults: { merge_messages: 6s }\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, merge+"rules:\n  - id: price\n    when: message\n    if: [{ text: { any_word: [price] } }]\n    then: [{ reply: it is 12 }]\n"+often+none)
			s.says("stop", stopSaid)
			s.says("start", "unmatched")
			s.waits(time.Hour, "")
			s.says("stop", stopSaid)
			s.says("start price", "tell team: asked for silence, and is not answered: message from @ana: start price; list unanswered: start price") // it says more
			s.says("start please", "unmatched")
			s.says("price", "message it is 12")
			if merge == "" {
				return
			}
			s.says("stop", stopSaid)
			for _, said := range []string{"start", "do you know a dentist"} {
				if _, err := s.Says(s.Guest("ana"), event.KindMessage, said, 0); err != nil {
					t.Fatal(err)
				}
			}
			s.waits(7*time.Second, "tell team: message from @ana: start\ndo you know a dentist; list unanswered: start\ndo you know a dentist")
		})
	}
}

// The answer, and the word it names, are in the language of the folder, or as they are written.
func TestStopAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ settings, says, start string }{
		"es":    {"language: es", "ALTA", "alta por favor"},
		"pt":    {"language: pt", "VOLTAR", "Começar"},
		"fr":    {"language: fr", "REPRENDRE", "start"},
		"de":    {"language: de", "START", "bitte weiter"},
		"en":    {"language: en", "START", "resume"},
		"words": {"language: es\nstart_words: [go on, start]", "GO ON", "please go on"},
		"text":  {"start_words: [again]\nstop_answer: \"Bye {{first_name|friend}}. Say again!\"", "Bye Ana. Say again!", "again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := compiled(t, rules.Sources{
				"10-test.yaml":  []byte("version: 1\nname: test\nstatus: live\n" + chatty),
				"settings.yaml": []byte("version: 1\nstop_words: [stop]\nwho: { team: {} }\n" + c.settings + "\n"),
			})
			s := &stage{t, rehearse.NewRehearsal(v, tuesday), "ana", v}
			scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "stop", 0)
			if err != nil || len(scenes[0].Decision.Actions) != 1 || !strings.Contains(scenes[0].Decision.Actions[0].Text, c.says) {
				t.Fatalf("%+v, %v", scenes, err)
			}
			s.says(c.start, "message hello")
		})
	}
}

// The answer leaves as far as the rules' answers do. Whoever was not told how to end the silence ends it with any
// message; so does whom an earlier version left alone.
func TestStopByStatus(t *testing.T) {
	t.Parallel()
	const watched = "rules:\n  - id: all\n    status: watch\n    when: message\n    then: [{ reply: hello }]\n" + often
	s := play(t, watched)
	s.says("stop", stopSaid+" (watch)")
	s.does(event.KindMention, "look", "left alone")
	s.says("hm", "message hello (watch)")

	s = play(t, strings.Replace(watched, "watch", "ask", 1))
	s.says("stop", stopSaid+" (ask)")
	s.says("hm", "tell *: asked for silence, and is not answered: message from @ana: hm; list unanswered: hm")
	s.Use(play(t, watched).of)
	s.says("hm", "left alone")

	s = play(t, strings.Replace(watched, "watch", "paused", 1))
	s.says("stop", "left alone")

	s = play(t, chatty)
	s.Guest("ana").State.Silence = conversation.Silence{Since: s.Now(), Untold: true}
	s.does(event.KindMention, "look", "left alone")
	s.says("hm", "message hello")
	s.Guest("ana").State.Silence = conversation.Silence{Since: s.Now(), Untold: true}
	s.says("stop", stopSaid) // under the new words
	s.says("hm", "tell team: asked for silence, and is not answered: message from @ana: hm; list unanswered: hm")
}

// What the step has to say to that is said in the same message; then the conversation is over, also when the step asks.
func TestStopInAConversation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ step, want string }{
		"says":  {"say: Nothing was kept., then: [forget_answers], end: over", "message Nothing was kept.\n" + strings.TrimPrefix(stopSaid, "message ")},
		"asks":  {"ask: Really?, expect: text, next: done", "message Really?\n" + strings.TrimPrefix(stopSaid, "message ")},
		"mutes": {"then: [{ label: gone }], end: over", stopSaid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, strings.Replace(booking, "    steps:\n", "    at_any_step: [{ if: { text: { any_word: stop } }, goto: bye }]\n    if_silent: [{ after: 1h, reply: Still there? }]\n    steps:\n", 1)+
				"      - { id: bye, "+c.step+" }\n")
			s.says("book", "message Which day?")
			s.says("stop", c.want)
			if s.Guest("ana").State.Flow.Active() {
				t.Error("the conversation goes on")
			}
			s.waits(2*time.Hour, "")
			s.says("tomorrow", "tell *: asked for silence, and is not answered: message from @ana: tomorrow; list unanswered: tomorrow")
		})
	}
}

// Quiet hours do not hold the answer up: it is to somebody who is there, and wants just that.
func TestStopInQuietHours(t *testing.T) {
	t.Parallel()
	s := play(t, "quiet_hours: 22:00-08:00\n"+chatty)
	s.waits(13*time.Hour, "")
	s.says("stop", stopSaid)
}

// Somebody of ours who has the conversation is not told what is written to them, once they have written there.
func TestStoppedWhileOwned(t *testing.T) {
	t.Parallel()
	s := play(t, chatty)
	ana := s.Guest("ana")
	ana.State.Owner = "sales"
	s.says("please stop", "owned")
	s.waits(time.Minute, "")
	s.says("anybody?", "tell team: asked for silence, and is not answered: message from @ana: anybody?; list unanswered: anybody?")
	takeOver(s.Rehearsal, ana)
	s.waits(48*time.Hour, "")
	s.says("thanks", "owned")
	giveBack(ana)
	s.says("hello", "tell team: asked for silence, and is not answered: message from @ana: hello; list unanswered: hello")
	ana.State.Owner = "sales"
	s.says("start", "owned")
	giveBack(ana)
	s.says("hello", "message hello")
}

// What a team was to be told because of what they wrote before is told.
func TestStoppedWhileTheTeamWaits(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("none", "    when: no_match\n    then: [{ notify: { who: team, if_waiting: 30m } }]\n"))
	s.says("I want a refund", "acted")
	s.says("stop", stopSaid)
	s.waits(time.Hour, "tell team: message from @ana: I want a refund")
}

// Tests of rules can say that somebody asked for silence.
func TestStoppedInTests(t *testing.T) {
	t.Parallel()
	for test, ok := range map[string]bool{
		"{ say: hello, stopped: true, expect: no_reply }":      true,
		"{ say: hello, stopped: true, expect: reply }":         false,
		"{ say: start, stopped: true, expect: reply }":         true,
		"{ mention: hello, stopped: true, expect: no_action }": true,
	} {
		src := rules.Sources{"settings.yaml": []byte("version: 1\nstop_words: [stop]\n"), "10.yaml": []byte("version: 1\nname: test\nstatus: live\nrules:\n" +
			rule("all", "    when: [message, mention]\n    then: [{ reply: hello }]\n"+often+"    tests: ["+test+"]\n"))}
		if _, report := check.Check(src); report.OK() != ok {
			t.Errorf("%s: %v", test, report.Problems)
		}
	}
}
