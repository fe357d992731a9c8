package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// When several rules act on one event, each action is listed with the rule that decided it.
func TestOutboxNamesTheRuleOfEachAction(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	const files = `version: 1
name: test
status: live
rules:
  - id: watched
    status: watch
    when: mention
    then: [{ message: hello }]
    limits: { per_person: 9 per 1h }
  - id: hearts
    when: mention
    then: [{ like: the_post }]
  - id: thanks
    status: ask
    when: mention
    then: [{ reply: thank you }]
    limits: { per_person: 9 per 1h }
  - id: spreads
    when: mention
    then: [{ repost: the_post }]
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "10-a.yaml"), []byte(files), 0o600); err != nil {
		t.Fatal(err)
	}
	answering(t, dir, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Mentions("lovely place, @bot")
		leo.ExpectsLike()
		w.Advance(time.Minute)
		for args, want := range map[string][]string{
			"--rule hearts": {"like post"}, "--rule spreads": {"repost post"}, "--rule watched": {"message"},
		} {
			got := beside(t, w, append([]string{"outbox", "--peer", "@leo"}, strings.Fields(args)...)...)
			lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
			if len(lines) < 2 || !strings.Contains(lines[1], want[0]) || len(lines) > 2 && lines[2] != "" {
				t.Errorf("%s: %s%s", args, got.stdout, got.stderr)
			}
		}
		for _, args := range []string{"--rule thanks", "--needs-approval"} {
			got := beside(t, w, append([]string{"outbox", "--peer", "@leo"}, strings.Fields(args)...)...).stdout
			if strings.Count(got, "→") != 1 || !strings.Contains(got, "rule thanks, needs approval until ") ||
				!strings.Contains(got, `@leo (Leo): mention "lovely place, @bot"`) || !strings.Contains(got, `→ reply to post 202 "thank you"`) {
				t.Errorf("%s: %s", args, got)
			}
		}
		why := beside(t, w, "why", idOf(t, w, "lovely")).stdout
		for _, want := range []string{"prepared by the rule thanks", ", by hearts, key", ", by spreads, key"} {
			if !strings.Contains(why, want) {
				t.Errorf("there is no %q in\n%s", want, why)
			}
		}
	})
}

// What was gathered and is answered by nobody does not look as if it still waited.
func TestEventsThatWereGatheredInVain(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"10-a.yaml": "version: 1\nname: test\nstatus: live\ndefaults: { merge_messages: 20s }\nrules:\n  - id: hello\n    when: message\n" +
			"    then: [{ reply: hello }]\n    limits: { per_person: 9 per 1h }\n",
		"settings.yaml": "version: 1\nstop_words: [stop]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answering(t, dir, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("hi", "stop")
		w.Advance(time.Minute)
		leo.Says("good morning")
		for got := ""; !strings.Contains(got, "good morning"); { // until it is seen
			w.Advance(time.Second)
			got = beside(t, w, "events").stdout
		}
		for who, want := range map[string]string{"@ana": "left alone", "@leo": "gathering"} {
			got := beside(t, w, "events", "--peer", who, "--outcome", want)
			if !strings.Contains(got.stdout, map[string]string{"@ana": `"hi"`, "@leo": "good morning"}[who]) {
				t.Errorf("%s: %s%s", who, beside(t, w, "events").stdout, got.stderr)
			}
		}
	})
}
