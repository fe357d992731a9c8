package poll

import "time"

// The ends of the adaptive range, as shares of the interval, and the shortest pause.
const (
	shortestShare = 5
	ceilingShare  = 4
	shortest      = 50 * time.Millisecond
)

// pace is the adaptive pause between cycles: shorter while events come, longer while none do.
type pace struct {
	shortest, ceiling, current time.Duration
	draw                       uint64
}

func newPace(interval time.Duration, seed uint64) pace {
	return pace{
		shortest: min(interval, max(interval/shortestShare, shortest)),
		ceiling:  interval * ceilingShare,
		current:  interval,
		draw:     seed,
	}
}

func (p *pace) adaptPace(busy bool) {
	if busy {
		p.current = max(p.shortest, p.current/2)
	} else {
		p.current = min(p.ceiling, p.current+p.current/2)
	}
}

// pause returns the pause until the next cycle, with ±10 % of jitter so that accounts drift apart.
func (p *pace) pause() time.Duration {
	p.draw = mixBits(p.draw + 1)
	tenth := int64(p.current / 10)
	if tenth == 0 {
		return p.current
	}
	return p.current + time.Duration(int64(p.draw>>1)%(2*tenth+1)-tenth)
}

// mixBits spreads the bits of x, the finaliser of SplitMix64.
func mixBits(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
