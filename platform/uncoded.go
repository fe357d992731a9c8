package platform

import (
	"context"
	"net/http"
	"sync/atomic"
)

// uncodedKey is the key under which a context holds whether an answer had a code.
type uncodedKey struct{}

// WithUncoded returns a context for calls of which somebody wants to know whether an answer that was taken for a success had no code: such
// an answer proves little where it names nothing. uncoded is set to true then.
func WithUncoded(ctx context.Context, uncoded *atomic.Bool) context.Context {
	return context.WithValue(ctx, uncodedKey{}, uncoded)
}

// noteUncoded takes down that an answer had no code.
func noteUncoded(ctx context.Context, e envelope) {
	if e.coded {
		return
	}
	if uncoded, ok := ctx.Value(uncodedKey{}).(*atomic.Bool); ok {
		uncoded.Store(true)
	}
}

// creationError returns the error of a call that makes something: err, or that its answer proves nothing.
func creationError(endpoint string, proven bool, err error) error {
	if err != nil || proven {
		return err
	}
	return &Unreadable{Endpoint: endpoint, HTTPStatus: http.StatusOK, Err: ErrUnnamed}
}
