package emulator

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Verdict measures what happened so far by expect.
func (p *Platform) Verdict(expect Expect) Verdict {
	j := newJudge(expect, p.nameOf)
	j.catchUp(&p.ledger)
	return j.verdict()
}

// Settled waits until nothing is missing any more of what expect asks for, or until the ledger has
// not grown for quiet; a Verdict tells which. It returns the error of ctx when that ends before.
func (p *Platform) Settled(ctx context.Context, expect Expect, quiet time.Duration) error {
	j := newJudge(expect, personNumber)
	for {
		j.catchUp(&p.ledger)
		if j.owed == 0 {
			return nil
		}
		if err := p.ledger.waitFor(ctx, j.seq, quiet); err != nil {
			return ctx.Err()
		}
	}
}

// catchUp reads what l has more than j has read.
func (j *judge) catchUp(l *Ledger) {
	for _, entries := range l.views(j.seq) {
		j.read(entries)
	}
}

// waitFor is Wait for no longer than limit.
func (l *Ledger) waitFor(ctx context.Context, seq int64, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return l.Wait(ctx, seq)
}

// nameOf returns the user name of somebody, for people to read.
func (p *Platform) nameOf(id platform.UserID) string {
	if name := p.Username(id); name != "" {
		return name
	}
	return personNumber(id)
}
