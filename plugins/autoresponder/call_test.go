package autoresponder_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// Five hundred strangers in a night ring twelve times at most, and every one of them is told of.
func TestNightOfNewcomers(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for _, kind := range []string{"handoff", "approval"} {
		inShop(t, "who: { team: [\"ntfy://a.example/topic\", \"slack://b.example/hooks/x\"] }\n", func(s *shop) {
			s.slowly()
			s.until(21)
			for range 500 {
				s.call("team", kind, "help me")
				s.pass(11 * time.Hour / 500)
			}
			for _, host := range []string{"a.example", "b.example"} {
				if rings := s.phone.take(host); len(rings) > 12 || len(rings) < 8 {
					t.Errorf("%s: %s rang %d times", kind, host, len(rings))
				}
			}
			s.pass(3 * time.Hour)
			if s.memory.left() > 0 || len(s.memory.told) != 500 {
				t.Errorf("%s: %d wait, %d are told", kind, s.memory.left(), len(s.memory.told))
			}
		})
	}
}

// What comes within a minute comes together; whoever does something hears of the next thing at once.
func TestDigests(t *testing.T) {
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://${TOKEN}@a.example/topic\"] }\n", func(s *shop) {
		s.call("team", "handoff", "one")
		s.pass(2 * time.Second)
		if rings := s.phone.take("a.example"); len(rings) != 1 || !strings.Contains(rings[0].text, "Somebody needs a person: @user1\nThey wrote: “one”\nAnswer them.\nnectar conversations give-back @user1\n") || rings[0].priority != 5 {
			t.Errorf("%+v", rings)
		}
		s.call("team", "handoff", "two")
		s.call("team", "notify", "three")
		s.pass(50 * time.Second)
		if rings := s.phone.take("a.example"); len(rings) > 0 {
			t.Errorf("it rang again within a minute: %+v", rings)
		}
		s.pass(15 * time.Second)
		if rings := s.phone.take("a.example"); len(rings) != 1 || !strings.Contains(rings[0].text, "two") || !strings.Contains(rings[0].text, "three") {
			t.Errorf("%+v", rings)
		}
		s.call("team", "handoff", "four")
		s.pass(4 * time.Minute)
		if rings := s.phone.take("a.example"); len(rings) > 0 {
			t.Errorf("two digests are unread, and it rang after four minutes: %+v", rings)
		}
		s.attend()
		s.pass(2 * time.Minute)
		if rings := s.phone.take("a.example"); len(rings) != 1 || !strings.Contains(rings[0].text, "four") {
			t.Errorf("a person has answered: %+v", rings)
		}
		if strings.Contains(s.log.String(), "s3cret") {
			t.Error("the log has the token")
		}
	})
}

// In quiet hours only what is urgent rings; the rest comes when they are over.
func TestQuietHoursOfATeam(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	const settings = "timezone: UTC\nwho:\n  team: { addresses: [\"ntfy://a.example/topic\"], quiet: 22:00-08:00 }\n" +
		"  calm: { addresses: [\"ntfy://b.example/topic\"], quiet: 22:00-08:00, urgent: [] }\n  machine: { webhook: \"https://c.example/in\", quiet: 22:00-08:00 }\n"
	inShop(t, settings, func(s *shop) {
		s.slowly()
		s.until(23)
		for _, team := range []string{"team", "calm", "machine"} {
			s.call(team, "approval", "slow "+team)
			s.call(team, "handoff", "fast "+team)
		}
		s.pass(time.Hour)
		if got := texts(s.phone.take("a.example")); !strings.Contains(got, "fast team") || strings.Contains(got, "slow") {
			t.Errorf("in the night: %s", got)
		}
		if rings := s.phone.take("b.example"); len(rings) > 0 {
			t.Errorf("nothing is urgent: %+v", rings)
		}
		if rings := s.phone.take("c.example"); len(rings) != 2 {
			t.Errorf("a program sleeps: %+v", rings)
		}
		s.until(8)
		s.pass(time.Minute)
		if got := texts(s.phone.take("a.example")); !strings.Contains(got, "slow team") || strings.Contains(got, "fast") {
			t.Errorf("in the morning: %s", got)
		}
		if got := texts(s.phone.take("b.example")); !strings.Contains(got, "slow calm") || !strings.Contains(got, "fast calm") || s.memory.left() > 0 {
			t.Errorf("in the morning: %s", got)
		}
	})
}

