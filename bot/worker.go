package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/budget"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/shards"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// WorkerConfig says how a worker works: a bot that shares a database of PostgreSQL with others, see RunWorker.
type WorkerConfig struct {
	// Name is the worker's. Each has one of its own.
	Name string
	// Version is that of the program, for people.
	Version string
	// Has is what the worker has that accounts may need: see record.HasAccount. It is told before the first Report.
	Has []string
	// Store says which database they share.
	Store StoreOptions
	// Accounts returns the accounts of a shard, of 0 to event.Shards-1: those for which event.Account.Shard is that. See Working.Refresh, too.
	Accounts func(ctx context.Context, shard int) ([]Account, error)
	// Serve makes a bot, tells Working.Use of it, runs it until ctx is done, and returns when it has ended. It is called for each
	// lease: there is another one after a lease that was lost.
	Serve func(ctx context.Context, w *Working) error
	// Transport is what requests to platforms go through, behind the guard of the lease. Defaults to platform.NewTransport().
	Transport *platform.Transport
	// RequestTimeout is how long a request may take. Defaults to that of Config.
	RequestTimeout time.Duration
	// HostRate is how many requests a second each host of the platform gets from all workers together; 0 for any number.
	HostRate float64
	// Patience is how long a worker that stops waits for others that take its shards. Where there are none it does not wait. Defaults
	// to 30 s.
	Patience time.Duration
	// Report says what the worker has, and what its shards cost (Working.Loads): it is asked every ten beats, and after Working.Changed.
	Report func() record.WorkerReport
	// Log takes a line for each change. Defaults to nothing.
	Log *slog.Logger
}

// Working is a worker that has a lease.
type Working struct {
	Store     Store             // with the worker's fence; it is closed when Serve has returned
	Transport http.RoundTripper // which lets nothing leave without the lease
	Budget    *Budget           // this worker's part of what hosts get, for Config.Budget
	Worker    int64             // its number on the board
	Epoch     int64             // grows with each lease
	// Serves is called when the worker is about to serve an account, and when it serves one no more; nil for nobody. It must be set
	// before Use.
	Serves func(account event.Account, serves bool)

	once   sync.Once
	used   chan struct{}
	holder *shards.Holder[Account]
	bot    *Bot
	guard  *lease.Guard
	db     *store.Database // Store
	tell   func()
	deaths chan lease.Peer // of workers from whom this one has taken over
}

// Use says which bot it is: one with Working.Store and Working.Transport, without accounts of its own, that is not running yet. The
// worker takes shards when the bot is ready.
func (w *Working) Use(b *Bot) {
	w.once.Do(func() {
		w.bot = b
		b.serveShards(w.holder, w.Serves)
		close(w.used)
	})
}

// Ready returns why nothing leaves at the moment; nil while the lease is good.
func (w *Working) Ready() error { return w.guard.Check() }

// Changed lets what the worker has be told to the others now; see WorkerConfig.Report.
func (w *Working) Changed() { w.tell() }

// Refresh asks again which accounts there are in the shards that are held: those that are gone, or are other ones now, are given up,
// and then those that have come are taken up. The others are not touched. The error is that of asking; the shard that it is about stays
// as it is.
func (w *Working) Refresh(ctx context.Context) error { return w.holder.RefreshAccounts(ctx) }

// Loads returns what each shard that is held costs, in nanoseconds of a core a second, as far as that is known from the turns of its
// accounts. It is for record.WorkerReport.
func (w *Working) Loads() map[int]int64 { return w.holder.MeasureLoads() }

const (
	defaultPatience = 30 * time.Second
	forgottenAfter  = 24 * time.Hour // a worker that has gone is deleted after a week
	mostDeaths      = 16             // of other workers, that people are told of
	lossPatience    = time.Minute    // for the database to take it that it has lost something
)

// RunWorker runs a bot as one of the workers that share a database, until ctx is done: then it gives its shards to others, and returns
// nil. A database that is away is waited for. When the lease is lost, it ends the bot, and enters anew with another one. The errors are
// those that a person has to repair, such as another key, name, password or version; what makes entering for the first time fail otherwise; record.ErrNameTaken; a
// *ServeError, of a bot that has ended by itself; record.ErrOtherServer; and record.ErrWentBack or record.ErrLostCommits: then the database has
// forgotten what it had confirmed, so that it does not say any more what has been sent, and a person has to look before the worker begins again.
// Where that comes of another server that has taken over, the worker begins anew by itself, with care.
func RunWorker(ctx context.Context, cfg WorkerConfig) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Transport == nil {
		cfg.Transport = platform.NewTransport()
	}
	if cfg.RequestTimeout == 0 {
		cfg.RequestTimeout = (Config{}).withDefaults().RequestTimeout
	}
	if cfg.Patience == 0 {
		cfg.Patience = defaultPatience
	}
	if cfg.Store.Log == nil {
		cfg.Store.Log = cfg.Log
	}
	l := incarnations{cfg: &cfg}
	return l.run(ctx)
}

