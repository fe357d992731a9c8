package cmd

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// aDay is a day of people with a bot that answers by the reference files.
func aDay(w *bottest.World) {
	ana, leo, zoe := w.Person("ana"), w.Person("leo"), w.Person("zoe")
	ana.Says("hey,")
	w.Advance(3 * time.Second)
	ana.Says("when do you open tomorrow?")
	leo.Mentions("lovely place, @bot")
	w.Advance(time.Minute)
	zoe.Says("what's the price of the box?")
	ana.Says("are you open?")
	w.Advance(time.Minute)
	leo.Follows()
	leo.Says("wedding quote")
	w.Advance(time.Minute)
	leo.Says("14 June")
	w.Advance(time.Minute)
	leo.Says("80")
	w.Advance(time.Minute)
	leo.Says("leo@example.org")
	w.Advance(time.Minute)
	leo.Says("yes")
	w.Advance(time.Minute)
	zoe.Says("catering?")
	w.Advance(3*time.Hour + time.Minute) // and is reminded
	zoe.Says("can I talk to a person")
	w.Advance(time.Minute)
	zoe.Says("hello?")
	w.Advance(time.Minute)
	ana.Says("how priceless!")
	w.Advance(time.Minute)
	ana.Says("are you open?") // held back, once in 12 hours
	w.Advance(time.Minute)
}

// summaryOf returns what a replay comes to.
func summaryOf(t *testing.T, r result) replay.ReplayCount {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	var last struct{ Summary replay.ReplayCount }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatalf("%v:\n%s%s", err, r.stdout, r.stderr)
	}
	return last.Summary
}

func TestReplayOfTheSameFiles(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]string{"live": allLive, "as written": nil} {
		if effort.Few() && name != "live" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			dir := referenceFolder(t, changes...)
			answering(t, dir, func(w *bottest.World) {
				aDay(w)
				for _, against := range []string{"force", "history"} {
					got := beside(t, w, "replay", dir, "--json", "--fail-on-change", "--against", against)
					c := summaryOf(t, got)
					if got.status != 0 || c.Changes() != 0 || c.Same == 0 || c.Failed != 0 || c.Unread != 0 {
						t.Errorf("against %s: status %d, %+v\n%s", against, got.status, c, beside(t, w, "replay", dir, "--against", against).stdout)
					}
				}
			})
		})
	}
}

// What a person wrote in place of an answer is their edit, and no change of the files; what the files would do
// otherwise still is.
func TestReplayOfAnEdit(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := referenceFolder(t)
	answering(t, dir, func(w *bottest.World) {
		leo, ana := w.Person("leo"), w.Person("ana")
		leo.Follows()
		w.Advance(time.Minute)
		ana.Follows()
		w.Advance(time.Minute)
		for i, a := range heldBy(t, w) {
			q := event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key}
			if i == 0 {
				q.Wish, q.Text = event.WishEdit, "Welcome aboard!"
			}
			w.Ask(q)
		}
		w.Advance(time.Hour)
		if c := summaryOf(t, beside(t, w, "replay", dir, "--against", "history", "--json")); c.Changes() != 0 || c.Edited != 1 || c.Same != 2 {
			t.Errorf("the same files: %+v", c)
		}
		if got := beside(t, w, "replay", dir, "--against", "history"); !strings.Contains(got.stdout, "\n1 of the same was said in other words by the person who approved it\n") {
			t.Errorf("what people read:\n%s%s", got.stdout, got.stderr)
		}
		other := referenceFolder(t, "text: \"Welcome,", "text: \"Hello and welcome,")
		if c := summaryOf(t, beside(t, w, "replay", other, "--against", "history", "--json")); c.Changed != 1 || c.Edited != 1 {
			t.Errorf("other files: %+v", c)
		}
		gone := referenceFolder(t, "when: follow", "when: repost")
		if c := summaryOf(t, beside(t, w, "replay", gone, "--against", "history", "--json")); c.Gone != 2 {
			t.Errorf("without the rule: %+v", c)
		}
	})
}

// What has changed since it was said is no change of files that have not: unless it is asked for.
func TestReplayAgainstTheFilesInForce(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	dir, before := referenceFolder(t, allLive...), referenceFolder(t, allLive...)
	answering(t, dir, func(w *bottest.World) {
		aDay(w)
		path := filepath.Join(dir, "replies.yaml")
		content, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Replace(string(content), "The small box is 12,", "The small box is 14 now,", 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Advance(time.Minute)
		for _, c := range []struct {
			dir, against string
			changed      int
		}{{dir, "force", 0}, {dir, "history", 1}, {before, "force", 1}, {before, "history", 0}} {
			if n := summaryOf(t, beside(t, w, "replay", c.dir, "--json", "--against", c.against)); n.Changes() != c.changed {
				t.Errorf("the files of %s against %s: %+v, want %d changed", filepath.Base(c.dir), c.against, n, c.changed)
			}
		}
		prints(t, w, "replay "+dir+" --against past", 2, "write force", "or history")
	})
}

// heldBy returns the actions that wait for a person.
func heldBy(t *testing.T, w *bottest.World) (held []event.Action) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if held, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 100}); err != nil {
			t.Fatal(err)
		}
	})
	return held
}

func TestReplayShowsChanges(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := referenceFolder(t, allLive...)
	other := referenceFolder(t, append([]string{
		"are you open, ", "", // somebody else answers
		"The small box is 12,", "The small box is 14 now,", // changed
		"none_word: [scam,", "none_word: [lovely, scam,", // gone
		"when: no_match", "when: no_match\n    status: live", // the same
		"any_word: [price, prices, cost, costs]", "any_word: [price, prices, priceless, cost, costs]", // new
	}, allLive...)...)
	answering(t, dir, func(w *bottest.World) {
		aDay(w)
		got := beside(t, w, "replay", other)
		golden(t, "replay.txt", got.stdout+got.stderr)
		if got.status != 0 {
			t.Errorf("status %d", got.status)
		}
		if got := beside(t, w, "replay", other, "--fail-on-change", "--limit", "1"); got.status != 1 || !strings.Contains(got.stdout, "more; --limit shows more") {
			t.Errorf("status %d:\n%s%s", got.status, got.stdout, got.stderr)
		}
		if c := summaryOf(t, beside(t, w, "replay", other, "--json", "--since", "1h")); c.Events != 3 || c.New != 1 {
			t.Errorf("the last hour: %+v", c)
		}
		golden(t, "replay.json", beside(t, w, "replay", other, "--json").stdout)
	})
}

func TestReplayBrokenFiles(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "10-faq.yaml")
	if err := os.WriteFile(broken, []byte("version: 1\nrules:\n  - id: a\n    when: mesage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status int
		part   string
		args   []string
	}{
		{1, "mesage", []string{broken}},
		{1, "there is no file or folder", []string{broken + "x"}},
		{2, "name the rule files", nil},
		{2, "--limit", []string{broken, "--limit", "0"}},
	} {
		got := nectar(t, append([]string{"replay"}, c.args...)...)
		if got.status != c.status || !strings.Contains(got.stderr, c.part) {
			t.Errorf("nectar replay %v: status %d\n%s", c.args, got.status, got.stderr)
		}
	}
}
