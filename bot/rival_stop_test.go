package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// How long messages of a bot that comes second, and of the other one, are under way: both have read a question by then.
const (
	slower = 2200 * time.Millisecond
	faster = 1500 * time.Millisecond
)

// doubled lets people ask until the bot has stopped.
func doubled(t *testing.T, w *bottest.World) {
	t.Helper()
	for n := 0; !strings.Contains(w.Log(), saysStopped); n++ {
		if n == 10 {
			t.Fatalf("it has not stopped:\n%s", tail(w.Log()))
		}
		visitors(w, fmt.Sprint("early", n, "-"), 1, 40*time.Second)
	}
}

// overtakenTransport lets messages arrive after those of another bot.
func overtakenTransport(next http.RoundTripper) http.RoundTripper {
	return delayed(next, always(slower))
}

// overtaken is a world whose bot answers after another process on its account, so that it stops.
func overtaken(t *testing.T, test func(w *bottest.World, other double)) {
	t.Helper()
	cfg := bottest.Config{
		Routes: []bot.Route{hours}, Bot: bot.Config{PollInterval: 250 * time.Millisecond},
		Transport: overtakenTransport,
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		other := process(t, w, always(faster), bot.Config{PollInterval: 250 * time.Millisecond}, hours)
		doubled(t, w)
		test(w, other)
	})
}

func always(d time.Duration) func(time.Time) time.Duration {
	return func(time.Time) time.Duration { return d }
}

// standing returns how the account of a world stands, as it is stored.
func standing(t *testing.T, w *bottest.World) (r record.Rivalry) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		var err error
		if r, err = bot.RivalryOf(context.Background(), d, "bot"); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// What has stopped stays so over starts, and drops nothing. A person lets it go on, also while the bot is down, and once:
// then it says what nobody else has said.
func TestStoppedAccount(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, down := range []bool{false, true} {
		if effort.Few() && !down {
			continue
		}
		overtaken(t, func(w *bottest.World, other double) {
			first := visitors(w, "first", 2, 30*time.Second) // the other one answers these
			w.Restart()
			w.Crash()
			if n := strings.Count(w.Log(), "the account is still stopped"); n != 2 {
				t.Errorf("two starts told it %d times", n)
			}
			other.stop()
			second := visitors(w, "second", 3, 10*time.Second)
			w.Advance(30 * time.Minute)
			if got := heard(w, 0, second...); slices.Max(got) > 0 {
				t.Errorf("it has stopped, and said something: %v", got)
			}
			if r := standing(t, w); r.Stopped.IsZero() || !r.Proven {
				t.Errorf("it stands as %+v", r)
			}
			if down {
				w.Stop()
			}
			asked := w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishResume})
			if down {
				w.Start()
			}
			w.Advance(10 * time.Minute)
			if a := w.Answer(asked[0]); a.Outcome != bot.OutcomeHandled || !strings.HasPrefix(a.Note, "bot goes on") {
				t.Errorf("the answer is %+v", a)
			}
			for range 2 {
				if got := heard(w, 0, append(first, second...)...); slices.Max(got) != 1 || slices.Min(got) != 1 {
					t.Errorf("they were answered %v times", got)
				}
				w.Restart()
				w.Advance(10 * time.Minute)
			}
			if r := standing(t, w); !r.Stopped.IsZero() || r.Spared.IsZero() {
				t.Errorf("it stands as %+v", r)
			}
		})
	}
}