// runLease is one lease; had reports whether there was one, and l is told when the bot is ready, and what may have left too late. The error is
// nil when the worker has left.
func (c *WorkerConfig) runLease(ctx context.Context, l *incarnations) (had bool, err error) {
	board, err := remote.OpenBoard(ctx, c.Store.Path, store.StoreConnections)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, board.Close()) }()
	guard := lease.NewGuard(lease.SystemClock())
	dead, free := c.deadman()
	defer free()
	w := &Working{holder: shards.New(c.Accounts), Budget: &Budget{budget.NewShared(c.HostRate)}, guard: guard, used: make(chan struct{}), deaths: make(chan lease.Peer, mostDeaths)}
	worker, err := lease.StartWorker(ctx, lease.Config{
		Card: lease.Card{Name: c.Name, Version: c.Version, Has: c.Has}, Board: board, Holder: w.holder, Guard: guard, Deadman: dead, Report: c.reportOf(w), Log: c.Log,
		Budget: sharedBudget{w.Budget.hosts},
		Died:   w.noteDeath,
	})
	if err != nil {
		return false, err
	}
	seat := worker.Seat()
	w.Worker, w.Epoch, w.tell = seat.Worker, seat.Epoch, worker.TellChanges
	o := c.Store.toStore()
	o.Fence = store.Fence{Worker: w.Worker, Epoch: w.Epoch, Stream: 1}
	st, err := store.Open(ctx, o)
	if err != nil {
		worker.AbandonLease()                //nolint:contextcheck // it leaves, also when other things have ended
		if errors.Is(err, store.ErrFenced) { // which others have taken over while it was opened
			err = &lease.LostError{Loss: lease.Loss{Why: lease.ErrGone}}
		}
		return false, err
	}
	w.Store, w.db = st, st
	before, _ := st.LastRestored()
	defer func() { err = errors.Join(err, w.close()) }()
	w.Transport = guard.Transport(c.Transport, c.RequestTimeout)
	untell := w.tellDeaths(ctx, board)
	err = c.serve(ctx, worker, w, l.goesOn)
	untell()
	l.belated = append(l.belated, w.holder.BelatedNotices()...)
	switch {
	case !errors.Is(err, record.ErrWentBack) && !errors.Is(err, record.ErrLostCommits):
	case worker.OverFor() > forgottenAfter: // others have forgotten it, which is no loss
		err = &lease.LostError{Loss: lease.Loss{Why: lease.ErrGone}}
	case c.tookOver(ctx, st, before):
		err = &lease.LostError{Loss: lease.Loss{Why: errTookOver}}
	default:
		err = errors.Join(err, c.stopAll(ctx, board))
	}
	return true, err
}

// noteDeath notes that a worker has died, for people.
func (w *Working) noteDeath(p lease.Peer) {
	select {
	case w.deaths <- p:
	default: // so many are one matter
	}
}

// tellDeaths calls people for workers that die, until it is called what it returns.
func (w *Working) tellDeaths(ctx context.Context, board remote.Board) (end func()) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var telling sync.WaitGroup
	telling.Go(func() {
		select {
		case <-w.used:
			w.bot.tellDeaths(ctx, w.deaths, func(ctx context.Context) (bool, error) { return board.TellsDeath(ctx, crashTold) })
		case <-ctx.Done():
		}
	})
	return func() {
		stop()
		telling.Wait()
	}
}

// reportOf returns what says what a worker has, with how it stands.
func (c *WorkerConfig) reportOf(w *Working) func() record.WorkerReport {
	if c.Report == nil {
		return nil
	}
	return func() record.WorkerReport {
		r := c.Report()
		select {
		case <-w.used:
			j := w.bot.Judgement()
			j.Seen = time.Time{} // the beat says that
			text, err := json.Marshal(j)
			if err == nil {
				r.Judged = string(text)
			}
		default: // nobody serves anything yet
		}
		return r
	}
}

// stopAll keeps the other workers from going on, too: what this one has sent they would send again.
func (c *WorkerConfig) stopAll(ctx context.Context, board remote.Board) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lossPatience)
	defer cancel()
	for {
		err := board.NoteLoss(ctx, c.Name)
		if err == nil || lifecycle.Sleep(ctx, enterPause) != nil {
			return err
		}
	}
}

