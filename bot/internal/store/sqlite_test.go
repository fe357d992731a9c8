package store_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

func TestSQLite(t *testing.T) { testStore(t, sqlite) }

// openFile opens a store that has to open.
func openFile(t tb, o store.Options) *store.Database {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// file is a SQLite store under test, and its log.
type file struct {
	*world
	db   *store.Database
	path string
	log  *page
}

// newFile opens a fresh store.
func newFile(t *testing.T) *file {
	t.Helper()
	f := &file{path: filepath.Join(t.TempDir(), "store.db"), log: &page{}}
	f.world = newWorld(t, func(t *testing.T) database {
		t.Helper()
		open := func() store.Store {
			f.db = openFile(t, store.Options{Path: f.path, Fast: true, Log: slog.New(slog.NewTextHandler(f.log, nil))})
			return f.db
		}
		return database{open: open, inspector: func() asker { return openInspector(t, f.path) }}
	})
	return f
}

// page keeps lines of a log.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes a line.
func (p *page) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(line)
}

func (p *page) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Split(strings.TrimSuffix(p.text.String(), "\n"), "\n")
}

func TestSessionsAreSealed(t *testing.T) {
	t.Parallel()
	path, log := filepath.Join(t.TempDir(), "store.db"), &page{}
	incarnation := func(key platform.Secret, use func(k session.Keeper)) {
		t.Helper()
		s := openFile(t, store.Options{Path: path, Key: key, Log: slog.New(slog.NewTextHandler(log, nil))})
		use(s.Keeper(ana))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	loads := func(want session.Kept) func(session.Keeper) {
		return func(k session.Keeper) {
			t.Helper()
			if got, err := k.LoadSession(t.Context()); err != nil || got != want {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		}
	}
	saves := func(id string) func(session.Keeper) {
		return func(k session.Keeper) {
			t.Helper()
			if err := k.SaveSession(t.Context(), kept(id)); err != nil {
				t.Error(err)
			}
		}
	}
	readable := func(text string) bool {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(content, []byte(text))
	}
	incarnation("", saves("in-the-clear"))
	if !readable("in-the-clear") {
		t.Error("the session is not where it was looked for")
	}
	incarnation("key", loads(kept("in-the-clear"))) // until it is renewed
	incarnation("key", saves("behind-the-key"))
	if readable("behind-the-key") || readable("again") {
		t.Error("the session can be read from the file")
	}
	incarnation("key", loads(kept("behind-the-key")))
	for key, want := range map[platform.Secret]error{"another": seal.ErrSealed, "": seal.ErrNoKey} {
		if _, err := store.Open(t.Context(), store.Options{Path: path, Key: key}); !errors.Is(err, want) {
			t.Errorf("with the key %q the error is %v", key.Reveal(), err)
		}
	}
	incarnation("key", loads(kept("behind-the-key")))
	if strings.Contains(strings.Join(log.lines(), "\n"), "behind") {
		t.Error("the log has the session")
	}
}

// TestASessionBelongsToItsAccount: a row that somebody copied to another account does not open.
func TestASessionBelongsToItsAccount(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s := openFile(t, store.Options{Path: path, Key: "key"})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.Keeper(ana).SaveSession(t.Context(), kept("ana's")); err != nil {
		t.Fatal(err)
	}
	change(t, path, `INSERT INTO session SELECT ?, ?, sealed, saved_at FROM session`, berk.Shard(), string(berk))
	if got, err := s.Keeper(berk).LoadSession(t.Context()); err != nil || got != (session.Kept{}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestWritesWaitForALock: another program that writes holds the bot up, not its readers.
func TestWritesWaitForALock(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.must(named(turnOf(message(7, 1)), 1, "one"))
	other := connect(t, f.path)
	if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	committed := make(chan store.Receipt, 1)
	f.Commit(store.Write{Turn: named(turnOf(message(7, 2)), 2, "two"), Done: func(r store.Receipt) { committed <- r }})
	f.isNamed(event.Key{Account: ana, Peer: 7}, 1, "one")
	select {
	case r := <-committed:
		t.Errorf("stored behind a lock: %+v", r)
	default:
	}
	if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	f.same("receipt", stored, <-committed)
	f.isNamed(event.Key{Account: ana, Peer: 7}, 2, "two")
}

func TestALockForTooLong(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	if err := f.db.Pragma("busy_timeout(1)"); err != nil {
		t.Fatal(err)
	}
	other := connect(t, f.path)
	if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	r := f.commit(store.Write{Turn: turnOf(message(7, 1))})
	if r.Err == nil || errors.Is(r.Err, store.ErrUnfit) || !strings.Contains(r.Err.Error(), "another program holds the database locked") {
		t.Errorf("the receipt is %+v", r)
	}
	if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	f.must(turnOf(message(7, 1)))
}
