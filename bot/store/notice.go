package store

import (
	"context"
	"fmt"
	"time"
)

// NoticeSent notes that notices were sent, and returns when that is stored: until then they are unsent, also
// after a crash.
func (w *Writer) NoticeSent(ctx context.Context, notices ...Notice) error {
	sent := make([]Notice, len(notices))
	for i, n := range notices {
		n.SentAt = time.Now()
		sent[i] = n
	}
	if err := w.commitNow(ctx, Write{sent: sent}); err != nil {
		return fmt.Errorf("note that notices were sent: %w", err)
	}
	return nil
}
