package bot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Accounts that have signed in once know each other from the beginning of every start: also what one of
// them wrote while the bot was down is not answered, however long the first poll takes.
func TestAccountsOfOneBotAtAStart(t *testing.T) {
	t.Parallel()
	slow := func(next http.RoundTripper) http.RoundTripper { return lateNotices{next} }
	for name, end := range map[string]func(*bottest.World){"stop": (*bottest.World).Stop, "crash": (*bottest.World).CrashStop} {
		for _, from := range []event.Account{"one", "two"} { // who spoke itself is a person's at that end, and silent anyway
			t.Run(fmt.Sprint(name, ", from ", from), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{
					Accounts: []event.Account{"one", "two"}, Routes: []bot.Route{echo()}, Transport: slow,
				}, func(w *bottest.World) {
					speaker, other := w.Account(from), w.Account("one")
					if speaker == other {
						other = w.Account("two")
					}
					end(w)
					w.Platform().SayAs(speaker.ID(), other.ID(), "hello")
					w.Start()
					w.Advance(time.Minute)
					for _, e := range w.Platform().Ledger().Since(0) {
						if e.Kind == emulator.Arrived {
							t.Errorf("an account wrote %q to another one", e.Text)
						}
					}
				})
			})
		}
	}
}

// An account that was removed stays one of ours also in later starts, which do not have it: two bots would talk to each other for ever once
// another one has it.
func TestAccountThatWasRemovedBeforeAStart(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bottest.World){"stop": (*bottest.World).Stop, "crash": (*bottest.World).CrashStop} {
		t.Run(name, func(t *testing.T) {
			bottest.Run(t, bottest.Config{Accounts: []event.Account{"one", "two"}, Routes: []bot.Route{echo()}}, func(w *bottest.World) {
				gone, stays := w.Account("two"), w.Account("one")
				ana := stays.Person("ana")
				w.RemoveAccount("two")
				end(w)
				w.Start()
				w.Platform().SayAs(gone.ID(), stays.ID(), "hello")
				ana.Says("hello")
				w.Advance(time.Minute)
				for _, e := range w.Platform().Ledger().Since(0) {
					if e.Kind == emulator.Arrived && e.To == gone.ID() {
						t.Errorf("an account wrote %q to one that was removed", e.Text)
					}
				}
				ana.Expects("hello")
			})
		})
	}
}

// lateNotices lets notifications come much later than messages.
type lateNotices struct{ next http.RoundTripper }

func (s lateNotices) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "notifications") {
		time.Sleep(5 * time.Second)
	}
	return s.next.RoundTrip(r)
}
