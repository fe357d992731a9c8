package autoresponder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// tested is a rule file with a rule that says something to a word or another one, and a test of it in its last line.
func tested(id, other, says string) string {
	return strings.Replace(answering(id, says), "any_word: "+id, "any_word: ["+id+", "+other+"]", 1) + "    tests:\n      - { say: \"" + id + " x" + id + "\", expect: reply }\n"
}

// What is changed and lets a test of another file fail stays out, alone: what else was saved with it is in force. Who reads why knows what was
// changed, which test fails, and both ways on.
func TestChangeThatFailsATestOfAnotherFile(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "settings.yaml", teams, "10-a.yaml", tested("one", "uno", "first"), "20-b.yaml", tested("two", "dos", "second"), "30-c.yaml", tested("three", "tres", "third"))
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		hears := func(says ...string) {
			t.Helper()
			w.Advance(aMoment)
			for i := 0; i < len(says); i += 2 {
				ana.Says(says[i])
				ana.Expects(says[i+1])
			}
		}
		said := func(what string, n int) {
			t.Helper()
			if got := strings.Count(w.Log(), what); got != n {
				t.Errorf("%q was said %d times, want %d:\n%s", what, got, n, w.Log())
			}
		}
		hears("one", "first", "two", "second", "three", "third")
		write(t, dir, "10-a.yaml", tested("one", "xtwo", "changed")) // it takes what two is tested with
		write(t, dir, "30-c.yaml", tested("three", "tres", "other"))
		write(t, dir, "40-d.yaml", tested("four", "vier", "new"))
		hears("one", "first", "two", "second", "three", "other", "four", "new")
		const why = `it was changed, and the change is not in force: with it the test of two fails (20-b.yaml:12: \"two xtwo\" expected reply, got no_reply: ` +
			`any_word \"two\"; one answers already). Change that test, or let it be live without it: nectar rules live 20-b.yaml --without-test two`
		said(`file=10-a.yaml why="`+why+`"`, 1)
		said("a problem in the rules", 0)
		write(t, dir, "20-b.yaml", tested("two", "dos", "later"))
		hears("one", "first", "two", "later")
		w.Restart()
		hears("one", "first", "two", "later", "three", "other")
		// Both files of one save: what fails is a test of a file that was changed as well, but not for what was changed in it.
		write(t, dir, "10-a.yaml", tested("one", "uno", "mended"))
		hears("one", "mended")
		write(t, dir, "10-a.yaml", tested("one", "xtwo", "changed"))
		write(t, dir, "20-b.yaml", tested("two", "dos", "last"))
		hears("one", "mended", "two", "last")
		if err := os.Remove(filepath.Join(dir, "20-b.yaml")); err != nil {
			t.Fatal(err)
		}
		hears("xtwo", "changed")
	})
}

// A file that shares something with all others is left out, too, and so is one that is removed.
func TestSharedChangeThatFailsATest(t *testing.T) {
	t.Parallel()
	const closed = "version: 1\nstatus: ask\ndefaults: { limits: { per_person: 9 per 1h } }\nrules:\n  - id: shut\n    when: message\n    if: [hours: closed]\n" +
		"    then:\n      - reply: closed\n    tests:\n      - { say: \"hey\", at: \"Sun 10:00\", expect: reply }\n"
	hours := func(open string) string { return teams + "hours: { open: " + open + " }\n" }
	dir := folderOf(t, "settings.yaml", hours("Mon-Fri 09:00-18:00"), "10-a.yaml", answering("one", "first"), "20-b.yaml", closed)
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(aMoment)
		write(t, dir, "settings.yaml", hours("Mon-Sun 09:00-18:00"))
		write(t, dir, "10-a.yaml", answering("one", "second"))
		w.Advance(aMoment)
		ana.Says("one")
		ana.Expects("second")
		if want := "nectar rules ask 20-b.yaml --without-test shut"; !strings.Contains(w.Log(), "file=settings.yaml why=") || !strings.Contains(w.Log(), want) {
			t.Errorf("the log does not say %q:\n%s", want, w.Log())
		}
	})
}

// People are told as well, once it has lasted: of the file that was changed, and not of the one whose test fails.
func TestPeopleHearOfAChangeThatStaysOut(t *testing.T) {
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		write(t, s.dir, "20-b.yaml", tested("two", "dos", "second"))
		s.pass(time.Minute)
		write(t, s.dir, "10-a.yaml", tested("one", "xtwo", "changed"))
		s.pass(5 * time.Minute)
		got := texts(s.phone.take("a.example"))
		for _, want := range []string{
			"A change of your rules is not in force: a test speaks against it (10-a.yaml)\n", "What to do: Change that test, or let it be live without it:\nnectar rules live 20-b.yaml --without-test two\n",
			"In detail: 10-a.yaml: it was changed, and the change is not in force: with it the test of two fails (20-b.yaml:12: ",
		} {
			if strings.Count(got, want) != 1 || strings.Contains(got, "(20-b.yaml)") {
				t.Errorf("%q is not there once:\n%s", want, got)
			}
		}
	})
}
