package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// What the recording cannot tell is left out, and the rest is as it was.
func TestReplayLeavesOut(t *testing.T) {
	t.Parallel()
	v := changedReference(t, toLive...)
	asks := func(s *streets) {
		s.says("ana", "hey")
		s.says("ana", "are you open?")
		s.pass(time.Hour)
		s.says("ana", "are you open?") // held back
		s.pass(time.Hour)
	}
	unanswered := func(s *streets) {
		s.says("mia", "wedding quote")
		s.pass(4 * time.Hour) // reminded, unless somebody of ours has the conversation
		s.does("leo", event.KindMention, "nice", 7)
	}
	for name, c := range map[string]struct {
		do   func(s *streets)
		cut  func(r *tape)
		want func(c *replay.ReplayCount) bool
	}{
		"a burst that began before": {
			asks, func(r *tape) { r.turns = r.turns[1:] },
			func(c *replay.ReplayCount) bool { return c.Begun == 1 && c.Events == 1 && c.Silent == 1 },
		},
		"a burst that ends later": {
			asks, func(r *tape) { r.turns = r.turns[:2] }, func(c *replay.ReplayCount) bool { return c.Begun == 2 && c.Same == 0 },
		},
		"a limit that was used before": {
			asks, func(r *tape) { r.turns = r.turns[3:] }, func(c *replay.ReplayCount) bool { return c.Events == 1 && c.Silent == 1 },
		},
		"a conversation that a person had": {
			func(s *streets) {
				s.says("mia", "wedding quote")
				s.pass(time.Minute)
				s.says("mia", "can I talk to a person")
				s.pass(time.Minute)
				s.says("mia", "hello?")
				s.pass(time.Minute)
				giveBack(s.r.Guest("mia"))
				s.says("mia", "are you open?")
				s.pass(time.Minute)
			}, func(*tape) {},
			func(c *replay.ReplayCount) bool { return c.Owned == 1 && c.Same == 3 && c.Silent == 0 },
		},
		"what the program handled": {
			asks, func(r *tape) {
				r.turns[3].Event.Record.Route = "greet"
				r.turns = slices.Delete(r.turns, 4, 5)
			}, func(c *replay.ReplayCount) bool { return c.Others == 1 && c.Same == 1 },
		},
		"a private answer": {
			func(s *streets) {
				for _, said := range []string{"wedding quote", "14 June", "80", "ana@example.org", "are you open?", "yes"} {
					s.says("ana", said)
					s.pass(time.Minute)
				}
			}, func(*tape) {}, func(c *replay.ReplayCount) bool { return c.Private == 1 && c.Same == 5 },
		},
		"a person who wrote by hand": {
			unanswered, func(r *tape) {
				r.instead(record.Recorded{Turn: &record.TurnRow{
					Account: "rehearsal", ID: "decision:takeover/7", Peer: r.turns[0].Event.Peer, HandledAt: tuesday.Add(time.Minute),
					Record: event.DecisionRecord{Outcome: "handled"},
				}})
			}, func(c *replay.ReplayCount) bool { return c.Same == 2 },
		},
		"what somebody writes to a person of ours": {
			unanswered, func(r *tape) {
				e := *r.turns[0].Event
				e.ID.Number, e.HandledAt, e.Record = 77, tuesday.Add(time.Minute), event.DecisionRecord{Outcome: "owned"}
				r.instead(record.Recorded{Event: &e})
			}, func(c *replay.ReplayCount) bool { return c.Same == 2 && c.Owned == 1 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := day(t, v, c.do)
			c.cut(r)
			count, changed := r.replay(t, v)
			if len(changed) > 0 || !c.want(&count) {
				t.Errorf("%+v\n%s", count, describe(changed))
			}
		})
	}
}

// Where a private answer led is known by the next event.
func TestReplayGoesOnAfterPrivateAnswers(t *testing.T) {
	t.Parallel()
	v := changedReference(t, append([]string{
		"save_as: guests", "save_as: guests\n        private: true", "goto: to-a-human   # big events", "goto: ask-date   # big events",
	}, toLive...)...)
	r := day(t, v, func(s *streets) {
		for _, said := range []string{"wedding quote", "14 June", "220", "3 July", "80"} {
			s.says("ana", said)
			s.pass(time.Minute)
		}
	})
	if count, changed := r.replay(t, v); len(changed) > 0 || count.Private != 2 || count.Same != 3 {
		t.Errorf("%+v\n%s", count, describe(changed))
	}
}

// What was read for a burst is known before, when its turn came a little late.
func TestReplayLooksAhead(t *testing.T) {
	t.Parallel()
	v := changedReference(t, append([]string{"sender: { labels_none: [wholesale] }", "sender: { follows_me: true }"}, toLive...)...)
	s := &streets{t: t, r: rehearse.NewRehearsal(v, tuesday)}
	s.r.Guest("leo").Follows = true
	s.says("leo", "price?")
	s.pass(8 * time.Second)
	s.pass(500 * time.Millisecond)
	s.says("ana", "hello")
	s.pass(100 * time.Millisecond)
	s.says("mia", "hello")
	s.pass(time.Minute)
	r := recorded(t, v, s.scenes)
	r.turns[1].Turn.HandledAt = r.turns[1].Turn.HandledAt.Add(time.Second)
	r.turns[1], r.turns[2], r.turns[3] = r.turns[2], r.turns[3], r.turns[1]
	if count, changed := r.replay(t, v); len(changed) > 0 || count.Unread > 0 || count.Same != 3 || count.Silent != 2 {
		t.Errorf("%+v\n%s", count, describe(changed))
	}
}

// instead puts a turn in the place of everything after the first answer but events.
func (r *tape) instead(turn record.Recorded) {
	r.turns = slices.DeleteFunc(r.turns, func(t record.Recorded) bool { return t.Turn != nil && t.Turn.HandledAt.After(tuesday.Add(time.Minute)) })
	r.turns = slices.Insert(r.turns, 2, turn)
}

// A question that a person approved later was not asked before that: what was written meanwhile was no answer.
func TestReplayApprovedLater(t *testing.T) {
	t.Parallel()
	stage := play(t, strings.Replace(booking, "  - id: booking\n", "  - id: booking\n    status: ask\n", 1))
	stage.Holds = true
	v := stage.of
	var all []rehearse.Scene
	says := func(text string) {
		t.Helper()
		scenes, err := stage.Says(stage.Guest("ana"), event.KindMessage, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		more, err := pass(stage.Rehearsal, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, append(scenes, more...)...)
	}
	says("book")
	says("hello?")
	asked := stage.Now()
	stage.Rule(stage.Guest("ana"), true)
	says("tomorrow")
	r := recorded(t, v, all)
	r.turns[0].Actions[0].EndedAt = asked
	if count, changed := r.replay(t, v); len(changed) > 0 || count.Same != 3 {
		t.Errorf("%+v\n%s", count, describe(changed))
	}
}
