package emulator

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/internal/draw"
)

// faultInjector draws what befalls the calls.
type faultInjector struct {
	seed   uint64
	faults Faults
	fair   bool               // no faults at all
	counts map[uint64]uint64  // how often a call came, by its identity
	queue  map[string][]Fault // what befalls the next calls of an endpoint
}

func (f *faultInjector) set(seed uint64, faults Faults) {
	f.seed, f.faults = seed, faults
	if f.faults.Delay <= 0 {
		f.faults.Delay = 500 * time.Millisecond
	}
	if f.faults.Lag <= 0 {
		f.faults.Lag = 19 * time.Second
	}
	f.counts = map[uint64]uint64{}
	f.fair = faults.faultShares() == Faults{}.faultShares()
}

// injected is what befalls one call.
type injected struct {
	fault Fault
	draw  uint64 // decides what the fault leaves open
	delay time.Duration
	place Code // where answers have their code
}

// drawFault draws what befalls c. Faults of the session take effect here.
func (p *Platform) drawFault(c *call) injected {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faultInjector.fair && len(p.faultInjector.queue) == 0 {
		return injected{}
	}
	s := p.faultInjector.draw(c, p.caller(c))
	s.place = p.dialect.Code
	switch s.fault {
	case ExpireEarly:
		if sess := p.sessions[c.params.get("session_id")]; sess != nil {
			p.expireSession(sess)
		}
	case Revoke:
		if sess := p.sessionOf(c); sess != nil {
			p.revoke(sess)
		}
	default:
	}
	return s
}

// caller returns who makes a call, 0 for nobody known.
func (p *Platform) caller(c *call) platform.UserID {
	if s := p.sessionOf(c); s != nil {
		return s.account.id
	}
	return 0
}

func (f *faultInjector) draw(c *call, caller platform.UserID) injected {
	name := c.endpoint.name
	if q := f.queue[name]; len(q) > 0 {
		if f.queue[name] = q[1:]; len(q) == 1 {
			delete(f.queue, name)
		}
		return f.inject(q[0], f.seed^uint64(len(q)))
	}
	if f.fair {
		return injected{}
	}
	id := identity(name, caller, c.params.list)
	f.counts[id]++
	x := draw.MixBits(draw.MixBits(f.seed^id) + f.counts[id])
	point := float64(x>>11) / (1 << 53)
	for i, share := range f.faults.faultShares() {
		if point < share {
			return f.inject(Fault(i+1), draw.MixBits(x))
		}
		point -= share
	}
	return injected{}
}

func (f *faultInjector) inject(fault Fault, draw uint64) injected {
	most := f.faults.Delay
	if fault == Late {
		most = f.faults.Lag
	}
	half := uint64(most / 2)
	return injected{fault: fault, draw: draw, delay: time.Duration(half + draw%(half+1))}
}

// identity returns a number for what a call asks. The order of its parameters and its tokens
// do not change it.
func identity(endpoint string, caller platform.UserID, list []param) uint64 {
	sum := hash(endpoint) + draw.MixBits(uint64(caller))
	for _, p := range list {
		switch p.key {
		case "session_id", "refresh_token", "access_token":
		default:
			sum += draw.MixBits(hash(p.key) ^ draw.MixBits(hash(p.value)))
		}
	}
	return sum
}

// hash is FNV-1a, which is the same in every process.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// SetFaults changes the faults from the next call on, and counts calls from the beginning again.
func (p *Platform) SetFaults(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faultInjector.set(p.cfg.Seed, f)
}

// Disturb lets faults befall the next calls of an endpoint, one each and in order, before any are
// drawn. NoFault spares a call.
func (p *Platform) Disturb(endpoint string, faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faultInjector.queue == nil {
		p.faultInjector.queue = map[string][]Fault{}
	}
	p.faultInjector.queue[endpoint] = slices.Concat(p.faultInjector.queue[endpoint], faults)
}
