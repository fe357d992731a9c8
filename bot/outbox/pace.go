package outbox

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Pace limits how fast one account acts. The zero value does not limit.
type Pace struct {
	Account      Rate                // all actions together
	Conversation Rate                // the actions of one conversation
	Verb         map[event.Verb]Rate // the actions of one verb
}

// Rate is so many a second, with so many at once. The zero value is unlimited.
type Rate struct {
	PerSecond float64
	Burst     int
}

func (r Rate) limiter() *rate.Limiter {
	if r.PerSecond <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(r.PerSecond), max(r.Burst, 1))
}

const (
	slowest       = 1.0 / 16        // of the configured rate
	recoverAfter  = 5 * time.Second // without trouble, the rate grows by a half
	conversations = 4096            // conversation buckets kept; a bucket not used for long is full anyway
)

// pacer is a Pace at work: it takes tokens, slows down on trouble and recovers by itself.
type pacer struct {
	pace Pace

	mu      sync.Mutex
	account *rate.Limiter
	verbs   map[event.Verb]*rate.Limiter
	peers   map[platform.UserID]*rate.Limiter
	factor  float64
	trouble time.Time // the last time something slowed us down
	until   time.Time // nothing leaves before
}

func newPacer(p Pace) *pacer {
	pc := &pacer{pace: p, account: p.Account.limiter(), factor: 1}
	for v, r := range p.Verb {
		if l := r.limiter(); l != nil {
			if pc.verbs == nil {
				pc.verbs = map[event.Verb]*rate.Limiter{}
			}
			pc.verbs[v] = l
		}
	}
	return pc
}

// take takes a token for an action at now; without one it returns how long to wait for it.
func (p *pacer) take(a *event.Action, now time.Time) (time.Duration, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.until.Sub(now); wait > 0 {
		return wait, false
	}
	p.recover(now)
	taken := make([]*rate.Reservation, 0, 3)
	for _, l := range [...]*rate.Limiter{p.account, p.verbs[a.Verb], p.peer(a.Peer)} {
		if l == nil {
			continue
		}
		r := l.ReserveN(now, 1)
		taken = append(taken, r)
		if wait := r.DelayFrom(now); wait > 0 {
			for _, t := range taken {
				t.CancelAt(now)
			}
			return wait, false
		}
	}
	return 0, true
}

func (p *pacer) peer(id platform.UserID) *rate.Limiter {
	if p.pace.Conversation.PerSecond <= 0 {
		return nil
	}
	l := p.peers[id]
	if l == nil {
		if p.peers == nil || len(p.peers) >= conversations {
			p.peers = map[platform.UserID]*rate.Limiter{}
		}
		l = p.pace.Conversation.limiter()
		p.peers[id] = l
	}
	return l
}

// slow halves the rate, and stops everything for pause.
func (p *pacer) slow(now time.Time, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = now
	p.factor = max(p.factor/2, slowest)
	p.apply(now)
	if t := now.Add(pause); t.After(p.until) {
		p.until = t
	}
}

// recover speeds up again after a while without trouble.
func (p *pacer) recover(now time.Time) {
	for p.factor < 1 && now.Sub(p.trouble) >= recoverAfter {
		p.trouble = p.trouble.Add(recoverAfter)
		p.factor = min(1, p.factor*1.5)
		p.apply(now)
	}
}

func (p *pacer) apply(now time.Time) {
	if p.account != nil {
		p.account.SetLimitAt(now, rate.Limit(p.pace.Account.PerSecond*p.factor))
	}
}

// wait returns how long everything is stopped.
func (p *pacer) wait(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.until.Sub(now))
}
