package autoresponder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// answering is a rule file with a rule that says something.
func answering(id, says string) string {
	return "version: 1\nname: test\nstatus: live\ndefaults: { limits: { per_person: 99 per 1h } }\nrules:\n  - id: " + id +
		"\n    when: message\n    if: { text: { any_word: " + id + " } }\n    then:\n      - reply: " + says + "\n"
}

const teams = "version: 1\ntimezone: Europe/Lisbon\nwho: { team: {} }\n"

// folderOf is a folder of rule files: their names and contents in turn.
func folderOf(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		write(t, dir, files[i], files[i+1])
	}
	return dir
}

const aMoment = 5 * time.Second // in which files are looked at several times

// A campaign of an account that is not there is not taken over: what was in force stays so, and one line says why.
func TestReloadOfAnUnknownAccount(t *testing.T) {
	t.Parallel()
	campaign := func(account string) string {
		return "campaigns:\n  - id: menu\n    account: " + account + "\n    do: repost\n    timezone: Europe/Lisbon\n    starts: 2027-03-01\n    ends: 2027-03-02\n" +
			"    slots: [Tue 09:30]\n    posts: [{ link: \"https://social.example/thread/1\" }]\n"
	}
	inHouse(t, func(h *house) {
		write(t, h.common, "10-a.yaml", asks("named")+campaign("cafe"))
		h.Advance(20 * time.Second)
		h.says("cafe", "named")
		write(t, h.common, "10-a.yaml", asks("unknown")+campaign("shop")) // it acts by another folder
		h.Advance(20 * time.Second)
		h.says("cafe", "named")
		if got := strings.Count(h.Log(), "there is no account"); got != 1 {
			t.Errorf("the log says it %d times\n%s", got, h.Log())
		}
		write(t, h.common, "10-a.yaml", asks("mended")+campaign("bar"))
		h.Advance(20 * time.Second)
		h.says("bar", "mended")
	}, "bar")
}

// A file that is saved is in force; one that does not work stays as it was, whatever else is changed.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "20-b.yaml", answering("two", "first"))
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		hears := func(one, two string) {
			t.Helper()
			w.Advance(aMoment)
			ana.Says("one")
			ana.Expects(one)
			ana.Says("two")
			ana.Expects(two)
		}
		hears("first", "first")
		write(t, dir, "10-a.yaml", answering("one", "second"))
		hears("second", "first")
		write(t, dir, "10-a.yaml", "version: 1\nrulez: []\n")
		write(t, dir, "20-b.yaml", answering("two", "second"))
		hears("second", "second")
		if !strings.Contains(w.Log(), "rulez") {
			t.Error("the log does not say what is wrong")
		}
		w.Restart() // what last worked is known afterwards, too
		hears("second", "second")
		w.Crash()
		hears("second", "second")
		if err := os.WriteFile(filepath.Join(dir, "swap"), []byte(answering("one", "third")), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "swap"), filepath.Join(dir, "10-a.yaml")); err != nil { // as editors save
			t.Fatal(err)
		}
		hears("third", "second")
		if err := os.Rename(filepath.Join(dir, "10-a.yaml"), filepath.Join(dir, "30-c.yaml")); err != nil {
			t.Fatal(err)
		}
		hears("third", "second")
		if err := os.Remove(filepath.Join(dir, "30-c.yaml")); err != nil {
			t.Fatal(err)
		}
		w.Advance(aMoment)
		ana.Says("one")
		ana.ExpectsNothing(time.Minute)
		ana.Says("two")
		ana.Expects("second")
	})
}

// What all files share is as important as they are: when others do not work any more since it has changed,
// everything stays as it was.
func TestReloadShared(t *testing.T) {
	t.Parallel()
	const tells = "      - notify: { who: team }\n"
	dir := folderOf(t, "settings.yaml", teams, "10-a.yaml", answering("one", "first")+tells)
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		answers := func() {
			t.Helper()
			w.Advance(aMoment)
			ana.Says("one")
			ana.Expects("first")
		}
		answers()
		write(t, dir, "settings.yaml", "version: 1\nwho: { sales: {} }\n") // a team is gone
		answers()
		write(t, dir, "settings.yaml", "who: [")
		answers()
		w.Restart()
		answers()
		if err := os.Remove(filepath.Join(dir, "settings.yaml")); err != nil {
			t.Fatal(err)
		}
		answers()
		if err := os.Rename(dir, dir+"-away"); err != nil {
			t.Fatal(err)
		}
		answers()
		if err := os.Rename(dir+"-away", dir); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "settings.yaml", teams)
		write(t, dir, "10-a.yaml", answering("one", "second")+tells)
		w.Advance(aMoment)
		ana.Says("one")
		ana.Expects("second")
	})
}

