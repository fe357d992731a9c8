package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// closedNow says when somebody answers, and has the team told of it.
var closedNow = rule("closed-now", "    when: message\n    if: [{ hours: closed }]\n    then:\n      - reply: \"We answer {{next_open}}.\"\n"+
	"      - notify: { who: team, when_open: true }\n    limits: { per_person: 1 per 1d }\n")

// heldAtNight is what the rules that come with the program do about what is held back.
var heldAtNight = rule("unheard", "    when: held_back\n    then:\n      - list: unanswered\n      - notify: { who: team, if_waiting: 30m, when_open: true }\n"+
	"    limits: { per_person: 1 per 1d }\n")

// notices returns what teams are told in scenes.
func notices(scenes []rehearse.Scene) (all []decision.Notice) {
	for i := range scenes {
		all = append(all, scenes[i].Decision.Notices...)
	}
	return all
}

// at lets time pass until a time of day.
func (s *stage) at(day int, clock, want string) []rehearse.Scene {
	s.Helper()
	c, err := time.Parse("15:04", clock)
	if err != nil {
		s.Fatal(err)
	}
	scenes, err := s.Until(time.Date(2027, time.March, day, c.Hour(), c.Minute(), 0, 0, time.UTC))
	s.expect(want, scenes, err)
	return scenes
}

// What comes in while we are closed is told when we open: once for each person, all that she has asked, and what the bot has said since. While we are at
// work it is told as if when_open were not there.
func TestToldWhenWeOpen(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+closedNow+heldAtNight)
	s.at(2, "20:00", "")
	s.says("do you repair shoes?", "message We answer tomorrow at 9:00.")
	s.at(2, "23:35", "")
	s.says("and bags?", "list unanswered: and bags?")
	s.says("hello?", "held back") // the limit of unheard, too
	s.at(3, "08:59", "")
	scenes := s.at(3, "09:00", "tell team: message from @ana: do you repair shoes?\nmessage from @ana: and bags?")
	want := []decision.Notice{{
		Rule: "closed-now", Who: "team", Text: "message from @ana: do you repair shoes?\nmessage from @ana: and bags?", Kind: "waiting", Summary: true,
		Since: time.Date(2027, time.March, 2, 20, 0, 0, 0, time.UTC), Asked: []string{"do you repair shoes?", "and bags?", "hello?"}, Told: []string{"We answer tomorrow at 9:00."},
	}}
	if diff := cmp.Diff(want, notices(scenes)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.at(5, "08:00", "") // nothing is told twice
}

// While we are at work, when_open changes nothing; one that would ring after closing time does not.
func TestToldWhileWeAreOpen(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("now", "    when: message\n    if: { text: { any_word: now } }\n    then: [{ notify: { who: team, when_open: true } }]\n")+
		rule("later", "    when: message\n    if: { text: { any_word: later } }\n    then: [{ notify: { who: team, if_waiting: 30m, when_open: true } }]\n"))
	s.says("now!", "tell team: message from @ana: now!")
	s.says("later", "acted")
	s.waits(31*time.Minute, "tell team: message from @ana: later")
	s.at(2, "18:10", "")
	s.says("later", "acted")
	s.at(3, "08:59", "")
	s.at(3, "09:00", "tell team: message from @ana: later")
	s.at(4, "08:50", "")
	s.says("later", "acted")
	s.at(4, "09:19", "")
	s.at(4, "09:20", "tell team: message from @ana: later") // those thirty minutes, and not before we open
}

// What was dealt with before we open is not told: a person of ours has written, or has taken the conversation over. To open at another time is to be
// told at another time.
func TestDealtWithBeforeWeOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(s *stage)
		at, want  string
	}{
		"nothing":     {func(*stage) {}, "09:00", "tell team: message from @ana: hello?"},
		"wrote":       {func(s *stage) { takeOver(s.Rehearsal, s.Guest("ana")); giveBack(s.Guest("ana")) }, "22:00", "left alone"},
		"has it":      {func(s *stage) { takeOver(s.Rehearsal, s.Guest("ana")) }, "22:00", "left alone"},
		"attended":    {func(s *stage) { s.Guest("ana").State.Attended = s.Now() }, "22:00", "left alone"},
		"handed over": {func(s *stage) { s.Guest("ana").State.Owner = "sales" }, "09:00", "tell team: message from @ana: hello?"},
		"earlier":     {func(s *stage) { s.Use(opens(t, "Mon-Fri 07:30-18:00")) }, "07:30", "tell team: message from @ana: hello?"},
		"later":       {func(s *stage) { s.Use(opens(t, "Mon-Fri 10:00-18:00")) }, "10:00", "tell team: message from @ana: hello?"},
		"never":       {func(s *stage) { s.Use(opens(t, "")) }, "09:00", "tell team: message from @ana: hello?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, "rules:\n"+closedNow)
			s.at(2, "20:20", "")
			s.says("hello?", "message We answer tomorrow at 9:00.")
			s.at(2, "21:00", "")
			c.meanwhile(s)
			switch {
			case name == "never":
				s.at(3, "18:00", c.want)
				return
			case c.at == "22:00": // seen when it is looked, and not told
				s.at(2, c.at, c.want)
				s.at(3, "18:00", "")
				return
			}
			at, err := time.Parse("15:04", c.at)
			if err != nil {
				t.Fatal(err)
			}
			s.at(3, at.Add(-time.Minute).Format("15:04"), "")
			s.at(3, c.at, c.want)
			s.at(4, "08:00", "")
		})
	}
}

