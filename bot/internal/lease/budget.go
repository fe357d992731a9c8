package lease

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
)

// Budget is how many requests the hosts of the platform get from a worker: its share of what they get from all. Its methods must not
// block.
type Budget interface {
	// Rate is how many requests a second each host may get from all workers, as this one is set; 0 for any number.
	Rate() float64
	// Wishes returns what this worker would ask each host for.
	Wishes() []Wish
	// GrantShare says how many a host gets from this worker, and how many from all; 0 of 0 for any number.
	GrantShare(host string, share, of float64)
	// SetWorkers says how many there are.
	SetWorkers(n int)
}

// Wish is what a worker would ask a host for, in requests a second.
type Wish struct {
	Host  string
	Acts  float64 // what acts: it comes first
	Polls float64
}

// Ask is what a worker says of a host: what it wishes, and which share it has.
type Ask struct {
	Wish
	Rate  float64 // see Budget.Rate
	Share float64 // it asks for no more than that
}

// HostView is what all workers say of a host, at one moment.
type HostView struct {
	Number int64         // how often one of them has said something of it
	Asks   map[int64]Ask // by worker: of those that have not gone
}

// HostViews is what all workers say, by host.
type HostViews struct {
	Workers int // how many there are
	Hosts   map[string]HostView
}

// rate returns how many requests a second the host may get from all: of different settings the smallest one counts. 0 for any number.
func (v *HostView) rate(mine float64) float64 {
	least := mine
	for _, a := range v.Asks {
		if a.Rate > 0 && (least == 0 || a.Rate < least) { //mutate:smallest-rate
			least = a.Rate
		}
	}
	return least
}

// Rate returns how many requests a second the host may get from all workers; 0 for any number.
func (v *HostView) Rate() float64 { return v.rate(0) }

// evenPart is the part of a rate that all who wish anything have in equal shares: so a worker that begins to act need not wait for the others.
const evenPart = 20

// DivideRate divides a rate among workers by what they wish. What acts comes first, then what polls, each in proportion; what is left is
// divided evenly.
func DivideRate(rate float64, wishes map[int64]Wish) map[int64]float64 {
	shares := map[int64]float64{}
	acts, polls := 0.0, 0.0
	for _, w := range wishes {
		acts, polls = acts+w.Acts, polls+w.Polls
	}
	n := float64(len(wishes))
	rest := rate - rate/evenPart
	part := func(wished float64) float64 {
		if wished <= 0 {
			return 0
		}
		granted := min(rest, wished)
		rest -= granted
		return granted / wished
	}
	ofActs := part(acts)
	ofPolls := part(polls)
	for worker, w := range wishes {
		shares[worker] = rate/evenPart/n + ofActs*w.Acts + ofPolls*w.Polls + rest/n
	}
	return shares
}

// budgeting is what a worker knows of the budget of a host.
type budgeting struct {
	share float64 // what leaves, at most: it is never more than others see, or will see of what is on its way
	said  bool    // the log knows that rates differ
}

// shareBudgets looks at what others say of the hosts, and says what this worker does, until the context ends. It does so beside Run: whoever
// stands still while it stores something holds up no takeover.
func (w *Worker) shareBudgets(ctx context.Context) {
	known := map[string]*budgeting{}
	for first := true; ctx.Err() == nil; first = false {
		began := time.Now()
		if v := w.lookAtHosts(ctx); v != nil {
			if v.Workers <= 1 || !first { // the others have to see a newcomer before
				w.cfg.Budget.SetWorkers(v.Workers)
			}
			w.shareAll(ctx, v, known)
		}
		if lifecycle.Sleep(ctx, max(beatEvery-time.Since(began), hintRest)) != nil {
			return
		}
	}
}

func (w *Worker) lookAtHosts(ctx context.Context) *HostViews {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	v, err := w.board.ReadHosts(ctx)
	if err != nil {
		w.log.Debug("the shares of hosts cannot be looked at", "err", err)
		return nil
	}
	return v
}

// shareAll takes the share of each host that is this worker's.
func (w *Worker) shareAll(ctx context.Context, v *HostViews, known map[string]*budgeting) {
	wishes := map[string]Wish{}
	for _, wish := range w.cfg.Budget.Wishes() {
		wishes[wish.Host] = wish
	}
	for host := range v.Hosts {
		if _, wished := wishes[host]; !wished {
			wishes[host] = Wish{Host: host}
		}
	}
	for host, wish := range wishes {
		b := known[host]
		if b == nil {
			b = &budgeting{}
			known[host] = b
		}
		seen := v.Hosts[host]
		w.shareHost(ctx, b, &seen, wish)
	}
}

// shareHost takes the share of a host that is this worker's. It lowers its own before others see that, and raises it after they can.
func (w *Worker) shareHost(ctx context.Context, b *budgeting, v *HostView, wish Wish) {
	mine := w.cfg.Budget.Rate()
	rate := v.rate(mine)
	if rate <= 0 {
		b.share = 0
		w.cfg.Budget.GrantShare(wish.Host, 0, 0)
		return
	}
	if !b.said && rate != mine {
		w.log.Warn("workers are set to different rates for a host: the smallest one counts", "host", wish.Host, "this", mine, "counts", rate)
	}
	b.said = rate != mine
	target, others := w.target(v, wish, rate)
	// What others have said they have they may use at this moment, also above their part: it is free when they have lowered it.
	target = max(0, min(target, rate-others)) //mutate:share-of-others
	before, there := v.Asks[w.seat.Worker]
	if there && b.share == before.Share && near(target, b.share, rate) && near(wish.Acts, before.Acts, rate) && near(wish.Polls, before.Polls, rate) && before.Rate == mine {
		w.cfg.Budget.GrantShare(wish.Host, b.share, rate)
		return
	}
	// Lowered in this process before it is said, and below raised after it is stored: so no moment has more leaving than the board says.
	b.share = min(b.share, target)
	w.cfg.Budget.GrantShare(wish.Host, b.share, rate) //mutate:share-lowered-first
	call, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	stored, err := w.board.AskRate(call, w.seat, v.Number, Ask{Wish: wish, Rate: mine, Share: target})
	// An answer that got lost may be stored: then the board says more than leaves, which harms nobody, and the next look finds out.
	if err == nil && stored { //mutate:share-stored
		b.share = target
		w.cfg.Budget.GrantShare(wish.Host, b.share, rate)
	}
}

// target returns which share is this worker's, and how much the others have together.
func (w *Worker) target(v *HostView, wish Wish, rate float64) (target, others float64) {
	wishes := map[int64]Wish{}
	for worker, a := range v.Asks {
		if worker == w.seat.Worker {
			continue
		}
		others += a.Share
		if a.Acts+a.Polls > 0 {
			wishes[worker] = a.Wish
		}
	}
	if wish.Acts+wish.Polls == 0 && len(wishes) > 0 {
		return 0, others
	}
	wishes[w.seat.Worker] = wish
	return DivideRate(rate, wishes)[w.seat.Worker], others
}

// near reports whether two rates differ by so little that it is not worth telling.
func near(a, b, rate float64) bool { return max(a-b, b-a) <= max(rate/100, max(a, b)/20) }

// Names returns the names of hosts in their order.
func (v *HostViews) Names() []string {
	names := make([]string, 0, len(v.Hosts))
	for host := range v.Hosts {
		names = append(names, host)
	}
	slices.Sort(names)
	return names
}
