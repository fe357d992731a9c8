package rules_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// waiting is what is said when nobody has answered for two hours.
var waiting = rule("waiting", "    when: silence\n    after: 2h\n    then:\n      - reply: Somebody answers soon.\n    limits: { per_person: 2 per 1d }\n")

const soon = "message Somebody answers soon."

// Nobody has answered, whatever the reason.
func TestSilenceWhateverTheReason(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+waiting) // a limit
	s.says("price?", "message twelve")
	s.says("price??", "held back")
	s.waits(2*time.Hour, "left alone; "+soon) // the one was answered, and the other was not
	s.waits(24*time.Hour, "")

	s = play(t, "quiet_hours: 11:00-13:00\nin_quiet_hours: drop\nrules:\n"+price+waiting) // hours
	s.waits(2*time.Hour, "")
	s.says("price?", "held back")
	s.waits(2*time.Hour, soon)

	s = play(t, "rules:\n"+price+"    if_too_many: { more_than: 1 in 10m, then: pause_and_notify, who: team }\n"+waiting)
	s.says("price?", "message twelve")
	s.who = "leo"
	s.says("price?", "tell team: price fired more than 1 times in 10m, and is paused; list paused: price fired more than 1 times in 10m, and is paused")
	s.waits(3*time.Hour, "left alone; "+soon)

	s = play(t, "rules:\n"+rule("price", "    status: watch\n    when: message\n    then:\n      - reply: twelve\n"+per)+waiting)
	s.says("price?", "message twelve (watch)")
	s.waits(2*time.Hour, soon)

	s = play(t, "rules:\n"+rule("price", "    status: ask\n    when: message\n    then:\n      - reply: twelve\n"+per)+waiting)
	s.Holds = true // a person who does not look
	s.says("price?", "message twelve (ask)")
	s.waits(2*time.Hour, soon)
	s.waits(24*time.Hour, "")

	s = play(t, "rules:\n"+rule("none", "    when: no_match\n    then:\n      - reply: What do you mean?\n"+per)+waiting)
	s.says("price?", "message What do you mean?")
	s.waits(3*time.Hour, "left alone") // somebody has answered
}

// An approval in time is an answer, and a refusal by us is none.
func TestSilenceAfterAnApproval(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"approved": "left alone", "refused": soon} {
		s := play(t, "rules:\n"+rule("price", "    status: ask\n    when: message\n    then:\n      - reply: twelve\n"+per)+waiting)
		s.Holds = true
		s.says("price?", "message twelve (ask)")
		s.waits(time.Hour, "")
		if name == "approved" {
			s.Rule(s.Guest("ana"), true)
		} else {
			s.Rule(s.Guest("ana"), false)
		}
		s.waits(time.Hour, want)
	}
}

// It is not for people who stopped, for what is above the ceiling, and for conversations that a person has.
func TestNoSilence(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+waiting)
	s.says("price?", "message twelve")
	s.says("price??", "held back")
	s.says("stop", stopSaid)
	s.waits(3*time.Hour, "left alone")

	s = play(t, "rules:\n"+price+waiting)
	s.says("price?", "message twelve")
	s.says("price??", "held back")
	takeOver(s.Rehearsal, s.Guest("ana"))
	s.waits(3*time.Hour, "")

	s = play(t, "rules:\n"+rule("human", "    when: message\n    then:\n      - handoff: { to: sales, say_open: A moment., note: look }\n"+per)+waiting)
	s.says("a human", "message A moment.; tell sales: look")
	giveBack(s.Guest("ana"))
	s.waits(3*time.Hour, "")
}

// Its reply obeys its own limits; what was answered before is no answer to what comes later.
func TestSilenceAgain(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+price+waiting)
	s.says("price?", "message twelve")
	s.waits(time.Hour, "")
	s.says("price?", "held back")
	s.waits(2*time.Hour, "left alone; "+soon)
	s.says("price?", "held back")
	s.waits(2*time.Hour, soon)
	s.says("price?", "held back")
	s.waits(3*time.Hour, "")
}

// What a rule has liked is matched, and answered: neither no_match nor silence is for it. Labels, lists and notices
// alone are nothing that anybody sees.
func TestLikedIsMatched(t *testing.T) {
	t.Parallel()
	rest := rule("none", "    when: no_match\n    then:\n      - list: unanswered\n") + waiting
	post := func(s *stage, kind event.Kind, post int64, want string) {
		t.Helper()
		scenes, err := s.Says(s.Guest("ana"), kind, "lovely", platform.PostID(post))
		s.expect(want, scenes, err)
	}
	for _, c := range []struct{ act, want, held, later string }{
		{"like: the_post", "like", "acted", "left alone; post Somebody answers soon."},
		{"repost: the_post", "repost", "acted", "left alone; post Somebody answers soon."},
		{"follow: them", "follow", "acted", "left alone; post Somebody answers soon."},
		{"label: seen", "list unanswered: lovely", "list unanswered: lovely", "post Somebody answers soon."},
		{"list: seen", "list seen: lovely; list unanswered: lovely", "list unanswered: lovely", "post Somebody answers soon."},
		{"notify: { who: team, text: look }", "tell team: look; list unanswered: lovely", "list unanswered: lovely", "post Somebody answers soon."},
	} {
		file := rule("likes", "    when: mention\n    then:\n      - "+c.act+"\n    limits: { per_person: 1 per 1d }\n") + rest
		s := play(t, "rules:\n"+file)
		post(s, event.KindMention, 7, c.want)
		post(s, event.KindMention, 8, c.held) // it has matched, and its limit holds it back
		s.waits(2*time.Hour, c.later)

		s = play(t, "rules:\n"+rule("likes", "    status: watch\n    when: mention\n    then:\n      - "+c.act+"\n"+per)+rest)
		scenes, err := s.Says(s.Guest("ana"), event.KindMention, "lovely", 7)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(scenes[0].Decision.Entries); n != 1 { // a rule on watch takes nobody's place
			t.Errorf("%s on watch: %d entries", c.act, n)
		}
	}
}
