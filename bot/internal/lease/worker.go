package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/record"
)

// Holder serves shards. Its methods may be called at the same time; about one shard it is one at a time, but for Lost.
type Holder interface {
	// TakeShards begins to serve shards. What cannot be read yet it tries again by itself. The context ends with the lease.
	TakeShards(ctx context.Context, shards []Holding)
	// Release ends serving a shard: when it returns, nothing of it is under way, and all of it is stored. The note goes to the
	// next owner. After an error the shard stays where it is, and Release is called again.
	Release(ctx context.Context, shard int) (note []byte, err error)
	// IsEmpty reports whether there is nothing in a shard that is served, as far as that is known.
	IsEmpty(shard int) bool
	// EndLost ends serving at once, without storing anything: other workers may have the shards already.
	EndLost(loss Loss)
}

// Loss is how a worker has lost its lease.
type Loss struct {
	Why error // ErrGone or ErrWentBack
	// Since is when the lease was over, and Until when that was found out, by the worker's time of day.
	Since, Until time.Time
	// Late is what may have left after the end, as far as the guard knows: people should be told. In times of day.
	Late                int
	LateFrom, LateUntil time.Time
}

// LostError is the error of a worker that has lost its lease.
type LostError struct{ Loss }

// Error tells why.
func (e *LostError) Error() string { return "the lease is lost: " + e.Why.Error() }

// Unwrap returns why.
func (e *LostError) Unwrap() error { return e.Why }

// Config is what a worker is made of.
type Config struct {
	Card
	Board  Board
	Holder Holder
	Clock  Clock // defaults to SystemClock()
	// Guard is opened and shut; nil if there is nothing to keep back.
	Guard *Guard
	// Deadman ends the process if it stands still; nil for none.
	Deadman Deadman
	// Report is what the worker has, and what its shards cost. It is asked every ten beats, and after Worker.TellChanges.
	Report func() record.WorkerReport
	// Budget is told which share of what hosts get is this worker's; nil for none.
	Budget Budget
	// Died is told of a worker that has ended without leaving, once, by the one that has taken over from it; nil for nobody. It must not wait.
	Died func(Peer)
	// Log takes one line per change. Defaults to nothing.
	Log *slog.Logger
}

// Worker is a worker with a lease.
type Worker struct {
	// Set by Enter.
	cfg   Config
	board Board
	clock Clock
	log   *slog.Logger
	seat  Seat

	lease     leased
	state     atomic.Int32
	wake      chan struct{} // beat at once
	changed   atomic.Bool
	stopBeats context.CancelFunc
	beating   sync.WaitGroup

	losing chan struct{} // closed when the lease is lost
	lost   chan struct{} // closed when loss is there
	once   sync.Once
	loss   Loss // once's: who waits for lost may read it

	leave chan (<-chan struct{}) // the end of the patience of Leave
	left  chan struct{}          // closed when Run has returned

	news      chan struct{} // there are results
	resultsMu sync.Mutex    // guards the fields below
	results   []func()      // what Run has to do
	freed     []freed       // what the board has to be told of next
	telling   bool          // somebody does

	// These belong to Run.
	watch    watch
	shards   map[int]*held
	calls    sync.WaitGroup
	timer    *time.Timer
	patience <-chan struct{} // closed when that of Leave is over; nil while nobody wants to leave
	giveUp   time.Time       // when what is left is left behind; zero while there is patience
	troubled bool            // the board was in trouble with the last round
	failed   bool            // it is in this one
	told     clocks
	drained  bool // it was told that it has to give its shards away
}

// StartWorker adds a worker to a board. One of its name that died is waited for: it is taken over like any other. From then on the lease
// is renewed, and no shard is taken before Run is called, which has to be done in any case.
func StartWorker(ctx context.Context, cfg Config) (*Worker, error) {
	if cfg.Clock.Steady == nil {
		cfg.Clock = SystemClock()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Deadman == nil {
		cfg.Deadman = noDeadman{}
	}
	w := &Worker{
		cfg: cfg, board: cfg.Board, clock: cfg.Clock, log: cfg.Log, wake: make(chan struct{}, 1), losing: make(chan struct{}), lost: make(chan struct{}),
		leave: make(chan (<-chan struct{}), 1), left: make(chan struct{}), shards: map[int]*held{}, news: make(chan struct{}, 1),
	}
	if err := w.enter(ctx); err != nil {
		return nil, fmt.Errorf("enter as worker %q: %w", cfg.Name, err)
	}
	beats, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stopBeats = stop
	w.beating.Go(func() { w.renewUntilDone(beats) })
	return w, nil
}

// Seat returns the worker's number and epoch, by which what it stores is fenced.
func (w *Worker) Seat() Seat { return w.seat }

// enter gets a seat.
func (w *Worker) enter(ctx context.Context) error {
	for before := (namesake{}); ; {
		seat, err := w.board.AddWorker(ctx, w.cfg.Card)
		if !errors.Is(err, record.ErrNameTaken) {
			w.seat = seat
			return err
		}
		asked := w.clock.Steady()
		view, err := w.board.ReadView(ctx)
		if err != nil {
			return err
		}
		// It watches for as long as any worker does before it takes over: the other one may be alive, and have the same name by mistake.
		dead, err := before.noteView(view, w.cfg.Name, asked, w.clock.Steady())
		if err == nil && dead != nil {
			err = w.takeOverFrom(ctx, view, *dead)
		}
		if err != nil {
			return err
		}
		if dead == nil {
			err = lifecycle.Sleep(ctx, beatEvery)
		}
		if err != nil {
			return err
		}
	}
}

// namesake is how a worker that wants to enter sees the one that has its name.
type namesake struct {
	watch watch
	last  int64
	moved int
}

// noteView takes a look, and returns the namesake if it is dead, or ErrNameTaken if it lives and stays.
func (s *namesake) noteView(v *View, name string, asked, answered time.Duration) (dead *Sight, err error) {
	s.watch.noteView(v, asked, answered)
	other := v.workerByName(name)
	if other == nil {
		return nil, nil //nolint:nilnil // it has just gone
	}
	if s.last != 0 && s.last != other.Beat {
		s.moved++ // the first time it may be the last word of one that has died
	}
	s.last = other.Beat
	switch p := s.watch.peers[other.Worker]; {
	case s.moved > 1 && other.State != StateLeaving:
		return nil, record.ErrNameTaken
	case p.still >= Term:
		return &p.Sight, nil
	}
	return nil, nil //nolint:nilnil // nobody knows yet
}
