package bot_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// countedSelves counts how many accounts of others were read with the last look.
type countedSelves struct {
	store.Store
	last atomic.Int64
}

// SelvesSince implements store.Store.
func (c *countedSelves) SelvesSince(ctx context.Context, since time.Time) ([]store.Self, time.Time, error) {
	all, newest, err := c.Store.SelvesSince(ctx, since)
	c.last.Store(int64(len(all)))
	return all, newest, err
}

// Who the accounts of other workers are is read as far as it is new: a thousand that began together are not read each second from then on.
func TestAccountsOfOthersAreReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		c := &countedSelves{Store: s.store}
		s.reads = c
		for i := range 1000 {
			c.StoreSelf(store.Self{Account: event.Account(fmt.Sprint("other", i)), Platform: "https://other.example", User: platform.UserID(i + 1)})
			time.Sleep(10 * time.Millisecond)
		}
		_, stop := s.worker()
		time.Sleep(10 * time.Second)
		if n := c.last.Load(); n < 1000 {
			t.Errorf("right after that %d are read: what is stored late would be missed", n)
		}
		time.Sleep(5 * time.Minute)
		if n := c.last.Load(); n > 3 {
			t.Errorf("after five minutes %d are read with each look", n)
		}
		stop()
	})
}
