package platform

import "context"

// permitKey is the key under which a context holds a permit.
type permitKey struct{}

// WithPermit returns a context for calls that may turn out unwanted while they wait for a session, or between a refusal
// of their session and their second request. permit is asked each time a request is about to leave; when it returns an
// error, the request does not, and the call ends with an *Unreachable that wraps it and has Sent false. A nil permit allows all, whatever
// ctx has asked for.
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
