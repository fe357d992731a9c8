package cmd

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// Why a rule was silent that stopped itself is told as it was.
func TestWhyTooMany(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := filepath.Join(t.TempDir(), "rules")
	putRules(t, filepath.Dir(dir), "10-a.yaml", `version: 1
name: test
status: live
rules:
  - id: hello
    when: message
    if: { text: { any_word: hello } }
    then: [{ reply: Hello! }]
    limits: { per_person: 99 per 1h }
    if_too_many: { more_than: 2 in 10m, then: pause_and_notify, who: team }
  - id: seen
    when: [message, mention]
    then: [{ label: seen }]
    if_too_many: { more_than: 3 in 10m, then: pause_and_notify, who: team }
`)
	putRules(t, filepath.Dir(dir), "settings.yaml", "version: 1\nwho: { team: {} }\n")
	bottest.Run(t, bottest.Config{
		Start: tuesdayAtTen,
		Bot:   bot.Config{PollInterval: 20 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
		Commit: func(commit func() error) error { // others decide meanwhile, and their limit uses are denied
			time.Sleep(time.Second)
			return commit()
		},
	}, func(w *bottest.World) {
		var said []string
		for i := range 12 { // at once: they are decided beside each other
			said = append(said, fmt.Sprintf("hello %d", i))
			w.Person(fmt.Sprint("guest", i)).Says(said[i])
		}
		w.Advance(time.Minute)
		for _, text := range []string{"hello again", "hello once more"} {
			said = append(said, text)
			w.Person("guest0").Says(text)
			w.Advance(time.Minute)
		}
		held := 0
		for _, text := range said {
			told := whys(t, w, idOf(t, w, text))
			if strings.Contains(told, "please report it") {
				t.Error(told)
			}
			if strings.Contains(told, "hello matched, and is held back") {
				held++
			}
		}
		if held != len(said)-2 {
			t.Errorf("%d of %d are held back", held, len(said))
		}
	})
}
