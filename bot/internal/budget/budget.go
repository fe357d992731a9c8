package budget

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
)

// Budget is how many requests each host of the platform gets from this process. Its methods may be called at the same time.
type Budget struct {
	rate   float64 // as this process is set; 0: there is no limit
	shared bool    // with other workers: what is this one's, Grant says

	workers atomic.Int64 // how many share it; 0: nobody knows yet

	mu    sync.Mutex // guards the field below
	hosts map[string]*Host
}

// New returns the budget of a process that shares it with no other one: so many requests a second to each host, 0 for any number.
func New(perSecond float64) *Budget {
	return &Budget{rate: perSecond, hosts: map[string]*Host{}}
}

// NewShared returns the budget of a worker that shares it with others: nothing leaves before Grant says how much. Where nobody sets a
// limit, that is any number.
func NewShared(perSecond float64) *Budget {
	b := New(perSecond)
	b.shared = true
	return b
}

// HostAt returns the host of a name.
func (b *Budget) HostAt(name string) *Host {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.hosts[name]
	if h == nil {
		h = newHost(b, name)
		b.hosts[name] = h
		switch {
		case b.rate <= 0:
		case b.shared:
			h.grantShare(0, b.rate)
		default:
			h.grantShare(b.rate, b.rate)
		}
	}
	return h
}

// Rate is how many requests a second a host may get from all, as this process is set; 0 for any number.
func (b *Budget) Rate() float64 { return b.rate }

// all returns the hosts in the order of their names.
func (b *Budget) all() []*Host {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*Host, 0, len(b.hosts))
	for _, h := range b.hosts {
		all = append(all, h)
	}
	slices.SortFunc(all, func(x, y *Host) int { return cmp.Compare(x.name, y.name) })
	return all
}

// GrantShare says how many requests a second a host gets from this process, and how many from all that share it; 0 of 0 for any number.
func (b *Budget) GrantShare(host string, share, of float64) { b.HostAt(host).grantShare(share, of) }

// SetWorkers says how many share the budget.
func (b *Budget) SetWorkers(n int) { b.workers.Store(int64(n)) }

// Wish is what a process would ask a host for, in requests a second.
type Wish struct {
	Host  string
	Acts  float64 // what acts
	Polls float64 // and what polls
}

// Wishes returns what this process would ask each host for, as things have been since they were asked for before.
func (b *Budget) Wishes() (all []Wish) {
	for _, h := range b.all() {
		all = append(all, h.takeWish())
	}
	return all
}

// ShareFraction is which part of what all workers together may do at a host this one may.
func (b *Budget) ShareFraction(host string) float64 {
	share, of := b.HostAt(host).CurrentShare()
	switch {
	case of > 0:
		return share / of
	case !b.shared:
		return 1
	}
	if n := b.workers.Load(); n > 0 {
		return 1 / float64(n)
	}
	return 0
}

// UsageCounts returns how each host's budget is used, where there is a limit.
func (b *Budget) UsageCounts() (all []event.HostUse) {
	if b == nil {
		return nil
	}
	for _, h := range b.all() {
		if c := h.usageCounts(); c.Rate > 0 {
			all = append(all, c)
		}
	}
	return all
}