// A file that is being written is not in force while it changes.
func TestHalfWritten(t *testing.T) {
	t.Parallel()
	whole := answering("one", "whole") + "  - id: two\n    when: message\n    if: { text: { any_word: two } }\n    then:\n      - reply: whole\n"
	half := whole[:strings.Index(whole, "  - id: two")] // works, and is not what was meant
	dir := folderOf(t, "10-a.yaml", answering("two", "before"))
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		for i := range 20 {
			write(t, dir, "10-a.yaml", whole[:len(half)-19+i])
			w.Advance(time.Second)
		}
		write(t, dir, "10-a.yaml", whole)
		w.Advance(aMoment)
		ana.Says("two")
		ana.Expects("whole")
		if n := strings.Count(w.Log(), "rules are in force"); n != 2 {
			t.Errorf("rules were put in force %d times", n)
		}
	})
}

// A file that is removed is out of force, also while another one does not work; a file that has another name, and does
// not work, is still known by what it said before.
func TestRemovedBesideABrokenFile(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "20-b.yaml", answering("two", "first"), "30-c.yaml", "version: 1\nrulez: []\n")
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(aMoment)
		ana.Says("one", "two")
		ana.Expects("first", "first")
		if err := os.Remove(filepath.Join(dir, "10-a.yaml")); err != nil {
			t.Fatal(err)
		}
		w.Advance(aMoment)
		ana.Says("one")
		ana.ExpectsNothing(time.Minute)
		ana.Says("two")
		ana.Expects("first")
		if err := os.Rename(filepath.Join(dir, "20-b.yaml"), filepath.Join(dir, "40-d.yaml")); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "40-d.yaml", "version: 1\nrulez: []\n")
		w.Advance(aMoment)
		ana.Says("two")
		ana.Expects("first")
	})
}

// What is wrong with a file is said once, and again when it is wrong otherwise.
func TestProblemsAreSaidOnce(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "20-b.yaml", "version: 1\nrulez: []\n")
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		said := func(what string, n int) {
			t.Helper()
			w.Advance(aMoment)
			if got := strings.Count(w.Log(), what); got != n {
				t.Errorf("%q was said %d times, want %d:\n%s", what, got, n, w.Log())
			}
		}
		said("rulez", 1)
		said("there is no good version of the file yet", 1)
		for _, answer := range []string{"second", "third"} {
			write(t, dir, "10-a.yaml", answering("one", answer))
			said("rulez", 1)
		}
		write(t, dir, "20-b.yaml", "version: 1\nrulex: []\n")
		said("rulex", 1)
		write(t, dir, "20-b.yaml", answering("two", "first"))
		said("rules are in force", 4)
		write(t, dir, "20-b.yaml", "version: 1\nrulez: []\n")
		said("rulez", 2)
		said("the last good version of the file stays in force", 1)
		write(t, dir, "20-b.yaml", "version: 1\nrulez: [] # better?\n")
		said("rulez", 3) // to whoever has changed it
		said("all rule files work again", 0)
		write(t, dir, "20-b.yaml", answering("two", "first"))
		said("all rule files work again", 1)
		said("rules are in force", 4)
	})
}

// A file that works by itself, and beside which another one does not, is not in force, which is said of it, and not of the other alone.
func TestFileThatAnotherDoesNotWorkBeside(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "30-c.yaml", answering("three", "third"))
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		said := func(what string, n int) {
			t.Helper()
			w.Advance(aMoment)
			if got := strings.Count(w.Log(), what); got != n {
				t.Errorf("%q was said %d times, want %d:\n%s", what, got, n, w.Log())
			}
		}
		write(t, dir, "05-z.yaml", answering("one", "second"))
		said("file=05-z.yaml why=\"it works by itself, and is not in force as it was saved: 10-a.yaml would not work beside it\"", 1)
		write(t, dir, "30-c.yaml", answering("four", "fourth"))
		said("file=05-z.yaml why=", 1)
		ana.Says("one", "four") // what was saved beside it is in force
		ana.Expects("first", "fourth")
		if err := os.Remove(filepath.Join(dir, "05-z.yaml")); err != nil {
			t.Fatal(err)
		}
		said("would not work beside it", 1)
		ana.Says("four")
		ana.Expects("fourth")
	})
}

// A limit that changes counts what was used before, over crashes, too.
func TestLimitsThatChange(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	limited := func(limit string) string {
		return strings.Replace(answering("one", "\"{{text|nothing}}\""), "99 per 1h", limit, 1)
	}
	dir := folderOf(t, "10-a.yaml", limited("1 per 1h"))
	runHours(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		n := 0
		asks := func(limit string, later time.Duration, answers ...bool) {
			t.Helper()
			write(t, dir, "10-a.yaml", limited(limit))
			w.Advance(later)
			for _, answered := range answers {
				n++
				said := fmt.Sprint("one ", n)
				ana.Says(said)
				if answered {
					ana.Expects(said)
				} else {
					ana.ExpectsNothing(10 * time.Minute)
				}
			}
			w.Crash()
		}
		asks("1 per 1h", 10*time.Minute, true, false)
		asks("1 per 12h", 2*time.Hour, false)
		asks("3 per 1d", 10*time.Minute, true, true, false)
		asks("5 ever", 10*time.Minute, true, true, false)
		asks("1 per 1h", 10*time.Minute, false)
		asks("1 per 1h", time.Hour, true)
	})
}
