//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// outboxRules are rules that need people.
const outboxRules = `version: 1
name: For the desk
status: live

defaults:
  limits: { per_person: 20 per 1h }

rules:
  - id: welcome
    status: ask
    when: follow
    then:
      - message: "Welcome, {{first_name|friend}}!"
    limits: { per_person: 1 ever }

  - id: opening-hours
    when: message
    if:
      - text: { any_phrase: [are you open] }
    then:
      - reply: "We are open from nine to six."
      - label: curious
    limits: { per_person: 1 per 1h }
    merge_messages: 1s

  - id: parking
    status: watch
    when: message
    if:
      - text: { any_word: [parking] }
    then:
      - reply: "Behind the house."

  - id: unanswered
    when: no_match
    then:
      - list: unanswered

conversations:
  - id: quote
    status: live
    start:
      when: message
      if:
        - text: { any_word: [quote] }
    limits: { per_person: 20 per 1h }
    if_silent:
      - after: 3h
        goto: over
    steps:
      - id: ask-guests
        ask: "How many guests?"
        expect: number
        save_as: guests
        if_wrong: { say: "Just a number, please.", times: 2, then_goto: over }
        next: ask-contact
      - id: ask-contact
        ask: "Where may we send it?"
        expect: text
        save_as: contact
        private: true
        next: confirm
      - id: confirm
        ask: "{{guests}} guests, answer to {{contact}}. Correct?"
        expect: yes_no
        save_as: correct
        if_wrong: { say: "Yes or no?", times: 2, then_goto: over }
        next: done
      - id: done
        say: "Thank you!"
        then:
          - save_lead: { list: quotes, fields: [guests, contact] }
        end: completed
      - id: over
        say: "Another time."
        end: over
`

// newRuledOffice is an office whose bot answers by outboxRules, and people who may write to it.
func newRuledOffice(t *testing.T, people ...string) *office {
	t.Helper()
	o := newOffice(t)
	putRules(t, o.dir, "10-desk.yaml", outboxRules)
	for _, name := range people {
		o.platform.AddPerson(emulator.Person{Username: name, FirstName: strings.ToUpper(name[:1]) + name[1:]})
	}
	return o
}

// play lets people do something.
func (o *office) play(steps ...script.Step) {
	o.t.Helper()
	if err := script.Play(o.t.Context(), o.platform, script.Script{Account: o.me, Steps: steps}); err != nil {
		o.t.Fatal(err)
	}
}