// Whoever looks after the bot is told on every way.
func TestRivalIsTold(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	overtaken(t, func(w *bottest.World, other double) {
		defer other.stop()
		w.Advance(time.Second)
		var mine []event.Notice
		w.Inspect(func(d inspect.Inspector) {
			var err error
			if mine, err = d.Unsent(context.Background(), 10); err != nil {
				t.Fatal(err)
			}
		})
		theirs, err := other.store.Unsent(context.Background(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for text, notices := range map[string][]event.Notice{saysStopped: mine, saysGoesOn: theirs} {
			if len(notices) != 1 || notices[0].Who != event.Everybody || notices[0].Kind != event.CallSecondBot || !strings.Contains(notices[0].Text, text) ||
				!strings.Contains(notices[0].Text, "nectar accounts resume bot") {
				t.Errorf("want one with %q, got %+v", text, notices)
			}
		}
		counts, err := w.Bot().Counts(context.Background())
		if err != nil || !counts.Accounts[0].Stopped {
			t.Errorf("it is counted as %+v, %v", counts.Accounts, err)
		}
		r, err := bot.RivalryOf(context.Background(), other.store, "bot")
		if err != nil || r.Seen.IsZero() || !r.Stopped.IsZero() {
			t.Errorf("the other one stands as %+v, %v", r, err)
		}
	})
}

// A bot that has stopped goes on by itself when nobody else answers what it holds: the other one was ended, and nobody
// thought of this one.
func TestGoesOnAlone(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	overtaken(t, func(w *bottest.World, other double) {
		other.stop()
		people := visitors(w, "late", 3, 10*time.Second)
		w.Advance(10 * time.Minute)
		if got := heard(w, 0, people...); slices.Min(got) != 1 || slices.Max(got) != 1 {
			t.Errorf("they were answered %v times:\n%s", got, tail(w.Log()))
		}
		if r := standing(t, w); !r.Stopped.IsZero() {
			t.Errorf("it stands as %+v", r)
		}
	})
}

// A bot that has stopped stays so while only those wait to whom it has spoken lately: the other bot leaves them to a
// person.
func TestStaysStopped(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	cfg := bottest.Config{
		Routes: []bot.Route{hours}, Bot: bot.Config{PollInterval: 250 * time.Millisecond},
		Transport: overtakenTransport,
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		regulars := visitors(w, "regular", 3, 10*time.Second)
		unattributed := func(_ context.Context, t *bot.Turn) bool {
			return !slices.ContainsFunc(regulars, func(p *bottest.Person) bool { return p.ID() == t.Peer().ID })
		}
		theirs := bot.On("hours", bot.AnyMessage().If(unattributed), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Reply("We are open from 9 to 5.")
		})
		other := process(t, w, always(faster), bot.Config{PollInterval: 250 * time.Millisecond}, theirs)
		defer func() { other.stop() }()
		doubled(t, w)
		visitors(w, "regular", 3, 10*time.Second)
		w.Advance(30 * time.Minute)
		if r := standing(t, w); r.Stopped.IsZero() {
			t.Errorf("it stands as %+v:\n%s", r, tail(w.Log()))
		}
		visitors(w, "new", 3, 10*time.Second)
		w.Advance(time.Minute)
		if r := standing(t, w); r.Stopped.IsZero() || !r.Proven {
			t.Errorf("later it stands as %+v", r)
		}
	})
}

// Other accounts of a bot go on when one of them has stopped.
func TestOtherAccountsGoOn(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	cfg := bottest.Config{
		Routes: []bot.Route{hours}, Bot: bot.Config{PollInterval: 250 * time.Millisecond}, Accounts: []event.Account{"bot", "shop"},
		Transport: overtakenTransport,
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		other := process(t, w, always(faster), bot.Config{PollInterval: 250 * time.Millisecond}, hours)
		defer func() { other.stop() }()
		doubled(t, w)
		ana := w.Account("shop").Person("ana")
		ana.Says("are you open?")
		ana.Expects("We are open from 9 to 5.")
	})
}

// Two accounts of one bot that are the same person on the platform: the second one does nothing.
func TestOnePersonUnderTwoNames(t *testing.T) {
	t.Parallel()
	cfg := bottest.Config{
		Routes: []bot.Route{hours}, Accounts: []event.Account{"one", "two"}, Bot: bot.Config{PollInterval: 250 * time.Millisecond},
		Transport: overtakenTransport,
		Before:    func(w *bottest.World) { w.Platform().SetOAuth(w.Account("one").ID(), "google", "token") },
		Credentials: func(name event.Account) session.Credentials {
			if name == "two" {
				return session.Credentials{OAuthType: "google", OAuthToken: platform.Secret("token")}
			}
			return session.Credentials{Email: "one@example.com", Password: "correct horse"}
		},
	}
	bottest.Run(t, cfg, func(w *bottest.World) {
		for range 2 {
			since := w.Platform().Ledger().Len()
			people := visitors(w, "guest", 4, 10*time.Second)
			w.Advance(time.Minute)
			if got := heard(w, since, people...); slices.Max(got) != 1 || slices.Min(got) != 1 {
				t.Errorf("they were answered %v times", got)
			}
			if n := strings.Count(w.Log(), "two accounts are the same person on the platform"); n == 0 {
				t.Errorf("that is told nowhere:\n%s", w.Log())
			}
			w.Restart()
		}
	})
}
