//go:build unix

package bot_test

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// BenchmarkIdleOnServer reports what an account with 20 chats costs that has signed in and was polled, and has nothing to do: memory of
// the worker that serves it, and room in the database.
func BenchmarkIdleOnServer(b *testing.B) {
	of, platform := quarter(idlers), newCanned(b, 20)
	for b.Loop() {
		idle(b, of, platform)
	}
}

const idlers = 2500

func idle(b *testing.B, of map[int][]bot.Account, platform *canned) {
	b.Helper()
	s := pgtest.New(b)
	st, err := store.Open(b.Context(), store.Options{Path: s.URL(""), Key: secretKey})
	if err != nil {
		b.Fatal(err)
	}
	empty := room(b, s)
	polled := platform.await(idlers)
	t := newTaker(b, st, of, platform)
	before := used()
	t.take(b.Context(), of)
	<-polled
	for n := -1; n != platform.total(); time.Sleep(500 * time.Millisecond) { // until nothing is asked any more
		n = platform.total()
	}
	b.ReportMetric(float64(used()-before)/idlers, "B-memory/account")
	b.ReportMetric(float64(room(b, s)-empty)/idlers, "B-database/account")
	t.lose(b, st)
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

// used is the memory that is in use, of heap and stacks.
func used() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// room is what tables and their indexes take, without what is left over.
func room(b *testing.B, s *pgserver.Server) (size int64) {
	b.Helper()
	for _, text := range []string{`VACUUM`, `CHECKPOINT`} {
		if err := s.Exec(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
	if err := filepath.WalkDir(filepath.Join(s.Data(), "base"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, ierr := d.Info(); ierr == nil {
				size += info.Size()
			}
		}
		return err
	}); err != nil {
		b.Fatal(err)
	}
	return size
}
