package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/nectar-bot/nectar/bot/store"
)

// StoreFile is the path of the SQLite file.
type StoreFile string

// UnmarshalText reads "sqlite:" and a path. What it refuses is not repeated: it may hold a password.
func (s *StoreFile) UnmarshalText(text []byte) error {
	engine, path, _ := strings.Cut(string(text), ":")
	switch {
	case engine == "postgres" || engine == "postgresql":
		return problem("names PostgreSQL, which is not in this version; use SQLite")
	case engine != "sqlite":
		return problem(`does not begin with "sqlite:"`)
	case path == "":
		return problem("names no file")
	case strings.HasPrefix(path, "//"):
		return problem(`has "//" before the path; write the path right after "sqlite:"`)
	}
	*s = StoreFile(path)
	return nil
}

// OpenStore opens the store and brings its schema up to date. It warns when there is no key for the
// sessions in it. The error is one line for a person, and wraps that of store.Open.
func (c Config) OpenStore(ctx context.Context, log *slog.Logger) (*store.SQLite, error) {
	st, err := store.Open(ctx, store.Options{Path: string(c.Store), Key: c.SecretKey, ForgetSealed: c.ForgetSealed, Log: log, Keep: time.Duration(c.Retention)})
	if err != nil {
		return nil, fmt.Errorf("%sSTORE: %w%s", envPrefix, err, remedy(err))
	}
	if c.SecretKey == "" {
		log.WarnContext(ctx, "whoever can read the database can act as the bot, and reads what people told it: nothing in it is encrypted; set "+
			envPrefix+"SECRET_KEY to the output of: openssl rand -base64 32", "file", string(c.Store))
	}
	return st, nil
}

// remedy says what to do about a database that cannot be opened, where the error does not.
func remedy(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "; this user must be able to write the file and its folder"
	case errors.Is(err, syscall.ENOSPC):
		return "; make room on the disk"
	}
	return ""
}