// A reminder is as urgent as what it is about, and one call may be urgent by itself. What is urgent is tried again within a minute.
func TestAsUrgentAs(t *testing.T) {
	t.Parallel()
	const settings = "timezone: UTC\nwho:\n  team: { addresses: [\"ntfy://a.example/topic\"], quiet: 22:00-08:00 }\n" +
		"  calm: { addresses: [\"ntfy://b.example/topic\"], quiet: 22:00-08:00, urgent: [parked] }\n"
	inShop(t, settings, func(s *shop) {
		s.slowly()
		s.until(23)
		for _, team := range []string{"team", "calm"} {
			s.call(team, "waiting", "slow "+team)
			s.callWith(team, "waiting", "reminder "+team, func(d *event.Details) { d.As = "handoff" })
			s.callWith(team, "notify", "bleeding "+team, func(d *event.Details) { d.Urgent = true })
		}
		s.pass(time.Hour)
		got := texts(s.phone.take("a.example")) + texts(s.phone.take("b.example"))
		for _, want := range []string{"reminder team", "bleeding team", "bleeding calm"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q does not ring in the night: %s", want, got)
			}
		}
		if strings.Contains(got, "slow") || strings.Contains(got, "reminder calm") {
			t.Errorf("in the night: %s", got)
		}
	})
	inShop(t, settings, func(s *shop) {
		s.phone.answers(func(*http.Request) (*http.Response, error) { return answered(http.StatusBadGateway, ""), nil })
		s.call("team", "handoff", "help")
		s.pass(30 * time.Minute)
		if tries := len(s.phone.take("a.example")); tries < 30 || tries > 40 {
			t.Errorf("%d tries in half an hour", tries)
		}
	})
}

// Something urgent of another kind rings, however many digests are unread.
func TestUrgentOfAnotherKind(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		for range 120 {
			s.call("team", "handoff", "help")
			s.pass(time.Minute)
		}
		s.phone.take("a.example")
		s.bot.is(event.UnhealthyFailing, session.Active, false)
		s.pass(75 * time.Second)
		if got := texts(s.phone.take("a.example")); !strings.Contains(got, "are not heard") {
			t.Errorf("nobody hears that the bot is deaf: %s", got)
		}
	})
}

// An address that does not work for a day is given up; others are told, once, and it is seen which notices they were.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	const settings = "call: [team]\nwho: { team: [\"ntfy://${TOKEN}@a.example/topic\"], boss: [\"ntfy://b.example/topic\"] }\n"
	inShop(t, settings, func(s *shop) {
		s.slowly()
		s.phone.answers(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "a.example" {
				return answered(http.StatusForbidden, "s3cret"), nil
			}
			return answered(http.StatusOK, ""), nil
		})
		s.call("team", "approval", "help")
		s.pass(12 * time.Hour)
		s.stop() // what was tried is known after a restart
		s.start()
		s.pass(11*time.Hour + 30*time.Minute)
		tries := len(s.phone.take("a.example"))
		if rings := s.phone.take("b.example"); len(rings) > 0 || tries < 140 || tries > 170 {
			t.Errorf("before a day is over: %d tries, and others hear %+v", tries, rings)
		}
		s.call("team", "approval", "help, too")
		s.pass(time.Hour)
		const want = "The team team could not be called at ntfy://a.example/… for 24 hours (ntfy at a.example answers 403 Forbidden): notices for it are given up there"
		if rings := s.phone.take("b.example"); len(rings) != 1 || !strings.Contains(rings[0].text, want) {
			t.Errorf("%+v", rings)
		}
		s.pass(26 * time.Hour)
		if rings := s.phone.take("b.example"); len(rings) > 0 || s.memory.left() > 0 {
			t.Errorf("%d wait, and it was told again: %+v", s.memory.left(), rings)
		}
		given := 0
		for i := range s.memory.told {
			for _, f := range autoresponder.Fates(&s.memory.told[i]) {
				if !f.GivenUp.IsZero() && strings.Contains(f.Error, "403") {
					given++
				}
			}
		}
		if given != 2 || strings.Contains(s.log.String()+fmt.Sprint(s.memory.told), "s3cret") {
			t.Errorf("%d were given up: %+v", given, s.memory.told)
		}
	})
}

