package bot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// twoShops is a database that was used by one account, and is started with the credentials of another one.
type twoShops struct {
	*oneShop
	log   logbook
	cafe  bot.Account // under the name of the shop, with the credentials of the cafe
	other platform.UserID
}

// newTwoShops returns it with ana's message answered, one answer that waits for the pace, and reminders.
func newTwoShops(t *testing.T) *twoShops {
	t.Helper()
	s := &twoShops{oneShop: newOneShop(t)}
	s.cafe = s.cfg
	s.cafe.Credentials = session.Credentials{Email: "cafe@b.example", Password: "other secret"}
	s.other = s.platform.AddAccount(emulator.Person{Username: "cafe"}, s.cafe.Email, s.cafe.Password)
	stop := s.runs(s.cfg)
	time.Sleep(time.Minute)
	for i := range 4 {
		s.platform.Say(s.ana, s.id, fmt.Sprint("hello ", i))
	}
	time.Sleep(10 * time.Second)
	if err := stop(); err != nil || s.answers(s.id) != 3 {
		t.Fatalf("%d answers, and ended with %v; want 3, and one that waits", s.answers(s.id), err)
	}
	return s
}

// bot makes a bot of accounts on the database.
func (s *twoShops) bot(accounts ...bot.Account) *bot.Bot {
	s.t.Helper()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeats()})
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := bot.New(bot.Config{
		MayBeIdle: true, Store: s.store, Router: router, Transport: s.pipe.Transport(), PollInterval: time.Second, Accounts: accounts, Log: s.log.logger(),
		Pace: &event.Pace{Account: event.Rate{PerSecond: 1.0 / 60, Burst: 3}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// runs runs one; stop ends it.
func (s *twoShops) runs(accounts ...bot.Account) (stop func() error) {
	s.t.Helper()
	return s.running(s.bot(accounts...))
}

func (s *twoShops) running(b *bot.Bot) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// answers returns how many messages an account has sent.
func (s *twoShops) answers(account platform.UserID) (n int) {
	for _, e := range s.platform.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.From == account {
			n++
		}
	}
	return n
}

// signIns returns how often an account has signed in.
func (s *twoShops) signIns(account platform.UserID) (n int) {
	for _, e := range s.platform.Ledger().Since(0) {
		if e.Kind == emulator.LoggedIn && e.From == account {
			n++
		}
	}
	return n
}

// untouched wants that the other account did nothing but sign in, so often.
func (s *twoShops) untouched(signIns int) {
	s.t.Helper()
	for _, e := range s.platform.Ledger().Since(0) {
		if e.From == s.other && e.ByAPI && e.Kind != emulator.LoggedIn {
			s.t.Errorf("the other account did %v: %+v", e.Kind, e)
		}
	}
	if n := s.signIns(s.other); n != signIns {
		s.t.Errorf("the other account signed in %d times, want %d", n, signIns)
	}
}

// goesOn wants the account to go on where it was, once its own credentials are there. What ana writes is there before: a reminder that
// is due has to find it.
func (s *twoShops) goesOn(begin func()) {
	s.t.Helper()
	s.platform.Say(s.ana, s.id, "and now?")
	begin()
	time.Sleep(10 * time.Minute)
	if n := s.answers(s.id); n != 5 {
		s.t.Errorf("%d answers, want 5", n)
	}
	time.Sleep(2 * time.Hour)
	if n := s.answers(s.id); n != 6 || s.signIns(s.id) != 1 {
		s.t.Errorf("%d answers, with a reminder, and %d sign-ins; want 6 and 1", n, s.signIns(s.id))
	}
}

func parkedFor(err error) *session.ParkedError {
	parked, _ := errors.AsType[*session.ParkedError](err)
	return parked
}

// said returns how often the log says that an account's credentials are another person's.
func (s *twoShops) said() int {
	return strings.Count(s.log.String(), "another person")
}

// Whoever starts a bot on the database of another account is told, and nothing is done with the one's memory as the other.
func TestTheDatabaseOfAnotherAccount(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		s := newTwoShops(t)
		s.platform.Say(s.ana, s.other, "is the cafe open?")
		for n := range 2 {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Hour)
			p := parkedFor(s.bot(s.cafe).Run(ctx))
			cancel()
			if p == nil || p.Known.ID != s.id || p.Other.ID != s.other || s.said() != 0 {
				t.Fatalf("it ended with %+v\n%s", p, s.log.String())
			}
			s.untouched(n + 1)
		}
		var stop func() error
		s.goesOn(func() { stop = s.runs(s.cfg) })
		if err := stop(); err != nil {
			t.Error(err)
		}
		s.untouched(2)
	})
}

