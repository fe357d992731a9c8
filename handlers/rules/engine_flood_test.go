package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Many rules may match one event, and each may have limits.
func TestManyLimits(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("defaults: { limits: { per_person: 1 per 12h } }\nrules:\n")
	for i := range 60 {
		fmt.Fprintf(&file, "  - id: rule-%d\n    when: message\n    then:\n      - label: label-%d\n", i, i)
	}
	s := play(t, file.String())
	s.says("hi", "acted")
	if n := len(s.Guest("ana").State.Labels); n != 60 {
		t.Errorf("%d labels", n)
	}
}

// A flood is answered as one burst, of which no more is kept than anybody reads.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+rule("all", "    when: message\n    then:\n      - reply: \"{{text|nothing}}\"\n"+per))
	ana := s.Guest("ana")
	for range 200 {
		if _, err := s.Says(ana, event.KindMessage, strings.Repeat("long ", 100), 0); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for _, text := range ana.State.Memory.Burst.Texts {
		kept += len(text)
	}
	if kept > 16<<10 || len(ana.State.Memory.Burst.Events) != 200 {
		t.Errorf("%d bytes of %d messages are kept", kept, len(ana.State.Memory.Burst.Events))
	}
	scenes, err := pass(s.Rehearsal, time.Minute)
	if err != nil || len(scenes) != 1 || len(scenes[0].Decision.Actions) != 1 {
		t.Fatalf("%+v, %v", scenes, err)
	}
	if n := utf8.RuneCountInString(scenes[0].Decision.Actions[0].Text); n == 0 || n > bot.MaxMessage {
		t.Errorf("an answer of %d characters", n)
	}
}

// What people write is repeated only as far as the platform takes it, in public too.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("echo", "    when: [message, mention]\n    then:\n      - reply: \"{{text|nothing}} {{name|you}}\"\n    limits: { per_person: 9 per 1h }\n"))
	for _, c := range []struct {
		kind event.Kind
		most int
	}{{event.KindMessage, bot.MaxMessage}, {event.KindMention, bot.MaxPost}} {
		scenes, err := s.Says(s.Guest("ana"), c.kind, strings.Repeat("é", 8000), 7)
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCountInString(scenes[0].Decision.Actions[0].Text); n != c.most {
			t.Errorf("%s: an answer of %d characters", c.kind, n)
		}
	}
}

// What is dropped in quiet hours uses nothing up; a conversation does not begin in them, and goes on.
func TestDropped(t *testing.T) {
	t.Parallel()
	s := play(t, "quiet_hours: 22:00-08:00\nin_quiet_hours: drop\nrules:\n"+rule("likes", "    when: mention\n    then:\n      - like: the_post\n"+per)+booking)
	s.waits(11*time.Hour+55*time.Minute, "")
	s.says("book", "message Which day?")
	s.waits(10*time.Minute, "")
	scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "tomorrow", 0)
	if err != nil || len(scenes[0].Decision.Actions) != 1 { // afterwards: they wait for the next question
		t.Errorf("%s, %v", heard(scenes), err)
	}
	s.who = "leo"
	s.says("book", "held back")
	s.does(event.KindMention, "look", "acted")
	s.waits(10*time.Hour, "")
	s.does(event.KindMention, "look", "like")
	s.says("book", "message Which day?")
}

// What waits for the end of quiet hours is said to one person in its order.
func TestQuietOrder(t *testing.T) {
	t.Parallel()
	s := play(t, "quiet_hours: 22:00-08:00\nrules:\n"+rule("echo", "    when: message\n    then:\n      - reply: \"{{text|nothing}}\"\n    limits: { per_person: 99 per 1h }\n"))
	s.waits(13*time.Hour, "")
	var last time.Time
	for i := range 20 {
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, fmt.Sprint(i), 0)
		if err != nil {
			t.Fatal(err)
		}
		if due := scenes[0].Decision.Actions[0].Due; due.Before(last) {
			t.Errorf("the answer to %d leaves at %s, after one at %s", i, due, last)
		} else {
			last = due
		}
	}
}
