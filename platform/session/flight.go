package session

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// flight is work that one caller started and any number wait for.
type flight struct {
	kind kind
	done chan struct{}
	err  error // to be read after done
}

type kind uint8

const (
	renewing kind = iota
	saving        // the tokens once more: nobody waits for it
	ending        // logging out
	probing
)

// takeOffLocked starts do as a flight in slot. It goes on without the caller, until its own deadline.
func (b *Broker) takeOffLocked(ctx context.Context, slot **flight, k kind, do func(context.Context) error) *flight {
	f := &flight{kind: k, done: make(chan struct{})}
	*slot = f
	// Four calls are the most a renewal makes (refresh twice, sign in, and room for the keeper).
	// Not the caller's context: others wait for this flight as well, and a renewal cut off halfway may have used the refresh token up.
	// Nor the permit of its call: whether that may leave says nothing of what all of them need.
	ctx = platform.WithPermit(context.WithoutCancel(ctx), nil) //mutate:flight-permit
	ctx, cancel := context.WithTimeout(ctx, 4*b.cfg.Client.Timeout())
	go func() {
		defer cancel()
		err := do(ctx)
		b.mu.Lock()
		f.err = err
		*slot = nil
		b.mu.Unlock()
		// Last: a caller that wakes reads err without the lock, and must find the slot empty, or it would wait for this flight once more.
		close(f.done)
	}()
	return f
}

// boundFlight gives a call of a flight a little less time than the callers have that wait for it: so they learn what is wrong, and
// not only that their time is over.
func (b *Broker) boundFlight(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.cfg.Client.Limited() { // it may wait for longer until it leaves
		return context.WithCancel(ctx)
	}
	most := b.cfg.Client.Timeout()
	return context.WithTimeout(ctx, most-most/64)
}

// exchangeToken asks for new tokens.
func (b *Broker) exchangeToken(ctx context.Context, token platform.Secret) (platform.Tokens, error) {
	if err := b.mayGet(byRefresh); err != nil {
		return platform.Tokens{}, err
	}
	ctx, cancel := b.boundFlight(ctx)
	defer cancel()
	tokens, err := b.cfg.Client.RefreshAccessToken(ctx, token)
	if err == nil || platform.InDoubt(err) {
		b.noteGrant(byRefresh)
	}
	return tokens, err
}

// wait waits for the end of f. It reports whether f ended: not so when patience (0: endless) ran out before.
func (b *Broker) wait(ctx context.Context, f *flight, patience time.Duration) (ended bool, err error) {
	var enough <-chan time.Time
	if patience > 0 {
		enough = time.After(patience)
	}
	select {
	case <-f.done:
		return true, nil
	case <-enough:
		return false, nil
	case <-ctx.Done():
		return false, fmt.Errorf("waiting for the session of account %q: %w", b.cfg.Account, ctx.Err())
	}
}
