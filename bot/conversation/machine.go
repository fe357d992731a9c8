package conversation

import (
	"context"
	"time"
)

const timerPrefix = "flow/"

// Machine is a [Flow] without its data type, so that flows of all kinds can be kept together.
type Machine[T any] interface {
	Name() string
	Timer() string
	Resolve(state string) (string, bool)
	Input(ctx context.Context, t T, in Instance, now time.Time) (Instance, Effects, error)
	Fire(ctx context.Context, t T, in Instance, signal Signal, now time.Time) (Instance, Effects, error)
	Due(ctx context.Context, t T, in Instance, now time.Time) (Instance, Effects, error)
	Mermaid() string
}

// Count is how many conversations are kept in a state of a flow.
type Count struct {
	Flow          string
	State         string
	Conversations int
}
