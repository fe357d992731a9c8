package platform

import (
	"context"
	"sync/atomic"
	"time"
)

// Limiter says when requests may leave, so that a host gets no more of them than it may. Its methods may be called at the same time.
type Limiter interface {
	// Limited reports whether requests have to wait at all, at the moment.
	Limited() bool
	// Wait returns when a request may leave, which is to follow at once; or with an error, mostly that of ctx, when it may not. Others
	// wait for what signs in.
	Wait(ctx context.Context, signsIn bool) error
	// Charge takes down a request that has left without waiting, since it belongs to another one.
	Charge()
}

// Limited reports whether the requests of the client have to wait for its Limiter at the moment.
func (c *Client) Limited() bool { return c.core.limiter != nil && c.core.limiter.Limited() }

// waitedKey is the key under which a context holds for how long its requests have waited.
type waitedKey struct{}

// WithWaited returns a context for calls of which somebody wants to know for how long their requests have waited for the Limiter, in
// nanoseconds: the platform is not slow for that.
func WithWaited(ctx context.Context, waited *atomic.Int64) context.Context {
	return context.WithValue(ctx, waitedKey{}, waited)
}

// boundPart returns a context that bounds a part of a call, where the call as a whole has no bound since it waits for the limiter.
func (c *Client) boundPart(ctx context.Context, limited bool) (context.Context, context.CancelFunc) {
	if !limited {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.core.timeout)
}

// waitToLeave waits until a request may leave. Its time begins then.
func (c *Client) waitToLeave(ctx context.Context, req request, limited bool) error {
	if !limited {
		return nil
	}
	began := time.Now()
	err := c.core.limiter.Wait(ctx, req.signsIn)
	if waited, ok := ctx.Value(waitedKey{}).(*atomic.Int64); ok {
		waited.Add(int64(time.Since(began)))
	}
	if err != nil {
		return &Unreachable{Endpoint: req.endpoint, Err: err}
	}
	return nil
}

// permitKey is the key under which a context holds a permit.
type permitKey struct{}

// WithPermit returns a context for calls that may turn out unwanted while they wait for a session, or between a refusal
// of their session and their second request. permit is asked each time a request is about to leave; when it returns an
// error, the request does not, and the call ends with an *Unreachable that wraps it and has Sent false. A nil permit allows all, and takes
// the place of one that ctx had.
func WithPermit(ctx context.Context, permit func() error) context.Context {
	return context.WithValue(ctx, permitKey{}, permit)
}

// askPermit asks the permit of a context, if it has one.
func askPermit(ctx context.Context, endpoint string) error {
	permit, ok := ctx.Value(permitKey{}).(func() error)
	if !ok || permit == nil {
		return nil
	}
	if err := permit(); err != nil {
		return &Unreachable{Endpoint: endpoint, Err: err}
	}
	return nil
}
