package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// An answer over which one of us has written to the person does not leave with the others: it is shown as overtaken, wherever it is shown, and leaves only when
// somebody insists on just that one.
func TestOvertakenAnswers(t *testing.T) {
	t.Parallel()
	approving(t, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("it came broken")
		leo.Says("mine is broken, too")
		advancesWhile(t, w, func() bool {
			return strings.Count(beside(t, w, "outbox", "--needs-approval").stdout, "We are sorry.") < 2
		})
		prints(t, w, "outbox --needs-approval --peer @ana", 0, "needs approval until")
		w.Account("bot").Tells(ana, "Hi Ana, a new one is on its way")
		w.Advance(time.Minute)
		number := actionsOf(t, w, ana)[0].Number()
		prints(t, w, "outbox --needs-approval", 0, "overtaken: somebody of ours wrote to her", "outbox approve "+actionsOf(t, w, leo)[0].Number()+" lets it leave")
		prints(t, w, "outbox --needs-approval --json --peer @ana", 0, `"overtaken":true`)
		prints(t, w, "outbox approve "+number, 1, number+" is overtaken: somebody of ours wrote to her", "approve "+number+" --anyway")
		prints(t, w, "outbox edit --text sorry "+number, 1, number+" is overtaken")
		prints(t, w, "outbox approve --all --anyway", 2, "by their numbers")
		if got := types(w, "a\n", "outbox", "review"); !strings.Contains(got.stdout, "1 decided, 1 left waiting") {
			t.Errorf("%s%s", got.stdout, got.stderr)
		}
		prints(t, w, "outbox approve --all", 0, "left out: "+number+" is overtaken")
		// The bot does not take the word of a program for it.
		w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishRelease, Action: actionsOf(t, w, ana)[0].Key})
		w.Advance(time.Minute)
		leo.Expects("We are sorry.")
		if got := actionsOf(t, w, ana)[0]; got.State != event.StateHeld {
			t.Fatalf("it is %s: %s", got.State, got.Reason)
		}
		prints(t, w, "outbox approve --anyway "+number, 0)
		w.Advance(time.Minute)
		ana.Expects("We are sorry.")
		prints(t, w, "outbox approve "+number, 1, "approved")
	})
}
