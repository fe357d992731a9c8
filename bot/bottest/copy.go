package bottest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// copyDatabase copies a database, inside dir, that nobody writes at the moment, with what has not moved
// from its log into it yet, and with the recorder's file beside it. That is what a crash of the process leaves behind.
func copyDatabase(dir, to, from string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, suffix := range []string{"", "-wal"} {
		content, err := root.ReadFile(from + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix != "" {
			continue
		}
		if err == nil {
			err = root.WriteFile(to+suffix, content, 0o600)
		}
		if err != nil {
			return fmt.Errorf("copy the database: %w", err)
		}
	}
	path := func(name string) string { return filepath.Join(dir, name+recorder.Suffix) }
	return recorder.Copy(path(to), path(from))
}
