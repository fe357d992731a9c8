//go:build unix

package store

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// CommitFault is how SQLite itself fails a COMMIT.
type CommitFault int

const (
	CommitRefused  CommitFault = iota // a hook refuses it: it is rolled back
	CommitFull                        // no room for the log: it is rolled back
	CommitUnsynced                    // the log is written, and cannot be synced: nobody sees it, and it is in the file
	CommitUnheard                     // a hook fails after it: everybody sees it
)

// fault is what befalls the next COMMIT of a connection.
type fault struct {
	kind  CommitFault
	armed bool
	write uintptr // of the log, as it was
	sync  uintptr
}

var errNoRoom = errors.New("out of memory")

// commitFaults are faults by connection, by its handle, and by its log.
var commitFaults sync.Map

// FailCommit lets the next COMMIT of the connection that writes fail.
func (s *Database) FailCommit(kind CommitFault) error {
	done := make(chan error, 1)
	s.Commit(Write{Done: func(Receipt) { done <- failCommit(s.writes.conn, kind) }})
	return <-done
}

// failCommit lets the next COMMIT fail.
func failCommit(c *sqlite.Conn, kind CommitFault) error {
	if f, ok := commitFaults.Load(c); ok {
		f.(*fault).kind, f.(*fault).armed = kind, true
		return nil
	}
	f := &fault{kind: kind, armed: true}
	tls, db := handleOf(c)
	log, err := logOf(tls, db)
	if err != nil {
		return err
	}
	methods := libc.AtomicLoadPUintptr(log)
	size := int(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{}))
	mine := libc.Xmalloc(tls, libc.Tsize_t(size)) // for as long as the test runs
	if mine == 0 {
		return errNoRoom
	}
	copy(libc.GoBytes(mine, size), libc.GoBytes(methods, size))
	f.write = libc.AtomicLoadPUintptr(methods + unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxWrite))
	f.sync = libc.AtomicLoadPUintptr(methods + unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxSync))
	libc.AtomicStorePUintptr(mine+unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxWrite), pointer(writeLog))
	libc.AtomicStorePUintptr(mine+unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxSync), pointer(syncLog))
	commitFaults.Store(c, f)
	commitFaults.Store(db, f) // the handles of a connection that was closed come again
	commitFaults.Store(log, f)
	libc.AtomicStorePUintptr(log, mine)
	sqlite3.Xsqlite3_commit_hook(tls, db, pointer(beforeCommit), db)
	sqlite3.Xsqlite3_wal_hook(tls, db, pointer(afterCommit), db)
	return nil
}

// logOf returns the file of the log.
func logOf(tls *libc.TLS, db uintptr) (uintptr, error) {
	name, err := libc.CString("main")
	if err != nil {
		return 0, errNoRoom
	}
	defer libc.Xfree(tls, name)
	place := libc.Xcalloc(tls, 1, 8)
	defer libc.Xfree(tls, place)
	if code := sqlite3.Xsqlite3_file_control(tls, db, name, sqlite3.SQLITE_FCNTL_JOURNAL_POINTER, place); code != sqlite3.SQLITE_OK {
		return 0, fmt.Errorf("the log cannot be found: %d", code)
	}
	log := libc.AtomicLoadPUintptr(place)
	if log == 0 || libc.AtomicLoadPUintptr(log) == 0 {
		return 0, errors.New("there is no log yet")
	}
	return log, nil
}

// pointer returns a function as C has it.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

// call returns a function of C's.
func call[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ p uintptr }{p})) }

// injects reports whether a fault befalls what is asked for now.
func injects(key uintptr, kind CommitFault) bool {
	x, ok := commitFaults.Load(key)
	if !ok || !x.(*fault).armed || x.(*fault).kind != kind {
		return false
	}
	x.(*fault).armed = false
	return true
}

func beforeCommit(_ *libc.TLS, db uintptr) int32 {
	if injects(db, CommitRefused) {
		return 1
	}
	return 0
}

func afterCommit(_ *libc.TLS, db, _, _ uintptr, _ int32) int32 {
	if injects(db, CommitUnheard) {
		return sqlite3.SQLITE_IOERR
	}
	return sqlite3.SQLITE_OK
}

func writeLog(tls *libc.TLS, log, data uintptr, size int32, at int64) int32 {
	if injects(log, CommitFull) {
		return sqlite3.SQLITE_FULL
	}
	f, _ := commitFaults.Load(log)
	return call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.(*fault).write)(tls, log, data, size, at)
}

func syncLog(tls *libc.TLS, log uintptr, flags int32) int32 {
	if injects(log, CommitUnsynced) {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	f, _ := commitFaults.Load(log)
	return call[func(*libc.TLS, uintptr, int32) int32](f.(*fault).sync)(tls, log, flags)
}
