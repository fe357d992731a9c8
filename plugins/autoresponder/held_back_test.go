package autoresponder_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

const unheardFile = `version: 1
name: test
status: live
defaults: { limits: { per_person: 99 per 1h } }
rules:
  - id: price
    when: message
    if: { text: { any_word: price } }
    then: [{ reply: twelve }]
    limits: { per_person: 2 per 12h }
  - id: hello
    when: message
    if: { text: { any_word: hello } }
    then: [{ reply: hello }]
  - id: unheard
    when: held_back
    then:
      - list: unanswered
      - notify: { who: team, text: "unheard: {{text|nothing}}" }
    limits: { per_person: 1 per 1d }
  - id: soon
    when: silence
    after: 2h
    then: [{ notify: { who: team, text: "silent: {{text|nothing}}" } }]
`

// capped runs a test with a bot that says three things to one person in an hour.
func capped(t *testing.T, test func(w *bottest.World)) {
	t.Helper()
	dir := folderOf(t, "10-a.yaml", unheardFile, "settings.yaml", "version: 1\nwho: { team: {} }\n")
	bottest.Run(t, bottest.Config{
		Start: tuesday,
		Bot:   bot.Config{PollInterval: 30 * time.Second, RequestPause: 15 * time.Second, Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: 3, Within: time.Hour}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: 20 * time.Second, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
	}, test)
}

// unanswered returns what stands on the list.
func unanswered(t *testing.T, w *bottest.World) (texts []string) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		entries, err := d.Entries(context.Background(), "bot", "unanswered", "", 10)
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			texts = append(texts, entries[i].Text)
		}
	})
	return texts
}

// What a limit, or the ceiling, holds back is heard of once a day, over a crash, too; what is above the ceiling is no
// silence.
func TestHeldBackIsHeardOf(t *testing.T) {
	t.Parallel()
	capped(t, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("price one")
		ana.Expects("twelve")
		ana.Says("price two")
		ana.Expects("twelve")
		ana.Says("price three")
		w.Advance(time.Minute)
		w.Crash()
		ana.Says("price four")
		ana.ExpectsNothing(time.Minute)
		for range 3 {
			leo.Says("hello")
			leo.Expects("hello")
		}
		leo.Says("hello, the fourth")
		leo.ExpectsNothing(10 * time.Minute)
		if got := unanswered(t, w); !slices.Equal(got, []string{"price three", "hello, the fourth"}) {
			t.Errorf("on the list: %q", got)
		}
		w.Advance(3 * time.Hour)
		log := w.Log()
		for what, n := range map[string]int{"unheard: price three": 1, "unheard: price four": 0, "unheard: hello": 1, "silent: price": 1, "silent: hello": 0} {
			if got := strings.Count(log, what); got != n {
				t.Errorf("%q was told %d times, want %d", what, got, n)
			}
		}
		nothingFailed(t, w)
	})
}

// An answer that the platform refuses has reached nobody.
func TestSilenceAfterARefusal(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	capped(t, func(w *bottest.World) {
		leo := w.AddPerson(emulator.Person{Username: "leo"})
		leo.Says("hello")
		leo.Blocks()
		w.Advance(time.Minute)
		w.Crash()
		w.Advance(3 * time.Hour)
		if !strings.Contains(w.Log(), "silent: hello") {
			t.Errorf("nobody was told:\n%s", w.Log())
		}
	})
}
