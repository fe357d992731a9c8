package lease

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Errors by which a worker decides.
var (
	// ErrGone is of a worker that is not there any more as it was: another one has taken over, or it has left.
	ErrGone = errors.New("another worker has taken over from this one")

	// ErrNoteTooLong is of a note that is longer than MaxNote.
	ErrNoteTooLong = errors.New("a shard's note is too long")
)

// MaxNote is how many bytes a shard's note may have.
const MaxNote = 64 << 10

// Board is what workers share: who is there, and whose each shard is. Each worker has a way of its own to it. All methods may be
// called at the same time. Calls of a Seat fail with ErrGone when its epoch is not the worker's any more, and do nothing then; any
// other error does not say whether a call took effect.
type Board interface {
	// AddWorker adds a worker, which is StateEntering. It fails with ErrNameTaken while there is one of that name that has not gone.
	AddWorker(ctx context.Context, c Card) (Seat, error)
	// RenewLease shows that a worker lives, and returns the number of the beat, which grows. With an error, a number says that the beat is stored,
	// and its report may not be.
	RenewLease(ctx context.Context, s Seat, p Pulse) (int64, error)
	// ReadView shows everything.
	ReadView(ctx context.Context) (*View, error)
	// TakeOver ends a worker, if it has not moved since it was seen so: with its connections, and so that nothing of it is stored any
	// more when that returns. Its shards are free. It returns false when the worker has moved, or another one was faster.
	TakeOver(ctx context.Context, s Sight) (bool, error)
	// StorePlan stores what decide wants; false when another worker plans at this moment.
	StorePlan(ctx context.Context, s Seat, decide func(*View) []Want) (bool, error)
	// Acquire makes those free shards the worker's that are wanted for it, and returns them; besides those of again that are its own
	// already, if the answer to an earlier one was lost.
	Acquire(ctx context.Context, s Seat, again ...int) ([]Holding, error)
	// Release frees shards of the worker's. It does nothing about one that is not the worker's, or not with that epoch.
	Release(ctx context.Context, s Seat, all ...Released) error
	// RemoveWorker ends a worker that stops by itself. Its shards are free.
	RemoveWorker(ctx context.Context, s Seat) error
	// Drain asks a worker to give all its shards away, or takes that back; false when there is none of that name. It holds until it is taken
	// back, also over a restart of the worker. One that is gone is not asked.
	Drain(ctx context.Context, name string, on bool) (bool, error)
	// StoreNeeds says what a worker must have for a shard; see Card.Has.
	StoreNeeds(ctx context.Context, shard int, needs []string) error
	// ReadHosts shows what all workers say of the hosts of the platform.
	ReadHosts(ctx context.Context) (*HostViews, error)
	// AskRate says something of a host in the place of what the worker said before, if nobody has said anything of it since it was seen with
	// that number; false otherwise.
	AskRate(ctx context.Context, s Seat, number int64, a Ask) (bool, error)
	// Hints gets something when there may be news on the board. Hints may get lost, and come for nothing.
	Hints() <-chan struct{}
}

// Card is what a worker says of itself when it enters.
type Card struct {
	Name    string
	Version string   // of the program
	Has     []string // what shards may need: rules in a version, plugins, hosts that it reaches
	Speaks  Span     // the schemas of the database that it works with
}

// Span is from a number to another one.
type Span struct{ From, To int }

// Seat is a worker's place on the board. Epoch grows each time that somebody enters there, and when somebody takes over from it.
type Seat struct{ Worker, Epoch int64 }

// Sight is how somebody saw a worker.
type Sight struct {
	Seat
	Beat int64
}

// Pulse is what a beat tells.
type Pulse struct {
	State  State
	Wall   time.Time            // the worker's time of day
	Report *record.WorkerReport // nil when it is as it was
}

// State is what a worker is doing.
type State uint8

// A worker begins as StateEntering, and takes shards as StateUp only.
const (
	StateEntering State = iota
	StateUp
	StateLeaving // it gives its shards away, and ends
	StateGone
)

var stateNames = [...]string{StateEntering: "entering", StateUp: "up", StateLeaving: "leaving", StateGone: "gone"}

// String returns the state in a word.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// View is a board at one moment.
type View struct {
	Now     time.Time // by the board's own clock
	Plans   int64     // how many there were
	Workers []Peer    // by number
	Shards  [event.Shards]Shard
}

// WorkerByNumber returns a worker; nil when there is none of that number.
func (v *View) WorkerByNumber(number int64) *Peer {
	for i := range v.Workers {
		if v.Workers[i].Worker == number {
			return &v.Workers[i]
		}
	}
	return nil
}

// workerByName returns the worker of a name that has not gone; nil when there is none.
func (v *View) workerByName(name string) *Peer {
	for i := range v.Workers {
		if w := &v.Workers[i]; w.Name == name && w.State != StateGone {
			return w
		}
	}
	return nil
}

// Peer is a worker as the board shows it.
type Peer struct {
	Sight
	Card
	State State
	Drain bool          // it was asked to give its shards away
	Ahead time.Duration // its time of day minus the board's, when it last beat
	Seen  time.Time     // when it last beat, by the board's own clock: for people
	// Drained is who said last whether it has to give its shards away; zero when nobody has. For people.
	Drained record.Decision
}

// Shard is a shard as the board shows it.
type Shard struct {
	Owner, Wanted int64 // workers; 0 for nobody
	Epoch         int64 // grows with each owner
	Load          int64 // as its owner last said
	Needs         []string
}

// Want is for whom a shard is wanted.
type Want struct {
	Shard  int
	Worker int64
}

// Holding is a shard that a worker has got.
type Holding struct {
	Shard int
	Epoch int64
	Note  []byte // what the last owner that released it has left
}

// Released is a shard that a worker gives back.
type Released struct {
	Shard int
	Epoch int64
	Note  []byte // what the next owner must know; nil leaves what is there
}
