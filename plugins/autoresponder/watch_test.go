package autoresponder_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

// What lasts is told once, and when it is over; a restart tells nothing again.
func TestWhatLasts(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for what, begin := range map[string]func(s *shop){
		"are not heard":  func(s *shop) { s.bot.is(event.UnhealthyFailing, session.Active, false) },
		"has no session": func(s *shop) { s.bot.is("", session.Parked, false) },
	} {
		inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
			begin(s)
			s.pass(time.Hour)
			if got := texts(s.phone.take("a.example")); strings.Count(got, what) != 1 {
				t.Errorf("%s: %s", what, got)
			}
			s.stop()
			s.start()
			s.pass(time.Hour)
			s.bot.is("", session.Active, false)
			s.pass(time.Minute)
			begin(s) // it was over for a minute
			s.pass(time.Hour)
			if got := texts(s.phone.take("a.example")); got != "" {
				t.Errorf("%s is told again: %s", what, got)
			}
			s.stop() // it ends while the bot is down
			s.bot.is("", session.Active, false)
			s.start()
			s.pass(30 * time.Minute)
			if got := texts(s.phone.take("a.example")); strings.Count(got, "Over: ") != 1 || len(s.memory.alarms) > 0 {
				t.Errorf("%s is over: %s", what, got)
			}
		})
	}
}

// What does not work is told on the clock of who reads it, in four parts, and what it is in detail below them.
func TestTroubleInFourParts(t *testing.T) {
	t.Parallel()
	inShop(t, "timezone: America/Sao_Paulo\nwho: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		s.until(3) // one in the night there
		s.bot.is(event.UnhealthyStuck, session.Active, false)
		s.pass(90 * time.Second)
		const want = "The bot cannot read new messages\nSince Saturday, 01:00.\n" +
			"For customers: Nobody is answered. What they write meanwhile is answered later, up to 6 hours late unless your rules say otherwise.\n" +
			"What to do: Start the bot again: nothing is lost by that. If it comes back, let whoever looks after the bot look:\nnectar doctor\n" +
			"In detail: The message of bot are not heard: its poll is stuck\n\n---\n"
		if diff := cmp.Diff(want, texts(s.phone.take("a.example"))); diff != "" {
			t.Error(diff)
		}
		s.bot.is("", session.Active, false)
		s.pass(time.Hour)
		const over = "Over: The bot hears nothing new\nIt had lasted since Saturday, 01:00.\nThe bot hears again, and reads what came meanwhile.\n\n---\n"
		if diff := cmp.Diff(over, texts(s.phone.take("a.example"))); diff != "" {
			t.Error(diff)
		}
	})
}

// What lasts while an account goes from one worker to another, and comes back, is told once, and it is not over because another one has
// the account.
func TestWhatLastsGoesWithTheAccount(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		s.bot.is(event.UnhealthyFailing, session.Active, false)
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "are not heard") != 1 {
			t.Errorf("at the first worker: %s", got)
		}
		s.memory.hand(true)
		s.bot.is("", session.Active, false) // it does not hear of it any more
		s.pass(time.Hour)
		s.memory.hand(false)
		s.bot.is(event.UnhealthyFailing, session.Active, false)
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); got != "" {
			t.Errorf("since it was handed over: %s", got)
		}
		s.bot.is("", session.Active, false)
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "Over: ") != 1 || len(s.memory.alarms) > 0 {
			t.Errorf("it is over: %s", got)
		}
	})
}

// A disk that is full is told, though nothing can be stored; nothing is told twice when it can be again.
func TestDiskIsFull(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		s.memory.breaks(true)
		s.memory.mu.Lock()
		s.memory.faulty = time.Now()
		s.memory.mu.Unlock()
		s.pass(30 * time.Second)
		if got := texts(s.phone.take("a.example")); got != "" {
			t.Errorf("it may be over at once: %s", got)
		}
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "takes no writes") != 1 {
			t.Errorf("got %s", got)
		}
		s.memory.breaks(false)
		s.memory.mu.Lock()
		s.memory.faulty = time.Time{}
		s.memory.mu.Unlock()
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "Over: There is trouble with the disk") != 1 || strings.Count(got, "takes no writes") > 0 || s.memory.left() > 0 || len(s.memory.told) != 2 {
			t.Errorf("%d wait, %d told, got %s", s.memory.left(), len(s.memory.told), got)
		}
	})
}

