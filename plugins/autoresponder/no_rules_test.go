package autoresponder_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// A bot whose rule files have never worked says that nobody is answered, and answers as soon as one works.
func TestNoFileHasEverWorked(t *testing.T) {
	t.Parallel()
	const broken = "version: 1\nrulez: []\n"
	dir := folderOf(t, "10-a.yaml", broken)
	runs(t, autoresponder.Config{Path: dir}, 5*time.Second, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		w.Advance(aMoment)
		if !strings.Contains(w.Log(), "nothing is in force, and nobody is answered") {
			t.Errorf("the log does not say that nobody is answered:\n%s", w.Log())
		}
		write(t, dir, "10-a.yaml", answering("one", "first"))
		w.Advance(aMoment)
		ana.Says("one")
		ana.Expects("first")
		write(t, dir, "10-a.yaml", broken+"# again\n")
		w.Advance(aMoment)
		if strings.Count(w.Log(), "nobody is answered") != 1 {
			t.Errorf("the log says that nobody is answered while a rule is in force:\n%s", w.Log())
		}
		ana.Says("one")
		ana.Expects("first")
	})
}
