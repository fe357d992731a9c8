package autoresponder_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// whenOpen are rules that call a team once it is open.
const whenOpen = `version: 1
status: live
rules:
  - id: price
    when: message
    if: [text: { any_word: [price] }]
    then: [{ reply: "Twelve." }]
    limits: { per_person: 10 per 1h }
  - id: closed-now
    when: message
    if: [hours: closed]
    then:
      - reply: "We answer {{next_open}}."
      - notify: { who: team, when_open: true }
    limits: { per_person: 1 per 1d }
  - id: unheard
    when: held_back
    then: [{ notify: { who: team, if_waiting: 30m, when_open: true } }]
    limits: { per_person: 1 per 1d }
`

// Whoever writes while we are closed rings nobody until we open: then the team is told once of each person, with all that she has asked and what
// the bot has said since, who has waited longest first. Who was dealt with by then is not in it, and no crash loses or doubles it.
func TestCalledWhenWeOpen(t *testing.T) {
	t.Parallel()
	calledBy(t, whenOpen, "timezone: Europe/Lisbon\nhours: { open: Mon-Fri 09:00-18:30 }\n", tuesday.Add(10*time.Hour), 2*time.Minute, func(w *bottest.World, p *phone, _ func()) {
		people := map[string]*bottest.Person{"ana": w.Person("ana")} // before zoe, who waits longer
		says := func(who, text, want string) {
			t.Helper()
			if people[who] == nil {
				people[who] = w.Person(who)
			}
			people[who].Says(text)
			if want != "" {
				people[who].Expects(want)
			}
		}
		says("zoe", "do you repair shoes?", "We answer tomorrow at 9:00.")
		w.Advance(time.Hour)
		for _, who := range []string{"ana", "leo", "mia"} {
			says(who, "hello?", "We answer tomorrow at 9:00.")
		}
		w.Advance(time.Hour)
		says("zoe", "and bags?", "")
		says("zoe", "the price?", "Twelve.")
		w.Crash()
		w.Advance(time.Hour)
		mia := w.Conversation(people["mia"]).Key
		w.Ask(event.Request{Key: mia, Wish: event.WishTakeOver, Owner: "sam"}, event.Request{Key: mia, Wish: event.WishGiveBack})
		w.Platform().SayAs(w.Account("bot").ID(), people["leo"].ID(), "This is Sam: it is on its way.")
		until := func(clock time.Duration) { w.Advance(time.Until(tuesday.Add(14*time.Hour + clock))) }
		until(8*time.Hour + 55*time.Minute)
		if got := texts(p.take("a.example")); strings.Contains(got, "hello") || strings.Contains(got, "shoes") {
			t.Errorf("in the night: %s", got)
		}
		until(9*time.Hour + 10*time.Minute)
		got := texts(p.take("a.example"))
		zoe, ana := strings.Index(got, ": @zoe"), strings.Index(got, ": @ana")
		if zoe < 0 || ana < zoe || strings.Contains(got, "@mia") || strings.Contains(got, "@leo") || strings.Count(got, ": @zoe") != 1 {
			t.Errorf("in the morning: %s", got)
		}
		for _, want := range []string{
			"They wrote on Tuesday, 20:0", ": “do you repair shoes?”\nAnd then: “and bags?”\nThe bot has said since: “We answer tomorrow at 9:00.”\nThe bot has said since: “Twelve.”\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in %s", want, got)
			}
		}
		w.Advance(8 * time.Hour)
		if got := texts(p.take("a.example")); got != "" {
			t.Errorf("later: %s", got)
		}
	})
}