// Beside others it is parked: they go on, and it is not tried again before somebody changes it.
func TestAnotherAccountBesideOthers(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		s := newTwoShops(t)
		bar := s.cfg
		bar.Name, bar.Credentials = "bar", session.Credentials{Email: "bar@b.example", Password: "secret"}
		id := s.platform.AddAccount(emulator.Person{Username: "bar"}, bar.Email, bar.Password)
		b := s.bot(bar, s.cafe)
		stop := s.running(b)
		time.Sleep(time.Minute)
		s.platform.Say(s.ana, id, "is the bar open?")
		time.Sleep(5 * time.Hour)
		if n := s.answers(id); n != 2 || s.said() != 1 {
			t.Errorf("the bar answered and reminded %d times, and the log says it %d times\n%s", n, s.said(), s.log.String())
		}
		s.untouched(1)
		if err := b.Remove("shop"); err != nil {
			t.Error(err)
		}
		if p := parkedFor(b.Add(s.cafe)); p == nil || p.Other.ID != s.other {
			t.Errorf("it comes: %+v", p)
		}
		s.untouched(2)
		s.goesOn(func() {
			if err := b.Add(s.cfg); err != nil {
				t.Error(err)
			}
		})
		if err := stop(); err != nil {
			t.Error(err)
		}
		s.untouched(2)
	})
}

// A worker serves its other accounts, and does not try the one again: neither by itself, nor when others have changed.
func TestAWorkerWithAnotherAccount(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		s := newTwoShops(t)
		b := s.bot()
		cfg := s.cafe
		h := bot.NewHolder(func(context.Context, int) ([]bot.Account, error) { return []bot.Account{cfg}, nil })
		h.Use(b)
		stop := s.running(b)
		<-b.Ready()
		refreshes := func() {
			if err := h.RefreshAccounts(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		}
		h.TakeShards(context.WithoutCancel(t.Context()), []lease.Holding{{Shard: cfg.Name.Shard()}})
		for range 5 {
			time.Sleep(time.Hour)
			refreshes()
		}
		if s.said() != 1 {
			t.Errorf("the log says it %d times\n%s", s.said(), s.log.String())
		}
		s.untouched(1)
		cfg = s.cfg
		s.goesOn(refreshes)
		cfg = s.cafe
		refreshes()
		time.Sleep(time.Hour)
		s.untouched(2)
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// Who cannot be asked at the start may be somebody else: nothing leaves before it is known, and nobody is lost when it is the same.
func TestAnotherAccountAfterAnOutage(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, same := range map[string]bool{"the same person": true, "somebody else": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTwoShops(t)
				cfg, proof := s.cfg, platform.Secret("a proof of identity")
				cfg.Credentials = session.Credentials{OAuthType: "google", OAuthToken: proof}
				s.platform.SetOAuth(map[bool]platform.UserID{true: s.id, false: s.other}[same], "google", proof)
				s.platform.SetFaults(emulator.Faults{Bad502: 1})
				stop := s.runs(cfg)
				time.Sleep(10 * time.Minute)
				s.platform.SetFaults(emulator.Faults{})
				time.Sleep(3 * time.Hour)
				if err := stop(); err != nil {
					t.Error(err)
				}
				if same {
					if n := s.answers(s.id); n != 5 {
						t.Errorf("%d answers, with a reminder; want 5", n)
					}
					return
				}
				s.untouched(1)
			})
		})
	}
}
