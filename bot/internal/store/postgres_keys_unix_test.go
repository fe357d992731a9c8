//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// keyed is a worker with a seat and a store.
type keyed struct {
	*world
	name  string
	board *board.Board
	seat  lease.Seat
}

// entersWith lets a worker begin with a key.
func entersWith(t *testing.T, url, name string, key platform.Secret) *keyed {
	t.Helper()
	s := &keyed{world: &world{tb: t}, name: name, board: openBoard(t, url)}
	var err error
	if s.seat, err = s.board.AddWorker(t.Context(), lease.Card{Name: name}); err != nil {
		t.Fatal(err)
	}
	s.Store = openServer(t, store.Options{Path: url, Key: key, Fence: store.Fence{Worker: s.seat.Worker, Epoch: s.seat.Epoch, Stream: 1}})
	return s
}

// leaves ends it.
func (s *keyed) leaves() {
	s.Helper()
	if err := errors.Join(s.Close(), s.board.RemoveWorker(s.Context(), s.seat)); err != nil {
		s.Fatal(err)
	}
}

// writes lets people write to it, until the end.
func (s *keyed) writes(number *int64, mu *sync.Mutex) (end func()) {
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			mu.Lock()
			*number++
			n := *number
			mu.Unlock()
			select {
			case <-stop:
				return
			case <-tick.C:
				e := message(platform.UserID(100+n%9), n)
				e.Account = berk
				s.must(says(turnOf(e), secrets[6]))
			}
		}
	})
	return func() { close(stop); all.Wait() }
}

// asItSignsIn is as whom an account of a test signs in.
func asItSignsIn(a record.StoredAccount) platform.Secret {
	return platform.Secret(a.Account) + "@social.example"
}

func changeOf(t *testing.T, url string, from, to platform.Secret) *rekey.Change {
	t.Helper()
	c, err := rekey.Begin(t.Context(), url, from, to, asItSignsIn)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The key of a server changes while two workers run, and people write: both keys open all of it until every worker has the new one, and
// then the old one opens nothing. Whatever interrupts it, it goes on.
func TestKeyChangesBesideWorkers(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	url := pgServer(t).bare(t)
	a, b := entersWith(t, url, "a", "old"), entersWith(t, url, "b", "old")
	inspector := &inspector{reader(t, url, "old"), t}
	defer func() { _ = inspector.Close() }()
	private(a.world, inspector)
	book := accountBook{t, url, inspector.Inspector}
	cafe, shop := accountRow("cafe"), accountRow("shop")
	cafe.Version = book.puts(cafe, shop)
	shop.Version = cafe.Version
	var numbers sync.Mutex
	number := int64(10_000)
	endA, endB := a.writes(&number, &numbers), b.writes(&number, &numbers)

	for _, wrong := range []struct {
		from, to platform.Secret
		want     error
	}{{"third", "new", seal.ErrSealed}, {"old", "old", rekey.ErrSameKey}, {"third", "third", seal.ErrSealed}} {
		if _, err := rekey.Begin(t.Context(), url, wrong.from, wrong.to, asItSignsIn); !errors.Is(err, wrong.want) {
			t.Errorf("from %q to %q: %v, want %v", wrong.from.Reveal(), wrong.to.Reveal(), err, wrong.want)
		}
	}

	c := changeOf(t, url, "old", "new")
	if _, err := rekey.Begin(t.Context(), url, "old", "new", asItSignsIn); !errors.Is(err, rekey.ErrKeyChanging) {
		t.Errorf("a second one at once: %v", err)
	}
	short, cancel := context.WithCancel(t.Context())
	if _, err := c.Seal(short, func(rows int64) {
		if rows > 0 {
			cancel() // as Ctrl-C would
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("it was interrupted, and says %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, key := range []platform.Secret{"old", "new"} {
		tells(t, url, key, true)
	}
	book.has(record.StoredAccountQuery{}, cafe, shop)

	c = changeOf(t, url, "old", "new")
	sealAll := func() {
		t.Helper()
		if _, err := c.Seal(t.Context(), func(int64) {}); err != nil {
			t.Fatal(err)
		}
	}
	behind := func(want ...string) {
		t.Helper()
		got, err := c.Finish(t.Context())
		for errors.Is(err, record.ErrNotSealed) {
			sealAll()
			got, err = c.Finish(t.Context())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q are behind, %v, want %q", got, err, want)
		}
	}
	sealAll()
	behind("a", "b")
	endB()
	b.leaves()
	b = entersWith(t, url, "b", "new")
	endB = b.writes(&number, &numbers)
	behind("a")
	for _, key := range []platform.Secret{"old", "new"} {
		tells(t, url, key, true)
	}
	var late *rekey.BehindError
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := rekey.Begin(t.Context(), url, "old", "third", asItSignsIn); !errors.As(err, &late) || !slices.Equal(late.Workers, []string{"b"}) {
		t.Errorf("to a third key, while b has the new one: %v", err)
	}
	c = changeOf(t, url, "new", "new") // whoever goes on with it may have the new one alone
	defer func() { _ = c.Close() }()
	endA()
	a.leaves()
	a = entersWith(t, url, "a", "new")
	endA = a.writes(&number, &numbers)
	behind()

	endA()
	endB()
	tells(t, url, "new", true)
	tells(t, url, "old", false)
	if _, err := store.Open(t.Context(), store.Options{Path: url, Key: "old", Fence: store.Fence{Worker: a.seat.Worker, Epoch: a.seat.Epoch, Stream: 2}}); !errors.Is(err, seal.ErrSealed) {
		t.Errorf("with the old key it opens with %v", err)
	}
	onlySealedWith(t, url, 2)
	fresh := reader(t, url, "new")
	defer func() { _ = fresh.Close() }()
	book.inspector = fresh
	book.has(record.StoredAccountQuery{}, cafe, shop)
	twin := accountRow("twin")
	twin.Person = accountRow("shop").Person
	var same *store.SamePersonError
	if _, err := fresh.PutAccounts(t.Context(), twin); !errors.As(err, &same) || same.Other != "shop" {
		t.Errorf("an account that signs in as another one: %v", err)
	}
	a.leaves()
	b.leaves()
}

// onlySealedWith checks that all that is sealed is so with one key.
func onlySealedWith(t *testing.T, url string, number int) {
	t.Helper()
	columns := append(store.SealedColumns(), "account.sealed", "account.why")
	for _, name := range columns {
		var table, column string
		for i := range name {
			if name[i] == '.' {
				table, column = name[:i], name[i+1:]
			}
		}
		for _, row := range sqlOn(t, url, fmt.Sprintf(`SELECT substring(%s FROM 1 FOR 3), count(*) FROM %q GROUP BY 1`, column, table)) {
			head, _ := row[0].([]byte)
			if len(head) == 0 {
				continue
			}
			if len(head) != 3 || head[0] != 2 || int(head[1])<<8|int(head[2]) != number {
				t.Errorf("%s: %v begin with %x", name, row[1], head)
			}
		}
	}
	if keys := sqlOn(t, url, `SELECT number FROM seal_key`); len(keys) != 1 {
		t.Errorf("there are the keys %v", keys)
	}
}
