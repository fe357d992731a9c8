package bot

import (
	"context"
	"time"
)

// runEvery calls f every now and then, until ctx is done.
func runEvery(ctx context.Context, pause time.Duration, f func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f()
		}
	}
}
