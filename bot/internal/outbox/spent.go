package outbox

import (
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"golang.org/x/time/rate"
)

// Spent is how much of its pace an account has used up at a time, and what its platform has asked for: whoever carries on for
// the account begins with it, or each change of hands would grant a fresh burst. The zero value with a time has no token left.
type Spent struct {
	At      time.Time                   `json:"at"`
	Account float64                     `json:"account"`            // tokens left, for what is decided or for what leaves, where there are fewer; below 0 when some are promised
	Verbs   map[event.Verb]float64      `json:"verbs,omitempty"`    // those with a pace of their own
	Peers   map[platform.UserID]float64 `json:"peers,omitempty"`    // those that have used up something: some hundreds of them
	Factor  float64                     `json:"factor,omitempty"`   // by which the platform has slowed the account down; 0: it has not
	Trouble time.Time                   `json:"trouble,omitzero"`   // when it last did
	Asked   time.Time                   `json:"asked_for,omitzero"` // until when it asked to be left alone
}

// mostSpent is how many conversations are told of.
const mostSpent = 256

// SpentPace returns how much of its pace the account has used up by now; false when nothing that matters.
func (a *Account) SpentPace(now time.Time) (Spent, bool) {
	a.mu.Lock()
	asked := a.breaker.retryAt
	a.mu.Unlock()
	s, some := a.pace.spentPace(now)
	if asked.After(now) {
		s.Asked, some = asked, true
	}
	return s, some
}

// InheritPace takes up what was used up, before Recover.
func (a *Account) InheritPace(s Spent) {
	now := time.Now()
	a.pace.inheritPace(&s)
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := s.Asked.Sub(now); wait > 0 {
		a.breaker.tripBreaker(now, min(wait, longestAsked), false, true) //mutate:inherit-asked
		a.shut.Store(true)
	}
}

// longestAsked is for how long a platform is left alone at most because another incarnation was asked to: clocks differ, and the next
// answer tells again.
const longestAsked = time.Hour

func (p *pacer) spentPace(now time.Time) (s Spent, some bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	s = Spent{At: now, Account: min(tokensLeft(p.account, now), tokensLeft(p.leaves, now))} //mutate:spent-leaves
	some = isSpent(p.account, now) || isSpent(p.leaves, now) || p.factor < 1
	if p.factor < 1 {
		s.Factor, s.Trouble = p.factor, p.trouble
	}
	for v, l := range p.verbs {
		if isSpent(l, now) {
			s.Verbs = put(s.Verbs, v, tokensLeft(l, now))
		}
	}
	for id, l := range p.peers {
		if isSpent(l, now) && len(s.Peers) < mostSpent {
			s.Peers = put(s.Peers, id, tokensLeft(l, now))
		}
	}
	return s, some || len(s.Verbs)+len(s.Peers) > 0
}

func (p *pacer) inheritPace(s *Spent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Factor > 0 && s.Factor < 1 {
		p.factor, p.trouble = max(s.Factor, slowest), s.Trouble
		p.applyLocked(s.At)
	}
	for _, l := range []*rate.Limiter{p.account, p.leaves} { //mutate:inherit-pace
		drain(l, s.At, s.Account)
	}
	for v, tokens := range s.Verbs {
		drain(p.verbs[v], s.At, tokens)
	}
	for id, tokens := range s.Peers {
		drain(p.peerLocked(id, s.At), s.At, tokens)
	}
}

// tokensLeft returns how many tokens a limiter has; 0 where there is none.
func tokensLeft(l *rate.Limiter, now time.Time) float64 {
	if l == nil {
		return 0
	}
	return l.TokensAt(now)
}

func isSpent(l *rate.Limiter, now time.Time) bool {
	return l != nil && tokensLeft(l, now) < float64(l.Burst())
}

// drain takes tokens out of a full bucket until so many are left.
func drain(l *rate.Limiter, at time.Time, tokens float64) {
	if l == nil {
		return
	}
	for n := int(math.Ceil(float64(l.Burst()) - tokens)); n > 0; n -= l.Burst() {
		// A limiter refuses more than its burst at once, and takes nothing then.
		l.ReserveN(at, min(n, l.Burst()))
	}
}

func put[K comparable](m map[K]float64, k K, v float64) map[K]float64 {
	if m == nil {
		m = map[K]float64{}
	}
	m[k] = v
	return m
}
