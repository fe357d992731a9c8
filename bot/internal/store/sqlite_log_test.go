package store_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	files "github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// TestLongLog: who reads for a long time keeps the log from being brought into the file. That is told once, and when it is over the log is short again.
func TestLongLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "nectar.db")
		var said bytes.Buffer
		log := slog.New(slog.NewTextHandler(&said, nil))
		st, err := store.Open(t.Context(), store.Options{Path: path, Fast: true, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{tb: t, Store: st}
		number := int64(0)
		write := func(megabytes int) {
			for range megabytes * 4 {
				number++
				e := message(7, number)
				e.Text = strings.Repeat("x", 1<<18)
				w.must(turnOf(e))
			}
		}
		write(1)
		db, err := files.OpenDB(path, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		reads, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if err := reads.QueryRowContext(t.Context(), `SELECT count(*) FROM event`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		write(30)
		for range 12 {
			time.Sleep(10 * time.Second)
			write(1)
		}
		const stuck = "has read the database for a long time"
		if got := strings.Count(said.String(), stuck); got != 1 {
			t.Errorf("it was told %d times: %s", got, said.String())
		}
		if err := reads.Rollback(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		for range 3 {
			time.Sleep(10 * time.Second)
			write(1)
		}
		if !strings.Contains(said.String(), "in the file again") {
			t.Errorf("that it is over was not told: %s", said.String())
		}
		if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > files.LongestLog {
			t.Errorf("the log has %d bytes, %v", info.Size(), err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}
