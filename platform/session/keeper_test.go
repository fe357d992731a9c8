package session_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

func TestARestartDoesNotSignIn(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.must(w.broker())
		again := w.broker()
		w.phase(again, session.SignedOut)
		if me, err := again.Me(w.Context()); err != nil || me != w.account {
			w.Errorf("me = %v, %v; want %v", me, err, w.account)
		}
		w.must(again)
		w.phase(again, session.Active)
		w.expect(1, 0)
	})
}

// Whoever asks the broker hears who the account is after those who were to be told.
func TestWhoItIsIsToldFirst(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		var b *session.Broker
		var told, before []platform.UserID
		known := func(c *session.Config) {
			c.Known = func(me platform.UserID) { told, before = append(told, me), append(before, b.State().User) }
		}
		w.people.SetOAuth(w.account, "google", social)
		b = w.broker(known)
		w.must(b) // signs in
		b = w.broker(known)
		if me, err := b.Restore(w.Context()); err != nil || me != w.account {
			w.Errorf("recalls %v, %v; want %v", me, err, w.account)
		}
		b = w.broker(known, bySocial) // nobody knows that it is who is kept
		w.must(b)
		if d := cmp.Diff([]platform.UserID{w.account, w.account, w.account}, told); d != "" {
			w.Errorf("told (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]platform.UserID{0, 0, 0}, before); d != "" {
			w.Errorf("the broker said it before (-want +got):\n%s", d)
		}
	})
}

// slowKeeper is a keeper whose first reading comes late.
type slowKeeper struct {
	*keeper
	late chan struct{}
	read atomic.Bool
}

func (k *slowKeeper) LoadSession(ctx context.Context) (session.Kept, error) {
	kept, err := k.keeper.LoadSession(ctx)
	if !k.read.Swap(true) {
		<-k.late
	}
	return kept, err
}

// What is read late does not take the place of a session that was got meanwhile.
func TestALateReadingIsNotUsed(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		slow := &slowKeeper{keeper: w.keeper, late: make(chan struct{})}
		b := w.broker(func(c *session.Config) { c.Keeper = slow })
		first := make(chan struct{})
		go func() {
			defer close(first)
			if _, err := b.Restore(w.Context()); err != nil {
				w.Error(err)
			}
		}()
		synctest.Wait()
		signedIn := make(chan struct{})
		go func() { defer close(signedIn); w.must(b) }()
		synctest.Wait()
		close(slow.late)
		<-first
		<-signedIn
		w.must(b)
		w.expect(1, 0)
	})
}

func TestAKeptSessionNeedsNoCredentials(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.must(w.broker())
		w.must(w.broker(func(c *session.Config) { c.Credentials = session.Credentials{} }))
		w.expect(1, 0)
	})
}

func TestWithoutAKeeperEveryStartSignsIn(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		for range 2 {
			w.must(w.broker(func(c *session.Config) { c.Keeper = nil }))
		}
		w.expect(2, 0)
	})
}

func TestTokensThatCannotBeSavedAreUsedAndSavedLater(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.people.Expire(w.account)
		time.Sleep(10 * time.Minute)
		w.keeper.set(errDisk)
		for range 10 {
			w.must(b)
			time.Sleep(10 * time.Second)
		}
		if s := b.State(); !s.Unsaved || s.Phase != session.Active {
			w.Errorf("while the disk is full: %+v", s)
		}
		if n := strings.Count(w.logged.String(), errDisk.Error()); n != 1 {
			w.Errorf("the full disk was logged %d times:\n%s", n, w.logged)
		}
		if _, saves := w.keeper.now(); saves < 3 || saves > 6 {
			w.Errorf("%d tries to save in 100 s, want one every 30 s", saves)
		}
		w.keeper.set(nil)
		time.Sleep(30 * time.Second)
		w.must(b)
		if err := b.Wait(w.Context()); err != nil {
			w.Fatal(err)
		}
		if b.State().Unsaved {
			w.Error("the tokens were not saved when there was space again")
		}
		w.must(w.broker())
		w.expect(1, 1)
	})
}

func TestAKeeperThatCannotReadIsNoReasonToSignIn(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		w.must(w.broker())
		w.keeper.set(errDisk)
		b := w.broker()
		if err := w.chats(b); !errors.Is(err, errDisk) {
			w.Errorf("got %v, want that of the keeper", err)
		}
		w.keeper.set(nil)
		w.must(b)
		w.expect(1, 0)
	})
}

func TestLogout(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		for range 2 { // the second time there is nothing to end
			if err := b.Logout(w.Context()); err != nil {
				w.Fatal(err)
			}
			w.must(b)
			if err := b.Logout(w.Context()); err != nil {
				w.Fatal(err)
			}
		}
		w.phase(b, session.SignedOut)
		if kept, _ := w.keeper.now(); kept.SessionID != "" || kept.RefreshToken != "" || kept.User != w.account {
			w.Errorf("kept %+v", kept)
		}
		if n := w.barrier.count("logout"); n != 2 {
			w.Errorf("%d logouts reached the platform, want 2", n)
		}
		w.expect(2, 0)
	})
}

func TestALogoutThatDoesNotReachThePlatformKeepsTheSession(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.barrier.disturb("logout", fail, nil)
		if err := b.Logout(w.Context()); err == nil {
			w.Error("the logout failed and did not say so")
		}
		w.phase(b, session.Active)
		w.must(b)
		w.people.Revoke(w.account) // over already: as good as logged out
		if err := b.Logout(w.Context()); err != nil {
			w.Error(err)
		}
		w.phase(b, session.SignedOut)
		w.expect(1, 0)
	})
}
