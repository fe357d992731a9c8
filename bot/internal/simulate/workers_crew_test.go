package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// crew is workers that share a database and accounts: each is a whole bot with a lease.
type crew struct {
	*simulation
	board  *lease.Memory
	owners *owners
	booths []*booth
	began  time.Time
	over   chan struct{} // closed when nobody comes back any more

	mu      sync.Mutex
	hands   []*hand // by slot: the present ones
	stalled time.Time
	lossy   time.Time
	ways    []ways // by slot
	epochs  map[int]int64
	wrongs  []string
	running sync.WaitGroup
}

// booth is one of the accounts.
type booth struct {
	name  event.Account
	id    platform.UserID
	posts []platform.PostID
	acts  []time.Time // when something left that its pace is for
}

// ways tells until when those of a worker are cut.
type ways struct{ store, platform time.Time }

func newCrew(s *simulation) *crew {
	return &crew{
		simulation: s, board: lease.NewMemory(nil), over: make(chan struct{}), hands: make([]*hand, mostWorkers),
		ways: make([]ways, mostWorkers), epochs: map[int]int64{},
	}
}

// run lets everything happen, and judges it.
func (c *crew) run(ctx context.Context, r *result) error {
	if err := c.open(ctx); err != nil {
		return err
	}
	defer c.close()
	for slot := range c.plan.workers {
		c.comes(ctx, slot)
	}
	if err := c.begun(ctx); err != nil {
		return err
	}
	since := c.platform.Ledger().Len()
	c.platform.SetFaults(c.plan.faults)
	c.trace.add("the weather begins")
	c.happen(ctx)
	time.Sleep(10 * time.Second)
	c.calm(ctx)
	if err := c.quiet(ctx, since); err != nil {
		return err
	}
	time.Sleep(latest) // for what may come twice
	r.wrong = append(append(r.wrong, c.judge(since)...), c.hasty()...)
	left, err := c.leftovers(ctx)
	r.wrong = append(r.wrong, left...)
	strange, err2 := c.owners.wrong(ctx)
	r.wrong = append(r.wrong, strange...)
	c.mu.Lock()
	defer c.mu.Unlock()
	r.wrong = append(r.wrong, c.wrongs...)
	return errors.Join(err, err2)
}

// open makes the platform, the accounts, the people, and the database.
func (c *crew) open(ctx context.Context) error {
	c.platform = emulator.New(emulator.Config{Seed: c.plan.seed, Dialect: c.plan.dialect.Dialect, SessionTTL: c.plan.sessionTTL})
	for i := range c.plan.accounts {
		s := &booth{name: event.Account(fmt.Sprint("booth", i))}
		s.id = c.addAccount(s.name)
		s.posts = []platform.PostID{c.platform.Post(s.id, "menu one"), c.platform.Post(s.id, "menu two")}
		c.booths = append(c.booths, s)
		c.posts = append(c.posts, s.posts...)
	}
	for i := range people {
		c.people = append(c.people, c.platform.AddPerson(emulator.Person{Username: fmt.Sprint("person", i)}))
	}
	st, err := store.Open(ctx, store.Options{Path: c.path(), Fast: true})
	if err != nil {
		return err
	}
	if c.owners, err = newOwners(ctx, c.path(), c.booths); err == nil {
		c.closers = append(c.closers, func() { _ = c.owners.db.Close() })
	}
	return errors.Join(err, st.Close())
}

func (c *crew) path() string { return filepath.Join(c.dir, "shared.db") }

// account returns a booth as the bots are to serve it. Each has an address of its own, so that its requests can be told apart.
func (s *booth) account(n int) bot.Account {
	return accountAt(fmt.Sprintf("http://emulator.localhost:%d/mobile_api", firstPort+n), s.name)
}

const firstPort = 8100

// of returns the accounts of a shard.
func (c *crew) of(shard int) (all []bot.Account) {
	for i, s := range c.booths {
		if s.name.Shard() == shard {
			all = append(all, s.account(i))
		}
	}
	return all
}

// inStore lets somebody read the database.
func (c *crew) inStore(ctx context.Context, f func(r *store.Reader) error) error {
	r, err := store.OpenReader(ctx, c.path(), "")
	if err != nil {
		return err
	}
	return errors.Join(f(r), r.Close())
}

