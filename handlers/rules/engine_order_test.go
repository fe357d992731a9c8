package rules_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"pgregory.net/rapid"
)

const often = "    limits: { per_person: 999 per 1h }\n"

// answersInTurn answers after a while, at once in public, and behind a wait.
const answersInTurn = "defaults: { reply_after: 5s..90s }\nrules:\n" +
	"  - id: slow\n    when: message\n    if: { text: { any_word: slow } }\n    then: [{ reply: \"{{text|x}}\" }]\n" + often +
	"  - id: fast\n    when: message\n    if: { text: { any_word: fast } }\n    reply_after: 1s..2s\n    then: [{ reply: a }]\n" + often +
	"  - id: public\n    when: mention\n    then: [{ reply: public }]\n" + often +
	"  - id: later\n    when: message\n    if: { text: { any_word: later } }\n    then: [{ wait: 10m..40m }, { message: later }]\n" + often

// No answer of a conversation leaves before one that was decided earlier, and none waits longer than the longest
// pause. What stands behind a wait keeps its order among its like, and holds nothing else up.
func TestAnswersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	v := play(t, answersInTurn).of
	rapid.Check(t, func(t *rapid.T) {
		r := rehearse.NewRehearsal(v, tuesday)
		last := map[string]time.Time{}
		for i := range rapid.IntRange(2, 30).Draw(t, "events") {
			who := rapid.SampledFrom([]string{"ana", "leo"}).Draw(t, "who")
			kind, said := event.KindMessage, rapid.SampledFrom([]string{"slow", "fast", "later", "mention"}).Draw(t, "said")
			if said == "mention" {
				kind = event.KindMention
			}
			scenes, err := r.Says(r.Guest(who), kind, said, 7)
			if err != nil || len(scenes[0].Decision.Actions) != 1 {
				t.Fatal(scenes, err)
			}
			a, most := scenes[0].Decision.Actions[0], 90*time.Second
			class := who
			if said == "later" {
				class, most = who+" later", 40*time.Minute
			}
			if a.Due.Before(last[class]) || a.Due.Before(last[who]) {
				t.Fatalf("answer %d, %s: due %s, before an earlier one: %s, %s", i, said, a.Due, last[class], last[who])
			}
			if wait := a.Due.Sub(r.Now()); wait > most {
				t.Fatalf("answer %d, %s: waits for %s", i, said, wait)
			}
			last[class] = a.Due
			if _, err := pass(r, time.Duration(rapid.IntRange(0, 120).Draw(t, "pause"))*time.Second); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// What was held over the night is not overtaken in the morning.
func TestMorningOrder(t *testing.T) {
	t.Parallel()
	s := play(t, "quiet_hours: 22:00-08:00\nrules:\n"+rule("all", "    when: message\n    then: [{ reply: \"{{text|x}}\" }]\n"+often))
	s.waits(13*time.Hour, "") // 23:00
	due := func(said string) time.Time {
		t.Helper()
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, said, 0)
		if err != nil || len(scenes[0].Decision.Actions) != 1 {
			t.Fatal(scenes, err)
		}
		return scenes[0].Decision.Actions[0].Due
	}
	first := due("one")
	s.waits(9*time.Hour+time.Second, "")
	if second := due("two"); second.Before(first) {
		t.Errorf("the second answer is due %s, the first one %s", second, first)
	}
}

// Whoever wanted to be left alone, and writes again, does not wait for what was taken back.
func TestOrderAfterStop(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { reply_after: 1m }\nrules:\n"+rule("slow", "    when: message\n    if: { text: { any_word: slow } }\n    reply_after: 30m\n    then: [{ reply: slow }]\n"+often)+
		rule("all", "    when: message\n    then: [{ reply: fast }]\n"+often))
	s.says("slow", "message slow in 30m0s")
	s.says("hello", "message fast in 30m0s")
	s.says("stop", stopSaid)
	s.says("start", "message fast in 1m0s")
}
