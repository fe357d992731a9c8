package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

const introduction = "message Automatic answer, Ana. Write PERSON for one of us.\n"

// introduced plays a file in whose settings it stands who writes there.
func introduced(t *testing.T, file string) *stage {
	t.Helper()
	v := compiled(t, rules.Sources{
		"10-test.yaml": []byte("version: 1\nname: test\nstatus: live\n" + file),
		"settings.yaml": []byte("version: 1\nstop_words: [stop]\nwho: { team: {} }\n" +
			"introduce: \"Automatic answer, {{first_name|friend}}. Write PERSON for one of us.\"\n"),
	})
	return &stage{t, rehearse.NewRehearsal(v, tuesday), "ana", v}
}

// The first message to a person says who writes there, in the same message; no other one does, and nothing else does.
func TestIntroduce(t *testing.T) {
	t.Parallel()
	s := introduced(t, "rules:\n"+
		rule("hello", "    when: [message, mention]\n    if: { text: { any_word: hello } }\n    then: [{ reply: Hi! }]\n"+often)+
		rule("fan", "    when: follow\n    then: [{ message: Welcome! }]\n"+often)+
		rule("list", "    when: no_match\n    then: [{ list: unanswered }]\n"))
	s.says("what?", "list unanswered: what?")
	s.does(event.KindMention, "hello", "post Hi!")
	s.does(event.KindFollow, "", introduction+"Welcome!")
	s.says("hello", "message Hi!")
	s.waits(400*24*time.Hour, "")
	s.says("hello", "message Hi!")
	s.who = "leo"
	s.says("stop", strings.Replace(stopSaid, "Ana", "Leo", 1))
	s.says("start", "unmatched")
	s.says("hello", strings.Replace(introduction, "Ana", "Leo", 1)+"Hi!")
}

// On watch nobody is told anything, and on ask it stands in what is approved: until then nobody was.
func TestIntroduceByStatus(t *testing.T) {
	t.Parallel()
	const file = "rules:\n  - id: hello\n    status: live\n    when: message\n    then: [{ reply: Hi! }]\n" + often
	s := introduced(t, strings.Replace(file, "live", "watch", 1))
	s.says("hello", "message Hi! (watch)")
	s.Use(introduced(t, file).of)
	s.says("hello", introduction+"Hi!")

	s = introduced(t, strings.Replace(file, "live", "ask", 1))
	s.Holds = true
	s.says("hello", introduction+"Hi! (ask)")
	s.held(1, s.Rule(s.Guest("ana"), false))
	s.says("hello", introduction+"Hi! (ask)")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.says("hello", "message Hi! (ask)")
}

// What has no room for it leaves without it, and the next message says it.
func TestIntroduceWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 599)
	s := introduced(t, "rules:\n"+
		rule("long", "    when: message\n    if: { text: { any_word: long } }\n    then: [{ reply: \""+long+"\" }]\n"+often)+
		rule("hello", "    when: message\n    then: [{ reply: Hi! }]\n"+often))
	s.says("long", "message "+strings.TrimSpace(long))
	s.says("hello", introduction+"Hi!")
}

// A message that the bot has begun with it is known as one of the bot's, where nothing but the text tells.
func TestIntroducedIsOurs(t *testing.T) {
	t.Parallel()
	s := introduced(t, "rules:\n"+rule("hello", "    when: message\n    then: [{ reply: Hi there! }]\n"+often))
	said := strings.TrimPrefix(introduction, "message ") + "Hi there!"
	if !engine.VersionOf(s.of).IsRuleText(said) || engine.VersionOf(s.of).IsRuleText(said+" Ana") {
		t.Error("it is not told from what people write")
	}
}
