package store_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// TestAnAlmostFullDisk: a disk on which one write fits and the next does not tells of its fault once, and of its end
// once it has taken every write for a while.
func TestAnAlmostFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	synctest.Test(t, func(t *testing.T) {
		log, room := &page{}, true
		db := openFile(t, store.Options{
			Path: path, Fast: true, Log: slog.New(slog.NewTextHandler(log, nil)),
			Around: func(commit func() error) error {
				if !room {
					return syscall.ENOSPC
				}
				return commit()
			},
		})
		w := &world{tb: t, Store: db}
		id := int64(0)
		say := func(fits bool) {
			t.Helper()
			room = fits
			id++
			done := make(chan store.Receipt)
			w.Commit(store.Write{Turn: says(turnOf(message(1, id)), "hello"), Done: func(r store.Receipt) { done <- r }})
			if r := <-done; (r.Err == nil) != fits {
				t.Errorf("write %d: %v", id, r.Err)
			}
		}
		told := func(faults, ends int) {
			t.Helper()
			synctest.Wait()
			text := strings.Join(log.lines(), "\n")
			if f, e := strings.Count(text, "cannot write"), strings.Count(text, "writes again"); f != faults || e != ends {
				t.Errorf("told of %d faults and %d ends, want %d and %d:\n%s", f, e, faults, ends, text)
			}
			if since := db.Faulty(); since.IsZero() != (faults == ends) {
				t.Errorf("after %d faults and %d ends it takes no writes since %v", faults, ends, since)
			}
		}
		for range 50 {
			say(false)
			time.Sleep(4 * time.Second)
			say(true)
			time.Sleep(4 * time.Second)
		}
		told(1, 0)
		time.Sleep(time.Second) // nothing comes to be written meanwhile
		told(1, 1)
		say(false)
		say(true)
		told(2, 1)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		told(2, 2)
	})
}
