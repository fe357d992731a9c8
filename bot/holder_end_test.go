package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// unhealthy lets the database of a shop not answer to commits while it is set.
func (s *oneShop) unhealthy() *atomic.Bool {
	s.t.Helper()
	unhealthy, path := new(atomic.Bool), s.t.TempDir()+"/nectar.db"
	st, err := store.Open(context.WithoutCancel(s.t.Context()), store.Options{Path: path, Fast: true, Around: func(commit func() error) error {
		if unhealthy.Load() {
			return &unclear.Error{Err: errors.New("it does not answer")}
		}
		return commit()
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	_ = s.store.Close()
	s.store = st
	s.t.Cleanup(func() { _ = st.Close() }) // what it has not stored nobody knows
	return unhealthy
}

// While its database does not answer, a worker whose lease ends does not wait for it: neither to take a shard up nor to give one away.
func TestLeaseEndsWhileTheDatabaseDoesNotAnswer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for what, taken := range map[string]bool{"while it takes": false, "while it gives away": true} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { leaseEnds(t, taken) })
		})
	}
}

func leaseEnds(t *testing.T, taken bool) {
	t.Helper()
	shard := event.Account("shop").Shard()
	s := newOneShop(t)
	unhealthy := s.unhealthy()
	h, stop := s.worker()
	if taken {
		time.Sleep(time.Minute)
		unhealthy.Store(true)
	} else {
		if _, err := h.Release(t.Context(), shard); err != nil {
			t.Fatal(err)
		}
		unhealthy.Store(true)
	}
	leased, end := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() {
		var err error
		if taken {
			_, err = h.Release(leased, shard)
		} else {
			h.TakeShards(leased, []lease.Holding{{Shard: shard, Epoch: 2}})
		}
		ended <- err
	}()
	time.Sleep(10 * time.Minute)
	select {
	case err := <-ended:
		t.Errorf("it has ended without the database: %v", err)
		ended <- err
	default:
	}
	end()
	select {
	case err := <-ended:
		if taken && err == nil {
			t.Error("it is given away, and nothing of it is stored")
		}
	case <-time.After(time.Minute):
		t.Error("it waits for the database")
		unhealthy.Store(false)
	}
	stop()
}
