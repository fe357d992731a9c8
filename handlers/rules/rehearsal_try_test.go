package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/handlers/text"
)

// compiledFor compiles files, which must be right.
func compiledFor(t *testing.T, src rules.Sources) *rules.Version {
	t.Helper()
	v, report := rules.Compile(src)
	if v == nil {
		t.Fatal(report.Problems)
	}
	return v
}

// asking is a conversation that asks for one private answer.
func asking(language, expect string) string {
	return fmt.Sprintf(`version: 1
status: live
language: %s
conversations:
  - id: survey
    start: { when: message, if: { text: { any_word: [survey] } } }
    limits: { per_person: 1 ever }
    steps:
      - id: ask
        ask: "Which one?"
        expect: %s
        save_as: answer
        private: true
        if_wrong: { say: "Again, please.", times: 2, then_goto: bye }
        next: thanks
      - { id: thanks, say: "Thank you.", end: answered }
      - { id: bye, say: "Never mind.", end: given-up }
`, language, expect)
}

// What stands in for a private answer in a saved test is understood as it was, in every language.
func TestStandInIsUnderstood(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "es", "pt", "fr", "de"} {
		for _, expect := range []string{
			"text", "number", "number: 10..400", "number: over 5", "number: under 0", "date", "time", "email", "phone", "[phone, email]",
			"[media, email]", "choices: { small: [little, tiny], large: [big] }", "yes_no",
		} {
			t.Run(language+" "+expect, func(t *testing.T) {
				t.Parallel()
				if strings.Contains(expect, ": ") {
					expect = "{ " + expect + " }"
				}
				v := compiledFor(t, rules.Sources{"10-survey.yaml": []byte(asking(language, expect))})
				for _, understood := range []bool{true, false} {
					said, ok := rehearse.StandIn(v, "survey", "ask", understood, rehearse.Begins(v, nil))
					if !ok {
						t.Fatal("there is none")
					}
					world := rehearse.NewRehearsal(v, rehearse.Begins(v, nil))
					g := world.Guest("ana")
					for _, says := range []string{"survey", said} {
						scenes, err := world.Says(g, event.KindMessage, says, 0)
						if err != nil {
							t.Fatal(err)
						}
						if private, got := scenes[0].Private(); private != (says == said) || private && got != understood && expect != "text" {
							t.Errorf("%q: private %v, understood %v", says, private, got)
						}
					}
					if _, _, waits := replay.Stands(&g.State); waits == understood && expect != "text" {
						t.Errorf("%q was understood: %v", said, !waits)
					}
				}
			})
		}
	}
}

func TestNothingStandsInForAPicture(t *testing.T) {
	t.Parallel()
	v := compiledFor(t, rules.Sources{"10-survey.yaml": []byte(asking("en", "media"))})
	for _, step := range []string{"ask", "nowhere"} {
		if said, ok := rehearse.StandIn(v, "survey", step, true, rehearse.Begins(v, nil)); ok {
			t.Errorf("%s: %q", step, said)
		}
	}
}

func TestWhereARehearsalBegins(t *testing.T) {
	t.Parallel()
	file := func(id, zone string) []byte {
		return []byte("version: 1\n" + zone + "rules:\n  - id: " + id + "\n    when: follow\n    then: [label: new]\n")
	}
	tokyo, lisbon := "timezone: Asia/Tokyo\n", "timezone: Europe/Lisbon\n"
	sat, err := text.ParseWhenTime("Sat 23:00")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		src  rules.Sources
		then *text.WhenTime
		want string
	}{
		"of the settings": {
			src:  rules.Sources{"settings.yaml": []byte("version: 1\n" + tokyo), "a.yaml": file("hi", lisbon)},
			want: "Tue 10:00 Asia/Tokyo",
		},
		"of a file": {src: rules.Sources{"a.yaml": file("hi", ""), "b.yaml": file("ho", lisbon)}, want: "Tue 10:00 Europe/Lisbon"},
		"of nobody": {rules.Sources{"a.yaml": file("hi", "")}, &sat, "Sat 23:00 UTC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := compiledFor(t, tc.src)
			if got := rehearse.Begins(v, tc.then).Format("Mon 15:04 ") + v.Zone().String(); got != tc.want {
				t.Errorf("it begins at %s", got)
			}
			at, begins, ok := rehearse.Origin(v, "hi")
			if diff := cmp.Diff(text.At{File: "a.yaml", Line: at.Line}, at); diff != "" || !ok || begins.Weekday() != time.Tuesday {
				t.Errorf("%s, its tests begin at %s: %s", diff, begins, at.File)
			}
		})
	}
}

