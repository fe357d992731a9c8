package autoresponder_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
)

// A private answer stands in no log, also when the team is told of it, and reminded.
func TestPrivateNotes(t *testing.T) {
	t.Parallel()
	runHours(t, reference(t, live...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("wedding quote")
		ana.ExpectsPart("What date is the event?")
		ana.Says("14 June")
		ana.ExpectsPart("how many guests")
		ana.Says("80")
		ana.ExpectsPart("e-mail or phone")
		ana.Says("ana@example.org")
		ana.ExpectsPart("Correct?")
		ana.Says("let me talk to a person")
		ana.ExpectsPart("A colleague will answer you")
		w.Advance(3 * time.Hour)
		if log := w.Log(); strings.Contains(log, "ana@example.org") || strings.Count(log, "text=(private)") != 2 {
			t.Errorf("the log:\n%s", log)
		}
	})
}