// begun waits until it is stored for each source of all accounts where it begins.
func (c *crew) begun(ctx context.Context) error {
	return c.inStore(ctx, func(r *store.Reader) error {
		for _, s := range c.booths {
			for _, source := range []event.Source{event.Messages, event.Notifs, event.Mentions} {
				for cursors := []record.Cursor(nil); len(cursors) == 0; time.Sleep(100 * time.Millisecond) {
					var err error
					if cursors, err = r.Cursors(ctx, s.name, source, []platform.UserID{0}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// happen lets people do what they do, and befall the workers what befalls them.
func (c *crew) happen(ctx context.Context) {
	c.began = time.Now()
	steps, mishaps := c.plan.steps, c.plan.mishaps
	for len(steps)+len(mishaps) > 0 {
		if len(mishaps) == 0 || len(steps) > 0 && steps[0].at <= mishaps[0].at {
			st := steps[0]
			steps = steps[1:]
			time.Sleep(time.Until(c.began.Add(st.at)))
			c.trace.add("%v", st)
			c.act(st, c.booths[st.account].id, c.booths[st.account].posts)
			continue
		}
		m := mishaps[0]
		mishaps = mishaps[1:]
		time.Sleep(time.Until(c.began.Add(m.at)))
		c.trace.add("%v", m)
		c.befall(ctx, m)
	}
}

// calm ends what befalls the workers. Those that are gone come back.
func (c *crew) calm(ctx context.Context) {
	c.trace.add("the weather ends")
	c.platform.SetFaults(emulator.Faults{})
	c.peace.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stalled, c.lossy = time.Time{}, time.Time{}
	clear(c.ways)
	for _, h := range c.hands {
		if h != nil {
			h.ice.Thaw()
			h.power.spare()
			h.clock.Set(0)
			_, _ = c.board.Drain(ctx, h.name(), false)
		}
	}
}

// quiet lets time pass until nothing is missing, and nothing on its way – what is there already may take several readings to reconcile –,
// or long enough.
func (c *crew) quiet(ctx context.Context, since int64) error {
	for range 20 {
		time.Sleep(40 * time.Second)
		if len(c.judge(since)) > 0 {
			continue
		}
		if left, err := c.leftovers(ctx); err != nil || len(left) == 0 {
			return err
		}
	}
	return nil
}

// judge tells what is not as it should be, since that position of the ledger.
func (c *crew) judge(since int64) (wrong []string) {
	entries := c.platform.Ledger().Since(0)
	for _, s := range c.booths {
		mine := slices.DeleteFunc(slices.Clone(entries), func(e emulator.Entry) bool { return e.From != s.id && e.To != s.id })
		if verdict := judge.Entries(mine, expect(s.id, since)); !verdict.OK() {
			wrong = append(wrong, fmt.Sprintf("%s: %v", s.name, verdict))
			wrong = append(wrong, verdict.Details...)
		}
	}
	return wrong
}

// leftovers looks for what was not ended although nothing disturbs anybody any more.
func (c *crew) leftovers(ctx context.Context) (wrong []string, err error) {
	err = c.inStore(ctx, func(r *store.Reader) error {
		for _, s := range c.booths {
			actions, err := r.Open(ctx, s.name)
			if err != nil {
				return err
			}
			for i := range actions {
				wrong = append(wrong, fmt.Sprintf("%s: the action %s is still %s", s.name, actions[i].Key, actions[i].State))
			}
			pending, err := r.PendingEvents(ctx, s.name, 0, 100)
			if err != nil {
				return err
			}
			for i := range pending {
				wrong = append(wrong, fmt.Sprintf("%s: the event %v is still pending", s.name, pending[i].ID))
			}
		}
		return nil
	})
	return wrong, err
}

// close ends what is left.
func (c *crew) close() {
	close(c.over)
	c.mu.Lock()
	hands := slices.Clone(c.hands)
	c.mu.Unlock()
	for _, h := range hands {
		if h != nil {
			h.kill("it is over")
		}
	}
	c.running.Wait()
	c.end()
}

// wrong notes what must not be.
func (c *crew) wrong(format string, args ...any) {
	c.trace.add("WRONG: "+format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrongs) < 10 {
		c.wrongs = append(c.wrongs, fmt.Sprintf("%v: ", time.Since(c.began))+fmt.Sprintf(format, args...))
	}
}

// laterOf returns the later one of two times.
func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