func TestWhatARuleWaitsFor(t *testing.T) {
	t.Parallel()
	v := compiledFor(t, rules.Sources{
		"settings.yaml": []byte("version: 1\nwho: { team: {} }\n"),
		"a.yaml": []byte(`version: 1
status: live
rules:
  - id: nobody-answers
    when: silence
    after: 2h
    then: [message: "We have not forgotten you."]
    limits: { per_person: 1 per 1d }
  - id: waiting
    when: no_match
    then: [notify: { who: team, if_waiting: 30m }]
  - id: angry
    when: mention
    then: [handoff: { to: team, if_nobody_in: 1h }]
    limits: { per_person: 1 per 1d }
`),
	})
	world := rehearse.NewRehearsal(v, rehearse.Begins(v, nil))
	var got []string
	for _, kind := range []event.Kind{event.KindMessage, event.KindMention} {
		scenes, err := world.Says(world.Guest("ana"), kind, "hello?", 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scenes {
			if !s.Prompted() {
				t.Error("somebody has written, and it is told as time that passes")
			}
			for _, timer := range s.Decision.Timers {
				got = append(got, rehearse.Awaits(timer))
			}
		}
		if kind == event.KindMention {
			if diff := cmp.Diff([]string{"handoff", "notify"}, check.Came("angry", scenes)); diff != "" {
				t.Error(diff)
			}
		}
	}
	want := []string{
		"tells team, unless somebody has answered",
		"lets nobody-answers act, unless somebody has answered",
		"reminds team, unless one of them has written",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := rehearse.Awaits(event.Timer{Name: "rules/silence"}); got != "" {
		t.Errorf("a timer that was cancelled %s", got)
	}
}

// A picture is an answer to a question for one, alone and with words, in tests of conversations and of rules.
func TestMediaInTests(t *testing.T) {
	t.Parallel()
	const file = "version: 1\nstatus: live\nrules:\n  - id: any\n    when: message\n    if: { text: { none_word: [quote] } }\n    then: [{ reply: Hello. }]\n    limits: { per_person: 1 per 12h }\n    tests:\n" +
		"      - { media: true, expect: reply }\n      - { say: [look, here], media: true, expect: reply }\n      - { media: true, again: true, expect: reply }\n" +
		"conversations:\n  - id: quote\n    start: { when: message, if: { text: { any_word: quote } } }\n    limits: { per_person: 9 per 1d }\n    if_silent: [{ after: 1d, goto: done }]\n" +
		"    steps:\n      - { id: photo, ask: A photo?, expect: media, save_as: photo, if_wrong: { say: A photo., times: 9 }, next: done }\n" +
		"      - { id: done, say: \"Thanks for {{photo|it}}.\", end: done }\n    tests:\n      - name: all\n        chat:\n          - { them: quote, at: photo }\n          - { them: hm, at: photo, says: A photo. }\n" +
		"          - { media: true, at: done, says: Thanks for https }\n          - { them: quote, at: photo }\n          - { them: here it is, media: true, at: done, says: A photo. }\n          - { them: quote, at: photo }\n" +
		"          - { media: true, at: photo }\n"
	_, report := check.Check(rules.Sources{"a.yaml": []byte(file)})
	var got []string
	for _, p := range report.Problems {
		if !p.Hint {
			got = append(got, fmt.Sprint(p.Line, " ", p.Text))
		}
	}
	want := []string{
		"12 a picture expected reply, got no_reply: it matched (nothing speaks against it), and is held back: the limit any/per_person (1 per 12h) is used up",
		"30 a picture expected to be at photo, and is at done: step photo: it is an answer (https://picture.example/13.png)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Of a picture and a question in a row, the picture is the answer and the question is answered.
func TestMediaBesideAQuestion(t *testing.T) {
	t.Parallel()
	v := compiledFor(t, rules.Sources{"a.yaml": []byte("version: 1\nstatus: live\ndefaults: { merge_messages: 5s }\nrules:\n  - id: price\n    when: message\n    if: { text: { any_word: price } }\n" +
		"    then: [{ reply: It is 12. }]\n    limits: { per_person: 1 per 12h }\nconversations:\n  - id: quote\n    start: { when: message, if: { text: { any_word: quote } } }\n" +
		"    limits: { per_person: 9 per 1d }\n    answer_faq_between: true\n    if_silent: [{ after: 1d, goto: done }]\n    steps:\n      - { id: photo, ask: A photo?, expect: media, save_as: photo, next: done }\n" +
		"      - { id: done, say: Thanks., end: done }\n    tests: [{ chat: [{ them: quote, at: photo }, { them: the price?, media: true, at: done, says: It is 12. }] }]\n")})
	if problems := check.RunTests(v); len(problems) > 0 {
		t.Error(problems)
	}
}
