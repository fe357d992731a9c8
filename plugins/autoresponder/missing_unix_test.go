//go:build unix

package autoresponder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// losses are ways to lose all rule files.
var losses = map[string]func(t *testing.T, dir string){
	"renamed": func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Rename(dir, dir+".old"); err != nil {
			t.Fatal(err)
		}
	},
	"emptied": func(t *testing.T, dir string) {
		t.Helper()
		lose(t, dir, "10-a.yaml", "settings.yaml", "replies.yaml")
	},
	"without rules": func(t *testing.T, dir string) {
		t.Helper()
		lose(t, dir, "10-a.yaml")
	},
	"a link to nowhere": func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Rename(dir, dir+".old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir+".unmounted", dir); err != nil {
			t.Fatal(err)
		}
	},
}

func lose(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// When the rule files vanish, while the bot runs or while it is down, what was in force stays so, over starts; people of
// ours are told once; and files that come back are taken over.
func TestRulesThatVanish(t *testing.T) {
	t.Parallel()
	for name, lost := range losses {
		for _, when := range []string{"running", "down"} {
			t.Run(name+" while "+when, func(t *testing.T) {
				effort.Case(t)
				dir := folderOf(t, "10-a.yaml", answering("one", "first"), "settings.yaml", "version: 1\nwho: { team: {} }\n", "replies.yaml", "version: 1\nreplies: { x: hello }\n")
				runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("one")
					ana.Expects("first")
					loaded := loadedAt(t, w)
					if when == "down" {
						w.Stop()
					}
					lost(t, dir)
					if when == "down" {
						w.Advance(3 * 24 * time.Hour)
						w.Start()
					}
					w.Advance(5 * time.Minute)
					ana.Says("one")
					ana.Expects("first")
					told := "The rule files cannot be read: "
					if n := strings.Count(w.Log(), `msg=notice who=* about=rules text="`+told); n != 1 {
						t.Errorf("people are told %d times\n%s", n, w.Log())
					}
					if !strings.Contains(w.Log(), dir) || !strings.Contains(w.Log(), "What was in force since 2027-03-02 10:00 UTC stays so") {
						t.Errorf("%s", w.Log())
					}
					w.Crash()
					w.Advance(time.Minute)
					ana.Says("one")
					ana.Expects("first")
					if again := loadedAt(t, w); !again.Equal(loaded) {
						t.Errorf("the rules are as young as %s", again)
					}
					_ = os.Remove(dir) // a link
					_ = os.MkdirAll(dir, 0o700)
					write(t, dir, "10-a.yaml", answering("one", "second"))
					w.Advance(time.Minute)
					ana.Says("one")
					ana.Expects("second")
					nothingFailed(t, w)
				})
			})
		}
	}
}

// loadedAt returns when the rules in force were put in force.
func loadedAt(t *testing.T, w *bottest.World) (at time.Time) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		f, ok, err := d.RulesInForce(context.Background(), "bot")
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		at = f.Since
	})
	return at
}
