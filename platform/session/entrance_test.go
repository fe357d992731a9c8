package session_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// newcomers are accounts that have never signed in, and share an entrance.
type newcomers struct {
	*world
	entrance *session.Entrance
	brokers  []*session.Broker
}

// newcomers adds so many accounts; those with wrong passwords are refused.
func (w *world) newcomers(n int, right bool) *newcomers {
	c := &newcomers{world: w}
	var log *session.Config
	w.broker(func(cfg *session.Config) { log = cfg })
	c.entrance = session.NewEntrance(1, log.Log)
	c.add(n, right)
	return c
}

func (c *newcomers) add(n int, right bool) {
	for range n {
		name := fmt.Sprint("shop", len(c.brokers))
		email := name + "@example.org"
		known := password
		if !right {
			known = "another-one-entirely"
			c.barrier.mu.Lock()
			c.barrier.secrets[known.Reveal()] = true
			c.barrier.mu.Unlock()
		}
		c.people.AddAccount(emulator.Person{Username: name}, email, known)
		c.brokers = append(c.brokers, c.broker(func(cfg *session.Config) {
			cfg.Account, cfg.Email, cfg.Password, cfg.Keeper = name, email, password, &keeper{}
			cfg.Door = c.entrance.At("example.org")
		}))
	}
}

// work lets all accounts make a call each second, for a while.
func (c *newcomers) work(d time.Duration) {
	for end := time.Now().Add(d); ; time.Sleep(time.Second) {
		for _, b := range c.brokers {
			go func() { c.printsNoSecret(c.chats(b)) }()
		}
		synctest.Wait()
		if !time.Now().Before(end) {
			return
		}
	}
}

// signIns checks how often somebody has tried to sign in.
func (c *newcomers) signIns(want int) {
	c.Helper()
	if n := c.barrier.count("login"); n != want {
		c.Errorf("%d sign-ins, want %d", n, want)
	}
}

// says counts a text in the log.
func (c *newcomers) says(text string, want int) {
	c.Helper()
	if n := strings.Count(c.logged.String(), text); n != want {
		c.Errorf("the log says %q %d times, want %d", text, n, want)
	}
}

const (
	stopped = "20 accounts in a row were refused"
	goesOn  = "one was accepted"
	quarter = 15 * time.Minute
)

// TestNewcomersComeOneAfterAnother: of many that have never signed in a few come at once, and the others one each second; who has a
// session does not wait.
func TestNewcomersComeOneAfterAnother(t *testing.T) {
	effort.Shared(t)
	inWorld(t, hourly, func(w *world) {
		c := w.newcomers(60, true)
		c.work(0)
		c.signIns(20)
		for _, b := range c.brokers {
			if b.State().Phase == session.Active {
				continue
			}
			if paused := w.paused(w.chats(b)); !paused.Waits || paused.Refused || time.Until(paused.Until) > 40*time.Second {
				w.Errorf("who waits for their turn is told %+v", paused)
			}
		}
		c.work(10 * time.Second)
		c.signIns(30)
		c.work(30 * time.Second)
		c.signIns(60)
		c.says(`"level":"WARN"`, 0)
		c.add(30, true)
		at := func(cfg *session.Config) { cfg.Door = c.entrance.At("example.org") }
		time.Sleep(time.Minute) // so that 20 may come
		w.must(w.broker(at))
		c.work(0)
		c.signIns(60 + 20)
		w.must(w.broker(at)) // with the session that is kept
		c.work(11 * time.Second)
		for _, b := range c.brokers {
			w.must(b)
		}
	})
}

// TestManyRefusalsStopNewcomers: when many in a row are refused, no more are tried than one each quarter of an hour, until one gets in or
// somebody has corrected something.
func TestManyRefusalsStopNewcomers(t *testing.T) {
	effort.Shared(t)
	inWorld(t, emulator.Config{}, func(w *world) {
		c := w.newcomers(45, false)
		c.work(quarter - time.Second)
		c.signIns(20)
		c.says(stopped, 1)
		c.work(2 * time.Second)
		c.signIns(21)
		c.work(quarter)
		c.signIns(22)
		c.entrance.Open()
		time.Sleep(quarter)
		before := w.barrier.count("login")
		c.work(quarter - 2*time.Second)
		if n := w.barrier.count("login") - before; n < 20 || n > 40 {
			w.Errorf("%d sign-ins after the entrance was opened", n)
		}
		c.says(stopped, 2)
		c.brokers = nil
		c.add(30, true)
		time.Sleep(quarter)
		c.work(time.Minute)
		c.says(goesOn, 1)
		for _, b := range c.brokers {
			if b.State().Phase != session.Active {
				c.work(quarter)
			}
			w.must(b)
		}
	})
}

// TestOneRefusedAgainAndAgain: one account with a wrong password stops nobody else.
func TestOneRefusedAgainAndAgain(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		c := w.newcomers(1, false)
		for range 24 * 60 {
			time.Sleep(time.Minute)
			_ = c.chats(c.brokers[0])
		}
		if n := w.barrier.count("login"); n < 21 {
			w.Fatalf("only %d sign-ins", n)
		}
		c.says(stopped, 0)
		c.add(1, true)
		w.must(c.brokers[1])
	})
}

// TestNewcomersAreShared: where others let accounts in, too, each keeps to its part of the pace, and to none before it knows that.
func TestNewcomersAreShared(t *testing.T) {
	inWorld(t, hourly, func(w *world) {
		c := w.newcomers(60, true)
		part := 0.0
		c.entrance.ShareBy(func(host string) float64 {
			if host != "example.org" {
				w.Errorf("it asks for %q", host)
			}
			return part
		})
		c.work(10 * time.Second)
		c.signIns(0)
		part = 0.25
		c.work(time.Second)
		c.signIns(5)
		c.work(40 * time.Second)
		c.signIns(15)
		part = 1
		c.work(time.Minute)
		c.signIns(60)
		c.says(`"level":"WARN"`, 0)
	})
}
