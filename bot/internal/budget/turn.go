package budget

import (
	"context"
	"sync/atomic"
	"time"
)

// Turn is a cycle of polls under a budget, from when it begins to its end.
type Turn struct {
	host    *Host
	hurries *atomic.Int32 // how many that act wait for the account's polls to end
	kept    atomic.Bool   // its first request was asked for, or it has ended without
}

// turnKey is the key under which a context holds the turn of its requests.
type turnKey struct{}

func turnOf(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// noteRequest notes that the first request of the cycle is asked for: it is promised no longer.
func (t *Turn) noteRequest() {
	if t.kept.Swap(true) {
		return
	}
	t.host.mu.Lock()
	defer t.host.mu.Unlock()
	t.host.promised--
}

// isUrgent reports whether what acts waits for the polls; of no turn it is false.
func (t *Turn) isUrgent() bool { return t != nil && t.hurries.Load() > 0 }

// Polls are the polls of an account at a host.
type Polls struct {
	host    *Host
	hurries atomic.Int32
	rate    float64 // what they ask for, as was said last
}

// Polls returns what an account polls by.
func (h *Host) Polls() *Polls { return &Polls{host: h} }

// IsLimited reports whether there is a limit at the moment.
func (p *Polls) IsLimited() bool { return p.host.Limited() }

// IsCrowded reports whether actions wait for the budget: they go before all polls, so the budget is too small for them alone.
func (p *Polls) IsCrowded() bool {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	return len(p.host.acts) > 0
}

// SharedKey tells what polls by the same budget: it is equal for all of them.
func (p *Polls) SharedKey() any { return p.host }

// Begin begins a cycle when there is something left for its first request: then it returns what makes the context for the requests, and
// what is to be called at the end. Otherwise it returns how long it takes until there may be.
func (p *Polls) Begin(late bool) (under func(context.Context) context.Context, end func(), wait time.Duration) {
	h, now := p.host, time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.whole > 0 {
		h.serveLocked(now)
		//mutate:budget-left
		if ahead := len(h.acts) + len(h.polls) + h.promised; len(h.acts)+len(h.polls) > 0 || h.bucket.TokensAt(now) < float64(h.promised)+1 {
			return nil, nil, h.untilLocked(now, float64(ahead)+1)
		}
	}
	if late {
		h.delayed++
	}
	h.promised++
	t := &Turn{host: h, hurries: &p.hurries}
	return func(ctx context.Context) context.Context { return context.WithValue(ctx, turnKey{}, t) }, t.noteRequest, 0
}

// LetHurry lets the polls of the account that are under way go before others, since an action waits for them. Call the function that it
// returns when the action waits no more.
func (p *Polls) LetHurry() (over func()) {
	p.hurries.Add(1)
	p.host.letHurry(&p.hurries)
	return func() { p.hurries.Add(-1) }
}

// NoteDemand says how many requests a second the polls of the account would make. It is called by one at a time.
func (p *Polls) NoteDemand(perSecond float64) {
	change := perSecond - p.rate
	if change == 0 {
		return
	}
	p.rate = perSecond
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	p.host.demand = max(0, p.host.demand+change)
}

// takeWish returns what is asked for, and begins to count anew.
func (h *Host) takeWish() Wish {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if passed := now.Sub(h.wished).Seconds(); passed > 0 {
		h.usual = max((h.usual+float64(h.asked)/passed)/2, float64(h.asked)/passed)
		h.asked, h.wished = 0, now
	}
	if h.usual < 0.01 {
		h.usual = 0
	}
	return Wish{Host: h.name, Acts: h.usual + float64(len(h.acts))/2, Polls: h.demand}
}
