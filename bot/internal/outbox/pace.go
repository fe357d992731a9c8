package outbox

import (
	"math"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"golang.org/x/time/rate"
)

func limiter(r event.Rate) *rate.Limiter {
	if r.PerSecond <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(r.PerSecond), max(r.Burst, 1))
}

const (
	slowest      = 1.0 / 16        // of the configured rate
	recoverAfter = 5 * time.Second // without trouble, the rate grows by a half
	fewBuckets   = 4096            // conversation buckets kept without looking for full ones
)

// pacer is a Pace at work: it takes tokens, slows down on trouble and recovers by itself.
type pacer struct {
	pace event.Pace // set by newPacer

	mu      sync.Mutex // guards the fields below
	account *rate.Limiter
	leaves  *rate.Limiter // the same, for what leaves: a token may have been taken long before that
	verbs   map[event.Verb]*rate.Limiter
	peers   map[platform.UserID]*rate.Limiter
	most    int // buckets before full ones are thrown away
	factor  float64
	trouble time.Time // the last time something slowed us down
}

func newPacer(p event.Pace) *pacer {
	pc := &pacer{pace: p, account: limiter(p.Account), leaves: limiter(p.Account), factor: 1, most: fewBuckets}
	for v, r := range p.Verb {
		if l := limiter(r); l != nil {
			if pc.verbs == nil {
				pc.verbs = map[event.Verb]*rate.Limiter{}
			}
			pc.verbs[v] = l
		}
	}
	return pc
}

// limit says which of the limits keeps an action back.
type limit uint8

const (
	byNothing limit = iota
	byAccount
	byVerb
	byConversation
)

// takeToken takes a token for an action at now. When there is none it takes nothing, and tells how long
// it takes to come and which limit it is.
func (p *pacer) takeToken(a *event.Action, now time.Time) (time.Duration, limit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	all := [...]*rate.Limiter{byAccount: p.account, byVerb: p.verbs[pacedVerb(a.Verb)], byConversation: p.peerLocked(a.Peer, now)}
	for by, l := range all {
		// All are looked at before one is taken: a token of the account would be lost for an action whose conversation has none.
		if wait := missingFor(l, now); wait > 0 {
			return wait, limit(by)
		}
	}
	for _, l := range all {
		if l != nil {
			l.AllowN(now, 1)
		}
	}
	return 0, byNothing
}

// otherLimits tells what else than the account keeps an action back, and for how long. It takes nothing.
func (p *pacer) otherLimits(a *event.Action, now time.Time) (time.Duration, limit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	if wait := missingFor(p.verbs[pacedVerb(a.Verb)], now); wait > 0 {
		return wait, byVerb
	}
	if wait := missingFor(p.peerLocked(a.Peer, now), now); wait > 0 {
		return wait, byConversation
	}
	return 0, byNothing
}

// payToken takes a token for another call at now, also one that is still to come, and returns how long to
// wait for it. Calls that only read, without an action, need one of the account alone.
func (p *pacer) payToken(a *event.Action, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	all := [3]*rate.Limiter{p.account}
	if a != nil {
		all[1], all[2] = p.verbs[pacedVerb(a.Verb)], p.peerLocked(a.Peer, now)
	}
	var wait time.Duration
	for _, l := range all {
		if l != nil {
			wait = max(wait, l.ReserveN(now, 1).DelayFrom(now))
		}
	}
	return wait
}

// payDeparture notes that a call leaves, and returns how long it has to wait for that: what has had its token for a while does not leave
// together with others.
func (p *pacer) payDeparture(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	if p.leaves == nil {
		return 0
	}
	return p.leaves.ReserveN(now, 1).DelayFrom(now) //mutate:pace-leaves
}

// wait returns how long the account has no token.
func (p *pacer) wait(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recoverLocked(now)
	return missingFor(p.account, now)
}

// missingFor returns how long a limiter has no token.
func missingFor(l *rate.Limiter, now time.Time) time.Duration {
	if l == nil {
		return 0
	}
	tokens := l.TokensAt(now)
	if tokens >= 1 {
		return 0
	}
	return max(time.Duration((1-tokens)/float64(l.Limit())*float64(time.Second)), time.Microsecond)
}

func (p *pacer) peerLocked(id platform.UserID, now time.Time) *rate.Limiter {
	if p.pace.Conversation.PerSecond <= 0 {
		return nil
	}
	l := p.peers[id]
	if l == nil {
		p.dropFullLocked(now)
		l = limiter(p.pace.Conversation)
		p.peers[id] = l
	}
	return l
}

// dropFullLocked throws away buckets that are as good as new.
func (p *pacer) dropFullLocked(now time.Time) {
	if p.peers == nil {
		p.peers = map[platform.UserID]*rate.Limiter{}
	}
	if len(p.peers) < p.most {
		return
	}
	for id, l := range p.peers {
		if l.TokensAt(now) >= float64(l.Burst()) {
			delete(p.peers, id)
		}
	}
	p.most = max(fewBuckets, 2*len(p.peers))
}

// slowDown halves the rate.
func (p *pacer) slowDown(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = now
	p.factor = max(p.factor/2, slowest)
	p.applyLocked(now)
}

// slowDownOnce is slowDown, for a failure that may say nothing of the platform: several within a short time lower the rate once.
func (p *pacer) slowDownOnce(now time.Time) {
	p.mu.Lock()
	recent := p.factor < 1 && now.Sub(p.trouble) < recoverAfter
	p.mu.Unlock()
	if !recent {
		p.slowDown(now)
	}
}

// recoverLocked speeds up again after a while without trouble.
func (p *pacer) recoverLocked(now time.Time) {
	for p.factor < 1 && now.Sub(p.trouble) >= recoverAfter {
		p.trouble = p.trouble.Add(recoverAfter)
		p.factor = min(1, p.factor*1.5)
		p.applyLocked(now)
	}
}

func (p *pacer) applyLocked(now time.Time) {
	if p.account != nil {
		p.account.SetLimitAt(now, rate.Limit(p.pace.Account.PerSecond*p.factor))
		p.leaves.SetLimitAt(now, rate.Limit(p.pace.Account.PerSecond*p.factor))
	}
}

// pacedVerb returns the verb whose pace an action has.
func pacedVerb(v event.Verb) event.Verb {
	if v == event.VerbRenew {
		return event.VerbRepost
	}
	return v
}

// Spent is how much of its pace an account has used up at a time, and what its platform has asked for: the next process that carries on for
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
