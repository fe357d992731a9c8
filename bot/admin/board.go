package admin

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/record"
)

// Board is where the workers of a database of PostgreSQL see one another. People look at it, and let workers give their accounts away.
type Board struct{ board *board.Board }

// OpenBoard opens the board in the database at a URL; its schema must be up to date. The errors are those of bot.OpenStore, in one
// line without the password.
func OpenBoard(ctx context.Context, url string) (*Board, error) {
	b, err := board.Open(ctx, url, board.Options{Looks: true})
	if err != nil {
		return nil, err
	}
	return &Board{b}, nil
}

// Close closes the board.
func (b *Board) Close() error { return b.board.Close() }

// Drain lets a worker give its shards to others, or have some again, and reports whether there is one of that name.
func (b *Board) Drain(ctx context.Context, worker string, on bool, by record.Decision) (there bool, err error) {
	return b.board.DrainBy(ctx, worker, on, by)
}

// Loss returns what the database has lost of what it had confirmed, if a worker has found that: what nobody has accepted yet, and what
// somebody accepted last. nil is for nothing.
func (b *Board) Loss(ctx context.Context) (open, accepted *record.LostCommits, err error) {
	return b.board.LostCommits(ctx)
}

// AcceptLoss lets workers begin again after a loss, with care, and returns it; nil when there was none.
func (b *Board) AcceptLoss(ctx context.Context, by, why string) (*record.LostCommits, error) {
	return b.board.AcceptLoss(ctx, by, why)
}

// Workers is who works on a database at one moment.
type Workers struct {
	All []Worker
	// Apart is how much the clocks of all workers are ahead of the database's, if by too much; else 0.
	Apart time.Duration
	// Free is how many shards are nobody's.
	Free int
	// Elsewhere: the database has come to another server, so that no worker begins; see record.ErrOtherServer.
	Elsewhere bool
}

// Workers returns who works on the database; with gone, also those that have gone.
func (b *Board) Workers(ctx context.Context, gone bool) (*Workers, error) {
	v, err := b.board.ReadView(ctx)
	if err != nil {
		return nil, err
	}
	hosts, err := b.board.ReadHosts(ctx)
	if err != nil {
		return nil, err
	}
	w := workers(v, hosts, gone)
	w.Elsewhere, err = b.board.IsElsewhere(ctx)
	return w, err
}

func workers(v *lease.View, hosts *lease.HostViews, gone bool) *Workers {
	w := &Workers{All: workersOf(v, hosts, gone), Apart: v.BoardOffset()}
	for n := range v.Shards {
		if v.Shards[n].Owner == 0 {
			w.Free++
		}
	}
	return w
}

// Gone reports whether a worker has ended.
func (w *Worker) Gone() bool { return w.State == lease.StateGone.String() }
