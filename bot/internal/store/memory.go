package store

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/record"
)

// memory is what the stores of all engines have in common.
type memory struct {
	*Writer
	*Reader
	sealer   *sealer                                     // nil without a key
	seals    func(ctx context.Context, key uint16) error // tells others which key this store seals with; nil where it is alone, and seals anew what is there
	position atomic.Int64
	kept     time.Duration
	gone     map[event.Account]*record.MovedError
	path     string // of the file; "" where there is none
	machine  recorder.Machine
	restored atomic.Pointer[record.Restored] // nil: it never has gone back
}

// readProgress reads how far the last incarnation has come.
func (m *memory) readProgress(ctx context.Context, keep time.Duration) error {
	last, err := m.lastPosition(ctx)
	if err != nil {
		return err
	}
	m.position.Store(max(last, time.Now().UnixMicro()))
	if m.gone, err = m.Gone(ctx); err != nil {
		return err
	}
	if err = m.lookBack(ctx); err != nil {
		return err
	}
	if m.kept = keep; m.kept > 0 {
		m.kept = max(m.kept, minKeep)
	}
	return nil
}

// startSealer starts the sealer, if there is a key.
func (m *memory) startSealer(ctx context.Context, log *slog.Logger) {
	if m.vault.Secret.IsGiven() {
		m.sealer = startSealer(context.WithoutCancel(ctx), m, log)
	}
}

// NextPosition returns the next place in the order of release. It is higher than that of every action
// that may still leave, also after a restart with a clock that was set back.
func (m *memory) NextPosition() int64 { return m.position.Add(1) }

// KeptFor returns how long rows are kept after their end; see Options.Keep.
func (m *memory) KeptFor() time.Duration { return m.kept }

// storeQueued stores what is queued.
func (m *memory) storeQueued() {
	if m.sealer != nil {
		m.sealer.close()
	}
	if m.Writer != nil {
		m.close()
	}
}