// Actions that wait for a person are told after an hour, each once.
func TestHeldForAnHour(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		s.memory.mu.Lock()
		s.memory.held = []event.Action{{Account: "bot", Key: "message:1/rules/0", Peer: 7, Verb: event.VerbMessage, DecidedAt: time.Now(), Reason: "nobody knows whether it arrived"}}
		number := s.memory.held[0].Number()
		s.memory.mu.Unlock()
		s.pass(58 * time.Minute)
		if got := texts(s.phone.take("a.example")); got != "" {
			t.Errorf("too early: %s", got)
		}
		s.pass(5 * time.Hour)
		s.stop()
		s.start()
		s.pass(5 * time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "nectar outbox release "+number) != 1 {
			t.Errorf("got %s", got)
		}
	})
}

// Files that do not load call people, also when none ever has.
func TestRulesThatDoNotLoad(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", "version: 1\nrulez: []\n", "settings.yaml", "version: 1\nwho: { team: [\"ntfy://a.example/topic\"] }\n")
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t, dir: dir, memory: &waiting{}, phone: &phone{}, bot: &patient{}, log: &strings.Builder{}, look: time.Second}
		s.bot.is("", session.Active, false)
		s.start()
		s.pass(5 * time.Minute)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "10-a.yaml: line 2: there is no \"rulez\" here") != 1 || !strings.Contains(got, "nectar check") {
			t.Errorf("got %s", got)
		}
		s.stop()
	})
}

// A reading that comes to no end calls people once, and so does its end. The heartbeat goes on: other sources are heard.
func TestCalledForAReadingWithoutEnd(t *testing.T) {
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		s.bot.is("", session.Active, false)
		s.bot.reads(time.Now())
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "The bot reads and comes to no end") != 1 || !strings.Contains(got, "nectar doctor") {
			t.Errorf("got %s", got)
		}
		s.bot.reads(time.Time{})
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); strings.Count(got, "Over: The bot reads and comes to no end") != 1 {
			t.Errorf("over: %s", got)
		}
	})
}

// The heartbeat is called each minute while all is well, and not otherwise.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	inShop(t, "heartbeat: https://beat.example/${TOKEN}\nwho: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		beats := func() int { s.pass(10 * time.Minute); return len(s.phone.take("beat.example")) }
		if n := beats(); n != 10 {
			t.Errorf("%d beats in ten minutes", n)
		}
		for what, ill := range map[string]func(){
			"deaf": func() { s.bot.is(event.UnhealthyFailing, session.Active, false) }, "parked": func() { s.bot.is("", session.Parked, false) },
			"signed out": func() { s.bot.is("", session.SignedOut, false) }, "stopped": func() { s.bot.is("", session.Active, true) },
			"disk": func() { s.memory.breaks(true) },
		} {
			if ill(); beats() > 0 {
				t.Errorf("it beats while it is ill: %s", what)
			}
			s.memory.breaks(false)
			s.bot.is("", session.Active, false)
			if n := beats(); n != 10 {
				t.Errorf("%d beats after: %s", n, what)
			}
		}
		s.phone.answers(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}, nil
		})
		beats()
		s.phone.answers(nil)
		if beats(); strings.Count(s.log.String(), "the heartbeat could not be sent") != 1 || strings.Contains(s.log.String(), "s3cret") {
			t.Errorf("%s", s.log)
		}
		// A marketer's folder may have no rules.
		const campaign = "version: 1\nname: test\nstatus: live\ntimezone: Europe/Madrid\ncampaigns:\n  - id: menu\n    posts:\n" +
			"      - link: https://social.example/thread/7\n    slots:\n      - Tue 14:30\n"
		if err := os.WriteFile(filepath.Join(s.dir, "10-a.yaml"), []byte(campaign), 0o600); err != nil {
			t.Fatal(err)
		}
		if beats(); beats() != 10 {
			t.Errorf("it does not beat with campaigns alone: %s", s.log)
		}
	})
}