// A rule on ask counts from the approval, and tells nobody while we are closed.
func TestToldWhenWeOpenAfterAnApproval(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+closedNow)
	s.at(2, "20:00", "")
	s.says("hello?", "message We answer on Wednesday at 9:00. (ask)")
	s.at(2, "21:00", "")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.at(3, "08:59", "")
	s.at(3, "09:00", "tell team: message from @ana: hello?")
}

// Whoever asks something else and is answered still waits; an answer to what was asked, or a word of ours, ends it.
func TestOnlyItsOwnAnswerEndsAWait(t *testing.T) {
	t.Parallel()
	price := rule("price", "    when: message\n    if: { text: { any_word: price } }\n    then: [{ reply: twelve }]\n    limits: { per_person: 9 per 12h }\n")
	file := "rules:\n" + price + rule("none", "    when: no_match\n    then: [{ notify: { who: team, if_waiting: 30m } }]\n")
	s := play(t, file)
	s.says("do you repair shoes?", "acted")
	s.waits(10*time.Minute, "")
	s.says("and the price?", "message twelve")
	scenes, err := pass(s.Rehearsal, 21*time.Minute)
	s.expect("tell team: message from @ana: do you repair shoes?", scenes, err)
	if n := notices(scenes); len(n) == 1 && !slices.Equal(n[0].Told, []string{"twelve"}) {
		t.Errorf("the notice says that %q was answered", n[0].Told)
	}

	s = play(t, file)
	s.says("do you repair shoes?", "acted")
	s.waits(10*time.Minute, "")
	takeOver(s.Rehearsal, s.Guest("ana"))
	s.waits(21*time.Minute, "left alone")

	s = play(t, "rules:\n"+price+waiting) // a rule on silence
	s.says("do you repair shoes?", "acted")
	s.waits(time.Hour, "")
	s.says("and the price?", "message twelve")
	s.waits(time.Hour, soon)
}

// Of several things that somebody asked, those that were answered since are not told any more, and the others at their own time.
func TestEachWaitsForItsOwn(t *testing.T) {
	t.Parallel()
	file := "defaults: { limits: { per_person: 9 per 12h } }\nrules:\n" +
		rule("none", "    when: message\n    then: [{ notify: { who: team, if_waiting: 30m } }]\n") +
		rule("price", "    status: ask\n    when: message\n    if: { text: { any_word: price } }\n    then: [{ reply: twelve }]\n")
	s := play(t, file)
	s.Holds = true
	s.says("the price?", "message twelve (ask)")
	s.waits(10*time.Minute, "")
	s.says("do you repair shoes?", "acted")
	s.waits(time.Minute, "")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.waits(20*time.Minute, "") // the price is answered
	s.waits(9*time.Minute, "tell team: message from @ana: do you repair shoes?")

	s = play(t, file) // what another rule has answered at once needs nobody
	s.Status = decision.Live
	s.says("the price?", "message twelve")
	s.waits(time.Hour, "left alone")
}

// opens returns the rules of closedNow for other hours; for none, without.
func opens(t *testing.T, open string) *rules.Version {
	t.Helper()
	settings := "version: 1\ntimezone: Europe/Lisbon\nwho: { team: {}, sales: {} }\n"
	file := strings.Replace(closedNow, "    if: [{ hours: closed }]\n", "", 1)
	if open != "" {
		settings += "hours: { open: " + open + " }\n"
		file = closedNow
	} else {
		file = strings.NewReplacer(" {{next_open}}", "", ", when_open: true", "").Replace(file)
	}
	return compiled(t, map[string][]byte{"10-test.yaml": []byte("version: 1\nname: test\nstatus: live\nrules:\n" + file), "settings.yaml": []byte(settings)})
}