// A restart loses nothing, tells nothing twice, and does not ring more often.
func TestOfficeRestarts(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://a.example/topic\", \"ntfy://b.example/topic\"] }\n", func(s *shop) {
		s.phone.answers(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "b.example" {
				return answered(http.StatusBadGateway, ""), nil
			}
			return answered(http.StatusOK, ""), nil
		})
		for i := range 20 {
			s.call("team", "handoff", fmt.Sprintf("<%d>", i))
			s.pass(20 * time.Second)
			s.stop()
			s.start()
		}
		s.phone.answers(nil)
		s.pass(time.Hour)
		for _, host := range []string{"a.example", "b.example"} {
			rings := s.phone.take(host)
			if host == "b.example" {
				rings = rings[len(rings)-1:] // what it took
			}
			for i := range 20 {
				if n := strings.Count(texts(rings), fmt.Sprintf("“<%d>”", i)); n != 1 {
					t.Errorf("%s heard of %d %d times", host, i, n)
				}
			}
			if len(rings) > 6 {
				t.Errorf("%s rang %d times", host, len(rings))
			}
		}
		if s.memory.left() > 0 {
			t.Errorf("%d wait", s.memory.left())
		}
	})
}

// A digest comes twice where nobody knows whether it came, and only there.
func TestAnswerThatGetsLost(t *testing.T) {
	t.Parallel()
	inShop(t, "who: { team: [\"ntfy://a.example/topic\"] }\n", func(s *shop) {
		s.phone.answers(func(r *http.Request) (*http.Response, error) { return nil, errors.New("connection reset by peer") })
		s.call("team", "handoff", "help")
		s.pass(time.Second)
		s.phone.answers(nil)
		s.pass(time.Minute)
		if rings := s.phone.take("a.example"); len(rings) != 2 || s.memory.left() > 0 {
			t.Errorf("%d wait, and it rang %d times", s.memory.left(), len(rings))
		}
	})
}

// A service that is slow or hangs keeps nobody from being called, and is told once.
func TestServiceThatHangs(t *testing.T) {
	t.Parallel()
	inShop(t, "who: { slow: [\"ntfy://a.example/topic\", \"https://c.example/in\"], team: [\"ntfy://b.example/topic\"] }\n", func(s *shop) {
		s.phone.answers(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "b.example" {
				return answered(http.StatusOK, ""), nil
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		for i := range 10 {
			s.call(event.Everybody, "handoff", fmt.Sprintf("<%d>", i))
			s.pass(time.Minute)
			s.attend()
		}
		if rings := s.phone.take("b.example"); len(rings) < 9 {
			t.Errorf("the others were called %d times", len(rings))
		}
		if n := strings.Count(s.log.String(), "could not be sent; trying again"); n != 2 {
			t.Errorf("it was told %d times:\n%s", n, s.log)
		}
	})
}

// What is for a team that is not there any more is for those that are called.
func TestTeamThatIsGone(t *testing.T) {
	t.Parallel()
	inShop(t, "call: [boss]\nwho: { boss: [\"ntfy://a.example/topic\"], team: [\"ntfy://b.example/topic\"] }\n", func(s *shop) {
		s.call("slaes", "handoff", "help")
		s.pass(time.Minute)
		if len(s.phone.take("a.example")) != 1 || len(s.phone.take("b.example")) != 0 || s.memory.left() > 0 {
			t.Errorf("%d wait", s.memory.left())
		}
	})
}
