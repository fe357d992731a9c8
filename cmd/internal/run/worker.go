package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"go.uber.org/fx"
)

// shared are the accounts that workers share, as the settings of this one name them.
type shared struct {
	mu      sync.Mutex // guards the fields below
	byShard map[int][]config.Account
	names   []string // as record.HasAccount has them

	leftOut atomic.Bool // some wait for rules; see waitsForRules
}

// set takes over which accounts there are.
func (s *shared) set(accounts []config.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byShard = map[int][]config.Account{}
	for i := range accounts {
		shard := accounts[i].Name.Shard()
		s.byShard[shard] = append(s.byShard[shard], accounts[i])
	}
}

// offer takes over which accounts the others are told of.
func (s *shared) offer(accounts []config.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = nil
	for i := range accounts {
		s.names = append(s.names, record.HasAccount(accounts[i].Name))
	}
}

// of returns the accounts of a shard.
func (s *shared) of(shard int) []config.Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.byShard[shard])
}

// has returns what this worker has for shards.
func (s *shared) has() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.names)
}

// runWorker runs the bot as a worker among others until ctx ends.
func (r *Reloader) runWorker(ctx context.Context, gone []lacking) error {
	name, err := r.Began.WorkerName()
	if err != nil {
		return &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	if err := r.forgetSealed(ctx); err != nil {
		return err
	}
	r.offer()
	err = bot.RunWorker(ctx, bot.WorkerConfig{
		Name: name, Version: cli.ReadBuild().Version, Has: r.shared.has(),
		Store:    r.Began.StoreOptions(r.Log),
		Accounts: r.accountsOf,
		HostRate: r.Began.HostRate,
		Patience: r.Began.StopPatience,
		Report:   r.workerReport,
		Log:      r.Log,
		Serve: func(ctx context.Context, w *bot.Working) error {
			defer r.loaded.Store(nil)
			return r.beWorker(ctx, w, gone)
		},
	})
	switch {
	case errors.As(err, new(*bot.ServeError)): // what it says, in place of what is said about it
		own, _ := errors.AsType[*bot.ServeError](err)
		return own.Err
	case errors.Is(err, record.ErrNameTaken):
		return &cli.ExitError{Code: cli.ExitFailed, Err: fmt.Errorf("NECTAR_WORKER: %w", err)}
	case errors.Is(err, record.ErrWentBack), errors.Is(err, record.ErrLostCommits):
		// A service manager must not start it again by itself.
		return &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("%w; what was sent since is not known any more: compare with nectar audit, and then nectar workers accept-loss", err)}
	case errors.Is(err, record.ErrOtherServer): // nor there
		return &cli.ExitError{Code: cli.ExitConfig, Err: fmt.Errorf("NECTAR_STORE: %w", err)}
	case err != nil:
		return notInterrupted(fmt.Errorf("NECTAR_STORE: %w", err))
	}
	return nil
}

// forgetSealed deletes what is encrypted with a key that is lost, when that was asked for: while no worker runs, for which it may not be
// lost.
func (r *Reloader) forgetSealed(ctx context.Context) error {
	if !r.Began.ForgetSealed {
		return nil
	}
	st, err := r.Began.OpenStore(ctx, r.Log)
	if err != nil {
		return notInterrupted(err)
	}
	r.Began.ForgetSealed, r.wanted.ForgetSealed = false, false
	return st.Close()
}

// beWorker serves with one lease.
func (r *Reloader) beWorker(ctx context.Context, w *bot.Working, gone []lacking) error {
	r.store = w.Store
	// With each lease anew: while there was none, others may have changed, moved or published what this one read.
	if r.Began.AccountsInStore() {
		if err := r.beginStored(ctx); err != nil {
			return err
		}
	} else {
		if err := r.wanted.Stays(w.Store); err != nil {
			return err
		}
		if err := r.refuseNothing(ctx, w.Store, r.wanted, gone); err != nil {
			return err
		}
	}
	if err := r.tellUnpublished(ctx, w.Store); err != nil {
		return err
	}
	settings := r.wanted.Bot(r.Log)
	// A worker's bot begins without accounts: they come with shards, and everything leaves through the guard.
	settings.Accounts, settings.MayBeIdle, settings.Transport = nil, true, w.Transport
	settings.Budget = w.Budget
	r.working = w
	// Before the bot is wired: shards may be taken as soon as it is.
	r.shared.set(r.wanted.Serving())
	w.Serves = func(account event.Account, serves bool) {
		if serves {
			r.arrivals.ExpectAccount(account)
		} else {
			r.arrivals.ForgetAccount(account)
		}
	}
	_, err := r.serve(ctx, w.Store, settings, fx.Invoke(w.Use), fx.Invoke(func() { r.loaded.Store(w) }))
	return err
}

// accountsOf returns the accounts of a shard, as the bot takes them.
func (r *Reloader) accountsOf(_ context.Context, shard int) ([]bot.Account, error) {
	var all []bot.Account
	for _, a := range r.shared.of(shard) {
		if r.waitsForRules(&a) { //mutate:waits-for-rules
			r.shared.leftOut.Store(true)
			continue
		}
		settings := a.Bot()
		if r.campaigns != nil {
			settings.Publishing = r.campaigns.Publishing(a.Name) //nolint:contextcheck // the plugin asks its store for a moment
		}
		all = append(all, settings)
	}
	return all, nil
}

// shareAccounts lets the accounts that this worker serves be those that are wanted now. Those that have gone go before what is in force for
// others changes, and those that come find it in force.
func (r *Reloader) shareAccounts(ctx context.Context, d Difference) {
	changed := namesOf(d.Changed)
	var stay []config.Account
	for _, a := range r.wanted.Serving() {
		if _, had := r.have[a.Name]; had && !slices.Contains(changed, a.Name) {
			stay = append(stay, a)
		}
	}
	r.refresh(ctx, stay)
	r.letIn(ctx)
	r.refresh(ctx, r.wanted.Serving())
	r.announceAccounts()
	r.have = map[event.Account]config.Account{}
	for _, a := range r.wanted.Serving() {
		r.have[a.Name] = a
	}
	r.offer()
	r.working.Changed()
}

// offer tells the others of accounts that they may not know of: those of the database they all do.
func (r *Reloader) offer() {
	if !r.Began.AccountsInStore() {
		r.shared.offer(r.wanted.Serving())
	}
}

// refresh lets those accounts be served of the shards that this worker has.
func (r *Reloader) refresh(ctx context.Context, accounts []config.Account) {
	r.shared.set(accounts)
	if err := r.working.Refresh(ctx); err != nil { // settings can always be read
		r.Log.ErrorContext(ctx, "accounts cannot be taken over", "err", err)
	}
}