// tookOver reports whether the database has gone back since another server has taken over, and not by other means: then it is known that the next
// start has to be careful. before is what was known of that at the start.
func (c *WorkerConfig) tookOver(ctx context.Context, st *store.Database, before record.Restored) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lossPatience)
	defer cancel()
	for {
		err := st.CheckServer(ctx)
		if err == nil || errors.Is(err, record.ErrOtherServer) || lifecycle.Sleep(ctx, enterPause) != nil {
			now, _ := st.LastRestored()
			return err == nil && now.Sign == record.CarefulFailover && !now.At.Equal(before.At) //mutate:server-survived
		}
	}
}

// close closes the store. What a fence has kept from being stored was said before.
func (w *Working) close() error {
	if err := w.Store.Close(); w.db.Err() == nil {
		return err
	}
	return nil
}

// deadman returns the timer that ends this process when it stands still, where there is one.
func (c *WorkerConfig) deadman() (lease.Deadman, func()) {
	d, err := lease.NewDeadman()
	if err != nil {
		c.Log.Warn(err.Error()) //nolint:sloglint // it reads as a sentence
		return nil, func() {}
	}
	return d, func() { _ = d.Close() } // it is disarmed
}

// serve runs a bot with a lease.
func (c *WorkerConfig) serve(ctx context.Context, worker *lease.Worker, w *Working, ready func()) error {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- c.Serve(serving, w) }()
	leased, crash := context.WithCancel(serving)
	defer crash()
	ended := make(chan error, 1)
	var err error
	begun, over := c.waitUntilReady(ctx, w, served)
	if begun {
		ready()
		go func() { ended <- worker.Run(leased) }()
		over, err = c.watch(ctx, worker, w, served, ended, crash)
	} else {
		worker.AbandonLease() //nolint:contextcheck // as above
	}
	stop()
	if over == nil {
		over = &ending{err: <-served, lost: err}
	}
	switch {
	case over.err == nil:
		return err
	case over.lost == nil:
		return errors.Join(err, &ServeError{over.err})
	case errors.Is(over.lost, err):
		return err // that the bot has ended so comes of it
	}
	return errors.Join(over.lost, over.err)
}

// ending is how Serve has ended.
type ending struct {
	err  error
	lost error // the lease was lost before: what it has ended with may come of that
}

// currentEnding returns how Serve has ended at this moment.
func (w *Working) currentEnding(err error) *ending {
	e := &ending{err: err}
	if why := cmp.Or(w.db.Err(), w.guard.Check()); why != nil {
		e.lost = &lease.LostError{Loss: lease.Loss{Why: why}}
	}
	return e
}

// waitUntilReady waits until the bot is ready for shards; false when that is not to be any more. over is how Serve has ended, if it has.
func (c *WorkerConfig) waitUntilReady(ctx context.Context, w *Working, served <-chan error) (begun bool, over *ending) {
	var ready <-chan struct{}
	for used := (<-chan struct{})(w.used); ; {
		select {
		case <-ctx.Done():
			return false, nil
		case err := <-served: // by itself
			return false, w.currentEnding(cmp.Or(err, errEarly))
		case <-used:
			used, ready = nil, w.bot.Ready()
		case <-ready:
			return true, nil
		}
	}
}

// watch lets a worker work until it is to stop, or can work no more. over is how Serve has ended, if it has.
func (c *WorkerConfig) watch(ctx context.Context, worker *lease.Worker, w *Working, served, ended <-chan error, crash context.CancelFunc) (over *ending, err error) {
	stopped := ctx.Done()
	left := make(chan struct{})
	for {
		select {
		case <-stopped:
			stopped = nil
			go func() { defer close(left); c.handOverShards(ctx, worker) }()
		case err := <-ended:
			if stopped == nil {
				<-left
			}
			return over, err
		case err := <-served: // by itself
			served, over = nil, w.currentEnding(cmp.Or(err, errEarly))
			crash()
		case <-w.db.Done(): // nothing of it is stored any more, so that it cannot give anything away either
			crash()
			err := <-ended
			if lost := new(lease.LostError); !errors.As(err, &lost) {
				err = w.db.Err()
			}
			return over, err
		}
	}
}

// handOverShards gives the shards to others.
func (c *WorkerConfig) handOverShards(ctx context.Context, worker *lease.Worker) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Patience)
	defer cancel()
	worker.LeaveBoard(ctx)
}
