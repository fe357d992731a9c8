package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"syscall"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// StoreFile is the path of the SQLite file, or the URL of a database of PostgreSQL, with its password: that is what a string of it
// is. All that prints it names the database instead.
type StoreFile string

// String names the database, for people.
func (s StoreFile) String() string { return remote.NameOf(string(s)) }

// GoString is String.
func (s StoreFile) GoString() string { return strconv.Quote(s.String()) }

// MarshalText is String.
func (s StoreFile) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// OnServer reports whether it is the URL of a database on a server.
func (s StoreFile) OnServer() bool { return remote.IsURL(string(s)) }

// UnmarshalText reads "sqlite:" and a path, or a URL. What it refuses is not repeated: it may hold a password.
func (s *StoreFile) UnmarshalText(text []byte) error {
	engine, path, _ := strings.Cut(string(text), ":")
	switch {
	case engine == "postgres" || engine == "postgresql":
		if err := remote.CheckURL(string(text)); err != nil {
			return problem(strings.TrimPrefix(err.Error(), "it "))
		}
		*s = StoreFile(text)
		return nil
	case engine != "sqlite":
		return problem(`begins neither with "sqlite:" nor with "postgres://"`)
	case path == "":
		return problem("names no file")
	case strings.HasPrefix(path, "//"):
		return problem(`has "//" before the path; write the path right after "sqlite:"`)
	}
	*s = StoreFile(path)
	return nil
}

// OpenStore opens the store and brings its schema up to date. It warns when there is no key for the
// sessions in it. The error is one line for a person, and wraps that of bot.OpenStore.
func (c Config) OpenStore(ctx context.Context, log *slog.Logger) (bot.Store, error) {
	st, err := bot.OpenStore(ctx, c.StoreOptions(log))
	if err != nil {
		return nil, fmt.Errorf("%sSTORE: %w%s", envPrefix, err, c.remedy(err))
	}
	if err := c.Stays(st); err != nil {
		_ = st.Close() // nothing was written
		return nil, err
	}
	for _, line := range c.Misspelt {
		log.WarnContext(ctx, "a variable of the environment looks like one of ours, and is none: it is not in force", "variable", line)
	}
	if c.SecretKey == "" {
		log.WarnContext(ctx, "whoever can read the database can act as the bot, and reads what people told it: nothing in it is encrypted; set "+
			envPrefix+"SECRET_KEY to the output of: openssl rand -base64 32", "file", c.Store.String())
	}
	return st, nil
}

// StoreOptions returns what the settings say about the store.
func (c Config) StoreOptions(log *slog.Logger) bot.StoreOptions {
	return bot.StoreOptions{Path: string(c.Store), Key: c.SecretKey, ForgetSealed: c.ForgetSealed, Log: log, Keep: c.Retention, NoBot: c.NoBot}
}

// Stays returns an error when an account has been moved away from the store.
func (c Config) Stays(st bot.Store) error {
	for i := range c.Accounts {
		if moved := st.CheckAway(c.Accounts[i].Name); moved != nil {
			return fmt.Errorf("%sSTORE: %s: %w", envPrefix, c.Store, moved)
		}
	}
	return nil
}

// remedy says what to do about a file that cannot be opened, where the error does not.
func (c Config) remedy(err error) string {
	switch {
	case c.Store.OnServer():
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "; this user must be able to write the file and its folder"
	case errors.Is(err, syscall.ENOSPC):
		return "; make room on the disk"
	}
	return ""
}