// comes waits until a command prints something.
func (o *office) comes(want string, args ...string) {
	o.t.Helper()
	pattern := regexp.MustCompile(want)
	var got result
	for range 300 {
		if got = o.nectar(args...); pattern.MatchString(got.stdout) {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	o.t.Fatalf("nectar %s never prints %s:\n%s%s", strings.Join(args, " "), want, got.stdout, got.stderr)
}

// objects returns what a command prints for machines.
func (o *office) objects(args ...string) []map[string]any {
	o.t.Helper()
	got := o.nectar(append(args, "--json")...)
	var all []map[string]any
	for line := range strings.Lines(got.stdout) {
		object := map[string]any{}
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			o.t.Fatalf("nectar %s: %v\n%s", strings.Join(args, " "), err, got.stdout)
		}
		all = append(all, object)
	}
	return all
}

// What a rule on ask prepared waits for a person, who lets it leave, changes it, or refuses it.
func TestApproving(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	o := newRuledOffice(t, "ana", "leo", "mia", "kim")
	p := o.run()
	for _, name := range []string{"ana", "leo", "mia", "kim"} {
		o.play(script.Actor(name).Follows())
		o.comes(`@`+name, "outbox", "--needs-approval")
	}
	const clock = `20\d\d-\d\d-\d\d \d\d:\d\d:\d\d`
	o.says(`(?s)^held  since `+clock+`, rule welcome, needs approval until `+clock+`\n +@kim \(Kim\): follow\n`+
		`\d{6}  → message "Welcome, Kim!"\n +key notif:\d+/rules/0\n\n.*\n`+
		`nectar outbox approve \d{6} lets it leave; or edit \d{6}, refuse \d{6}, approve --all; nectar outbox review asks about each\n$`, "outbox", "--needs-approval")
	o.says(`^nothing of the rule "parking"\n$`, "outbox", "--rule", "parking")

	numbers, keys := map[any]string{}, map[any]string{}
	for _, a := range o.objects("outbox", "--rule", "welcome") {
		numbers[a["user"]], keys[a["user"]] = a["number"].(string), a["key"].(string)
	}
	o.says(`^released notif:\d+/rules/0\n$`, "outbox", "approve", numbers["ana"], "--as", "ines\x1b[31m")
	o.expects("ana", "Welcome, Ana!")
	o.says(`^released notif:\d+/rules/0 with another text\n$`, "outbox", "edit", keys["leo"], "--text", "Good to have you, Leo!")
	o.expects("leo", "Good to have you, Leo!")
	o.says(`^dropped `+keys["mia"]+`\n$`, "outbox", "refuse", "--all", "--rule", "welcome", "--peer", "@mia")
	for _, named := range []string{keys["mia"], numbers["mia"]} { // who was first is told
		if got := o.nectar("outbox", "approve", named); got.status != 1 || !strings.Contains(got.stderr, keys["mia"]+" is withdrawn, not held: refused by ") {
			t.Errorf("status %d: %s", got.status, got.stderr)
		}
	}
	o.says(`never left: dropped by a person`, "why", numbers["mia"])
	o.says(`^nothing waits for approval\n$`, "outbox", "approve", "--all", "--rule", "parking")
	o.says(`message "Welcome, Ana!" +done +welcome .* approved by ines\[31m `+clock, "conversations", "show", "@ana")
	o.says(`  ines\[31m +decided +handled +decision:request/\d+ +released notif`, "conversations", "show", "@ana")
	o.says(`done .*approved by ines\[31m `+clock+`\n$`, "outbox", "--peer", "@ana")
	o.says(`follow +refused +welcome +refused by \S+ `+clock+`\n$`, "events", "--peer", "@mia")
	o.says(`(?s)follow +refused .*follow +sent .*follow +sent `, "events", "--outcome", "prepared")
	o.says(`for a person to approve, and was approved by ines\[31m `+clock+`, and done`, "why", keys["ana"])
	o.end(p)

	o.says(`asked for; no bot runs`, "outbox", "approve", numbers["kim"])
	o.says(`needs approval until `+clock+`; release by \S+ asked for `+clock+`, waits for the bot\n`, "outbox")
	if a := o.objects("outbox"); len(a) != 1 || a[0]["asked"].(map[string]any)["wish"] != "release" {
		t.Errorf("%v", a)
	}
	p = o.run()
	o.expects("kim", "Welcome, Kim!")
	o.end(p)
	if n := o.arrived("mia", "") + o.arrived("ana", "") + o.arrived("leo", "") + o.arrived("kim", ""); n != 3 {
		t.Errorf("%d messages arrived", n)
	}
	o.says(`^nothing waits for approval\n$`, "outbox", "--needs-approval")
}

func TestApprovingWrongly(t *testing.T) {
	o := newRuledOffice(t, "ana")
	o.end(o.run())
	key := o.owes("ana", "one moment", 1)
	const named = "name actions by their numbers or keys, or all of them with --all; nectar outbox --needs-approval lists them"
	for _, c := range []struct {
		status int
		want   string
		args   string
	}{
		{2, named + " (see nectar outbox approve --help)", "outbox approve"},
		{2, named + " (see nectar outbox refuse --help)", "outbox refuse --all " + key},
		{2, "--rule, --campaign and --peer go with --all (see nectar outbox approve --help)", "outbox approve --rule welcome " + key},
		{1, key + " does not wait for approval: nobody knows whether it was sent. Look at the platform, then nectar outbox release or drop it", "outbox approve " + key},
		{1, `there is no action "123456"; nectar outbox --held lists what is held`, "outbox approve 123456"},
		{2, "name one action by its number or key; nectar outbox --held lists them (see nectar outbox edit --help)", "outbox edit"},
		{2, "say with --text what is said instead; only on a terminal an editor opens (see nectar outbox edit --help)", "outbox edit " + key},
		{1, "people would read {{first_name|friend}} as it stands here: write the words themselves", "outbox edit " + key + " --text Hi,{{first_name|friend}}!"},
		{2, `there is no command "aprove"; did you mean "approve"? (see nectar outbox --help)`, "outbox aprove 123456"},
	} {
		o.refuses(c.status, c.want, strings.Fields(c.args)...)
	}
	o.says(`(?s)nobody knows whether it was sent\n\nif it is not on the platform: nectar outbox release \d{6}; if it is: nectar outbox drop \d{6}\n$`, "outbox")
}

// A number that two actions have decides about neither.
func TestNumbersOfTwo(t *testing.T) {
	o := newRuledOffice(t, "ana")
	o.end(o.run())
	seen := map[string]int64{}
	var one, two, number string
	for n := int64(1); number == ""; n++ {
		a := event.Action{Account: "main", Key: fmt.Sprintf("timer:%d/later/%d/later/0", o.platform.UserID("ana"), n)}
		if before, ok := seen[view.ShortNumber(&a)]; ok {
			number, one, two = view.ShortNumber(&a), o.owes("ana", "one", before), o.owes("ana", "two", n)
		}
		seen[view.ShortNumber(&a)] = n
	}
	o.refuses(1, number+" is the number of several actions: write the key instead, like "+two, "outbox", "drop", number)
	o.says(`: asked for; no bot runs`, "outbox", "drop", one)
}

// The editor gets the text, and what it leaves is said.
func TestEditing(t *testing.T) {
	dir := t.TempDir()
	editor := func(name, script string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct{ script, want, wrong string }{
		"changes":   {`sed s/Hello/Bye/ "$2" > "$2~" && mv "$2~" "$2"`, "Bye Ana,\nsee you", ""},
		"leaves it": {`true`, "", "the text is as it was; nothing was decided. To let it leave as it is, approve it"},
		"empties":   {`echo > "$2"`, "", "the text is empty; nothing was decided"},
		"fails":     {`exit 3`, "", "run the editor " + filepath.Join(dir, "fails") + ": exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			sh := cli.Shell{Environ: []string{"EDITOR=" + editor(strings.Fields(name)[0], c.script) + " --wait"}, Stdin: strings.NewReader(""), Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}
			got, err := sh.EditText(t.Context(), "Hello Ana,\nsee you")
			if wrong := ""; err != nil {
				wrong = err.Error()
				if wrong != c.wrong {
					t.Errorf("error %q, want %q", wrong, c.wrong)
				}
			} else if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
