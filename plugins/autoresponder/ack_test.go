package autoresponder_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// escalating are rules that call one team after the other.
const escalating = `version: 1
status: live
defaults: { merge_messages: 0s, reply_after: 0s }
rules:
  - id: emergency
    when: message
    if: { text: { any_word: [emergency] } }
    then:
      - handoff: { to: front, say_open: "Somebody comes.", say_closed: "Somebody comes.", if_nobody_in: 10m, bot_returns: after 12h of silence }
      - notify: { who: back, if_waiting: 30m }
    limits: { per_person: 5 per 12h }
`

const twoTeams = "who:\n  front: [\"ntfy://a.example/front\"]\n  back: [\"ntfy://b.example/back\"]\n"

// Whoever sees to it says so: nobody else is called, those who were called hear who has it, and she goes on to wait. When nobody has written after the
// longest of the times, the last team is called once more, once. A word of ours in the chat, a command about the conversation, and done end all calls.
func TestAck(t *testing.T) {
	t.Parallel()
	until := func(w event.Wish) (at time.Time) {
		if w == event.WishLater {
			at = time.Now().Add(5 * time.Hour)
		}
		return at
	}
	wish := func(w event.Wish) func(t *testing.T, w *bottest.World, ana *bottest.Person) {
		return func(_ *testing.T, world *bottest.World, ana *bottest.Person) {
			world.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: w, Owner: "ines", By: "ines", Until: until(w)})
		}
	}
	tells := func(_ *testing.T, w *bottest.World, ana *bottest.Person) {
		w.Account("bot").Tells(ana, "Hi, this is Sam.")
	}
	const nobodyYet, waits = "nobody has answered yet", "still waits"
	for name, c := range map[string]struct {
		after   time.Duration // until somebody does it
		do      func(t *testing.T, w *bottest.World, ana *bottest.Person)
		front   []string // what rings from then on: first at once, then within the next hours
		back    []string
		waits   string
		crashes bool
	}{
		"nobody does anything":      {after: 5 * time.Minute, do: func(*testing.T, *bottest.World, *bottest.Person) {}, front: []string{nobodyYet}, back: []string{waits}, waits: "conversation.owned?owner=front emergency"},
		"one sees to it, and stops": {after: 5 * time.Minute, do: wish(event.WishAck), back: []string{waits}, waits: "conversation.owned?owner=front emergency"},
		"one sees to it when both were called": {
			after: 35 * time.Minute, do: wish(event.WishAck), front: []string{"ines has it"}, back: []string{"ines has it", waits}, waits: "conversation.owned?owner=front emergency",
		},
		"and the bot dies": {
			after: 35 * time.Minute, do: wish(event.WishAck), front: []string{"ines has it"}, back: []string{"ines has it", waits}, waits: "conversation.owned?owner=front emergency", crashes: true,
		},
		"one sees to it, and writes": {
			after: 35 * time.Minute, front: []string{"ines has it"}, back: []string{"ines has it"},
			do: func(t *testing.T, w *bottest.World, ana *bottest.Person) {
				t.Helper()
				wish(event.WishAck)(t, w, ana)
				w.Advance(time.Minute)
				tells(t, w, ana)
			},
		},
		"one writes":            {after: 35 * time.Minute, do: tells, front: []string{"one of you has written"}, back: []string{"one of you has written"}},
		"one writes at once":    {after: time.Minute, do: tells},
		"one takes it over":     {after: 35 * time.Minute, do: wish(event.WishTakeOver), front: []string{"ines has it"}, back: []string{"ines has it"}, waits: "conversation.owned?owner=front emergency"},
		"one gives it back":     {after: 35 * time.Minute, do: wish(event.WishGiveBack), front: []string{"ines has it"}, back: []string{"ines has it"}, waits: "conversation.owned?owner=front emergency"},
		"one has dealt with it": {after: 35 * time.Minute, do: wish(event.WishDone), front: []string{"ines has it"}, back: []string{"ines has it"}},
		"one has put it off":    {after: 35 * time.Minute, do: wish(event.WishLater)},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			calledBy(t, escalating, twoTeams, tuesday, 30*time.Second, func(w *bottest.World, p *phone, _ func()) {
				ana := w.Person("ana")
				ana.Says("emergency")
				w.Advance(c.after)
				p.take("a.example")
				p.take("b.example")
				c.do(t, w, ana)
				w.Advance(2 * time.Minute)
				if c.crashes {
					w.Crash()
				}
				w.Advance(3 * time.Hour)
				for host, want := range map[string][]string{"a.example": c.front, "b.example": c.back} {
					rings := slices.DeleteFunc(p.take(host), func(r ring) bool { return strings.Contains(r.text, "without being stopped") })
					if len(rings) != len(want) {
						t.Errorf("%s rang %d times, want %d:\n%s", host, len(rings), len(want), texts(rings))
						continue
					}
					for i := range want {
						if !strings.Contains(rings[i].text, want[i]) || !strings.Contains(rings[i].text, "@ana") {
							t.Errorf("%s rang with %q, want %q", host, rings[i].text, want[i])
						}
					}
				}
				if got := waitersIn(t, w); got != c.waits {
					t.Errorf("who waits: %q, want %q", got, c.waits)
				}
			})
		})
	}
}

// Where one address was called, whoever reads it knows who has it.
func TestAckAlone(t *testing.T) {
	t.Parallel()
	calledBy(t, escalating, "who:\n  front: [\"ntfy://a.example/front\"]\n  back: {}\n", tuesday, 30*time.Second, func(w *bottest.World, p *phone, _ func()) {
		ana := w.Person("ana")
		ana.Says("emergency")
		w.Advance(5 * time.Minute)
		w.Account("bot").Tells(ana, "Hi, this is Sam.")
		w.Advance(5 * time.Minute)
		if got := texts(p.take("a.example")); strings.Contains(got, "Over") || strings.Count(got, "Somebody needs a person") != 1 {
			t.Errorf("the team hears: %s", got)
		}
	})
}

// A conversation that comes back to the bot by itself, and in which nobody of ours has written, is told to the team that had it.
func TestReturnIsTold(t *testing.T) {
	t.Parallel()
	rules := strings.Replace(escalating, ", if_nobody_in: 10m, bot_returns: after 12h", ", bot_returns: after 1h", 1)
	rules = strings.Replace(rules, "      - notify: { who: back, if_waiting: 30m }\n", "", 1)
	calledBy(t, rules, twoTeams, tuesday, 30*time.Second, func(w *bottest.World, p *phone, _ func()) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("emergency")
		leo.Says("emergency")
		w.Advance(10 * time.Minute)
		w.Account("bot").Tells(leo, "Hi, this is Sam.")
		w.Advance(5 * time.Minute)
		p.take("a.example")
		w.Advance(2 * time.Hour)
		if got := texts(p.take("a.example")); strings.Count(got, "the bot speaks there again") != 1 || !strings.Contains(got, "@ana") || strings.Contains(got, "@leo") {
			t.Errorf("the team hears: %s", got)
		}
		if got := waitersIn(t, w); got != "conversation.owned?owner=front emergency" {
			t.Errorf("who waits: %q", got)
		}
	})
}
