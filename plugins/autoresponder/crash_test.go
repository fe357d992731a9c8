package autoresponder_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A crash at any moment of a conversation loses no answer, and asks no question twice.
func TestCrashInAConversation(t *testing.T) {
	t.Parallel()
	lines := []string{"hi, do you do wedding catering?", "14 June", "about 80", "ana@example.org", "yes"}
	said := []string{
		"With pleasure, Ana! What date is the event? For example: 14 June.", "And how many guests, roughly?",
		"Where may we send the quote: e-mail or phone?", "To check: Monday 14 June, 80 guests, answer to ana@example.org. Correct?",
		"Thank you! You will have a quote by tomorrow at 9:00.",
	}
	for at := range lines {
		for i, after := range []time.Duration{
			0, 30 * time.Millisecond, 5 * time.Second, 8 * time.Second, 9*time.Second + 300*time.Millisecond, 12 * time.Second, 18 * time.Second,
		} {
			if effort.Few() && i%len(lines) != at {
				continue
			}
			t.Run(fmt.Sprintf("%v after line %d", after, at+1), func(t *testing.T) {
				effort.Case(t)
				run(t, reference(t, live...), tuesday, func(w *bottest.World) {
					ana := w.Person("ana")
					for i, line := range lines {
						ana.Says(line)
						if i == at {
							w.Advance(after)
							w.Crash()
						}
						ana.Expects(said[i])
					}
					w.Advance(time.Minute)
					var heard []string
					for _, e := range w.Platform().Ledger().Since(0) {
						if e.Kind == emulator.Arrived {
							heard = append(heard, e.Text)
						}
					}
					if got, want := strings.Join(heard, "\n"), strings.Join(said, "\n"); got != want {
						t.Errorf("she heard\n%s\nwant\n%s", got, want)
					}
				})
			})
		}
	}
}
