package sqlite

import (
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	direct "zombiezen.com/go/sqlite"
)

// ExplainError adds to an error of the database what a person can do about it.
func ExplainError(err error) error {
	advice := ""
	switch codeOf(err) {
	case sqlite3.SQLITE_NOTADB:
		advice = "it is no database: name another file"
	case sqlite3.SQLITE_CORRUPT:
		advice = "the database is damaged: put a copy of it back, or move it away to start anew"
	case sqlite3.SQLITE_FULL:
		advice = "there is no room left: make room on the disk"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		advice = "this user must be able to write the file and its folder"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		advice = "another program holds the database locked: end it"
	case sqlite3.SQLITE_IOERR:
		advice = "the disk reports an error"
	default:
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}

// ExplainFile is Explain for the opening of a file. Where the owner of the file is the problem, it names the owner.
func ExplainFile(path string, err error) error {
	switch codeOf(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		if advice := ownerText(path, ""); advice != "" {
			return fmt.Errorf("%s: %w", advice, err)
		}
	}
	return ExplainError(err)
}

// explainDenied adds the owner of the files to an error that keeps this user from a database's lock.
func explainDenied(path string, err error) error {
	if advice := ownerText(path, LockSuffix); advice != "" && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s: %w", advice, err)
	}
	return err
}

// IsDataFault reports whether an error of a statement lies in what was to be stored, not in the database.
func IsDataFault(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return true
	}
	return false
}

// codeOf returns the database's code of an error, without its extension.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return int(direct.ErrCode(err).ToPrimary()) // SQLITE_ERROR for an error without a code
}
