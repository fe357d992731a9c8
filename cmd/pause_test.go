package cmd

import (
	"context"
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
)

const pausable = `version: 1
name: test
status: live
defaults: { limits: { per_person: 9 per 1h }, answer_within: 10m }
rules:
  - id: prices
    when: message
    if: [text: { any_word: [price] }]
    then: [{ reply: "It is 12." }]
    reply_after: 1m..1m
  - id: hours
    when: message
    if: [text: { any_word: [open] }]
    then: [{ reply: "Until six." }]
`

// advancesWhile lets time pass, in steps of a second, while something is so.
func advancesWhile(t *testing.T, w *bottest.World, is func() bool) {
	t.Helper()
	for range 3600 {
		if !is() {
			return
		}
		w.Advance(time.Second)
	}
	t.Fatal("it is still so after an hour")
}

// prints checks a command beside the bot.
func prints(t *testing.T, w *bottest.World, args string, status int, want ...string) {
	t.Helper()
	got := beside(t, w, strings.Fields(args)...)
	for _, part := range want {
		if !strings.Contains(got.stdout+got.stderr, part) || got.status != status {
			t.Errorf("nectar %s: no %q in, or not %d but %d:\n%s%s", args, part, status, got.status, got.stdout, got.stderr)
		}
	}
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "10-a.yaml"), []byte(pausable), 0o600); err != nil {
		t.Fatal(err)
	}
	answering(t, dir, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		prints(t, w, "pause", 0, "nothing is paused")
		prints(t, w, "pause price", 2, `there is no rule or conversation "price" in force; did you mean "prices"?`)
		prints(t, w, "pause prices --all", 2, "--all is everything")
		prints(t, w, "resume", 2, "name rules, --account NAME or --all")

		ana.Says("what is the price?")
		advancesWhile(t, w, func() bool { return len(actionsOf(t, w, ana)) == 0 })
		prints(t, w, "pause prices --as ines", 0, "the rule prices is paused")
		prints(t, w, "pause", 0, "prices", "SINCE", "ines")
		prints(t, w, "accounts", 0, "working", "paused: prices; nectar resume prices")
		leo.Says("are you open?")
		leo.Expects("Until six.")
		ana.ExpectsNothing(2 * time.Minute)
		prints(t, w, "outbox", 0, "held", "the rule prices is paused", "nectar resume prices lets it leave")
		prints(t, w, "summary", 0, "who waits for you: 1", "nectar resume prices")
		prints(t, w, "resume prices", 0, "the rule prices goes on")
		ana.Expects("It is 12.")

		leo.Says("and the price?")
		advancesWhile(t, w, func() bool { return len(actionsOf(t, w, leo)) < 2 })
		prints(t, w, "pause --all", 0, "the account is paused")
		prints(t, w, "pause", 0, "everything")
		prints(t, w, "accounts", 0, "paused", "nectar resume --account bot")
		ana.Says("when are you open?")
		ana.ExpectsNothing(12 * time.Minute)
		prints(t, w, "events --outcome paused", 0, "when are you open?", "Until six.")
		prints(t, w, "resume --all", 0, "the account goes on", "1 answer was too late by now", "It is 12.", "@leo")
		leo.ExpectsNothing(time.Minute)
		ana.ExpectsNothing(time.Minute)
	})
}

// actionsOf returns what was decided for a person, newest first.
func actionsOf(t *testing.T, w *bottest.World, p *bottest.Person) (all []event.Action) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if all, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", Peer: p.ID(), Limit: 100}); err != nil {
			t.Fatal(err)
		}
	})
	return all
}
