package store_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// What comes while the writer sees that there is nothing to store is stored before it has a receipt.
func TestReceiptsWhileSomebodyOnlyWaits(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	writes := 5000
	if effort.Few() {
		writes = 1000
	}
	db := openFile(t, store.Options{Path: filepath.Join(t.TempDir(), "store.db"), Fast: true})
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var waiting sync.WaitGroup
	for range 4 {
		waiting.Go(func() {
			for ctx.Err() == nil {
				_ = db.MarkNow(ctx) // it stores nothing, and waits for what came before
			}
		})
	}
	ids := make([]event.ID, 0, writes)
	got := make(chan error, 1)
	for n := range int64(writes) {
		e := message(platform.UserID(7), n+1)
		ids = append(ids, e.ID)
		db.Commit(store.Write{Pending: []event.Event{e}, Done: func(r store.Receipt) { got <- r.Err }})
		if err := <-got; err != nil {
			t.Fatal(err)
		}
	}
	stop()
	waiting.Wait()
	stored, err := db.StoredEvents(t.Context(), ana, ids)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored) != writes {
		t.Errorf("%d of %d writes with a receipt are not stored", writes-len(stored), writes)
	}
}
