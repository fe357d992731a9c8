package bot_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Accounts that have signed in once know each other from the beginning of every start: also what one of
// them wrote while the bot was down is not answered, however long the first poll takes.
func TestAccountsOfOneBotAtAStart(t *testing.T) {
	t.Parallel()
	slow := func(next http.RoundTripper) http.RoundTripper { return lateNotices{next} }
	bottest.Run(t, bottest.Config{
		Accounts: []event.Account{"one", "two"}, Routes: []bot.Route{echo()}, Transport: slow,
	}, func(w *bottest.World) {
		one, two := w.Account("one"), w.Account("two")
		for _, end := range []func(){w.Stop, w.CrashStop} {
			end()
			w.Platform().SayAs(two.ID(), one.ID(), "hello")
			w.Platform().SayAs(one.ID(), two.ID(), "hello")
			w.Start()
			w.Pass(time.Minute)
		}
		for _, e := range w.Platform().Ledger().Since(0) {
			if e.Kind == emulator.Arrived {
				t.Errorf("an account wrote %q to another one", e.Text)
			}
		}
	})
}

// lateNotices lets notifications come much later than messages.
type lateNotices struct{ next http.RoundTripper }

func (s lateNotices) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "notifications") {
		time.Sleep(5 * time.Second)
	}
	return s.next.RoundTrip(r)
}
