package bot_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// slowWay is a way to the platform on which each request takes a while.
type slowWay struct {
	next http.RoundTripper
	took time.Duration

	mu   sync.Mutex // guards the field below
	left []time.Time
}

// RoundTrip implements http.RoundTripper.
func (w *slowWay) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.left = append(w.left, time.Now())
	w.mu.Unlock()
	select {
	case <-time.After(w.took):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return w.next.RoundTrip(r)
}

// firstSince returns when the first request left from a moment on.
func (w *slowWay) firstSince(from time.Time) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.left {
		if !at.Before(from) {
			return at, true
		}
	}
	return time.Time{}, false
}

// slowCommits lets each commit to the database of a shop take a while, and counts them.
func (s *oneShop) slowCommits(took time.Duration) *atomic.Int64 {
	s.t.Helper()
	commits := new(atomic.Int64)
	st, err := store.Open(context.WithoutCancel(s.t.Context()), store.Options{Path: s.t.TempDir() + "/nectar.db", Fast: true, Around: func(commit func() error) error {
		commits.Add(1)
		time.Sleep(took)
		return commit()
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	_ = s.store.Close()
	s.store = st
	s.t.Cleanup(func() { _ = st.Close() })
	return commits
}

// A hand-over waits for what is under way, and for nothing else: the request that is on its way, the commits of what was decided, and those
// that the next worker begins with. Time passes here with requests and commits alone, so that whatever sleeps, or looks again later, shows.
func TestHandOverWaitsForNothingElse(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const request, commit = 100 * time.Millisecond, 10 * time.Millisecond
		s := newOneShop(t)
		commits := s.slowCommits(commit)
		s.way = &slowWay{took: request}
		s.cfg.Pace = &event.Pace{}
		cafe := bot.Account{Name: "cafe", BaseURL: s.pipe.BaseURL(), Credentials: s.cfg.Credentials}
		cafe.Email = "cafe@b.example"
		s.platform.AddAccount(emulator.Person{Username: "cafe"}, cafe.Email, cafe.Password)
		from, stop := s.worker()
		s.bar = &s.cfg
		to, stopOther := s.workerOf(cafe)
		shard := s.cfg.Name.Shard()
		late := 0
		for i := range 20 {
			time.Sleep(10 * time.Second)
			if i%2 == 1 {
				s.platform.Say(s.ana, s.id, "hello")
			}
			time.Sleep(time.Duration(i) * 73 * time.Millisecond)
			began, n := time.Now(), commits.Load()
			if _, err := from.Release(context.WithoutCancel(t.Context()), shard); err != nil {
				t.Fatal(err)
			}
			gone, gaveUp := time.Since(began), commits.Load()-n
			began, n = time.Now(), commits.Load()
			to.TakeShards(context.WithoutCancel(t.Context()), []lease.Holding{{Shard: shard}})
			taken, begins := time.Since(began), commits.Load()-n
			time.Sleep(time.Second)
			first, asked := s.way.firstSince(began)
			if gone > 2*commit {
				late++ // something was on its way to somebody
			}
			if gone > request+2*commit || gaveUp > 2 {
				t.Errorf("%d: given up after %v and %d commits", i, gone, gaveUp)
			}
			if taken > 2*commit || begins > 2 || !asked || first.Sub(began) > taken {
				t.Errorf("%d: taken after %v and %d commits; the first request left after %v, %t", i, taken, begins, first.Sub(began), asked)
			}
			from, to = to, from
		}
		if late > 5 {
			t.Errorf("%d of 20 were given up late", late)
		}
		stop()
		stopOther()
	})
}
