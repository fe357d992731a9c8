package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

// OpenDB opens connections to the file with settings of their own.
func OpenDB(path string, pragmas []string, connections int) (*sql.DB, error) {
	name, err := dsn(path, pragmas)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// KeepLog makes SQLite write ahead into a log, so that readers and the writer do not wait for each
// other. The file remembers it.
func KeepLog(ctx context.Context, db *sql.DB) error {
	var mode string
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return fmt.Errorf("set up the log: %w", err)
	}
	if mode != "wal" {
		return errors.New("its file system cannot share memory between processes: put it on a local disk")
	}
	return nil
}

// WritingPragmas are the settings of a connection that writes. What is deleted is overwritten: nobody finds it in the file. A page in a cache takes twice its size: it comes
// with a header, and memory is given out in powers of two.
func WritingPragmas(fast bool) []string {
	sync := "FULL"
	if fast {
		sync = "NORMAL"
	}
	return []string{
		// FULL syncs the log with each commit: with NORMAL, a loss of power takes back what was confirmed, and has left. Where fsync does not reach
		// the disk, as on macOS, fullfsync does.
		"busy_timeout(5000)", "synchronous(" + sync + ")", "fullfsync(1)", "checkpoint_fullfsync(1)",
		"cache_size(-4000)", "temp_store(MEMORY)", fmt.Sprintf("wal_autocheckpoint(%d)", UsualCheckpoint),
		fmt.Sprintf("journal_size_limit(%d)", LongestLog), //mutate:log-limit
		"secure_delete(1)", //mutate:secure-delete
	}
}

// LongestLog is how many bytes the log has after it was brought into the file: what it needs between two times, and some more.
const LongestLog = 20 << 20

// How many pages the log may have before it is brought into the file: usually, and while a person is forgotten.
const (
	UsualCheckpoint = 4000
	HastyCheckpoint = 500
)

// ReadingPragmas are the settings of those that read.
func ReadingPragmas() []string {
	return []string{"busy_timeout(5000)", "query_only(1)", "cache_size(-500)", "temp_store(MEMORY)"}
}

// dsn names the file and the settings as the driver wants them.
func dsn(path string, pragmas []string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	file := url.URL{Path: filepath.ToSlash(path)}
	return "file:" + file.EscapedPath() + "?" + url.Values{"_pragma": pragmas}.Encode(), nil
}
