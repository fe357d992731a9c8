package bottest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// fresh is a database that was just set up, once it is known: to set one up takes longer than many a test.
var fresh struct {
	sync.Mutex // guards the fields below
	content    []byte
}

// setUp makes a database at path, unless there is one.
func setUp(ctx context.Context, path string) error {
	path = filepath.Clean(path)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh.Lock()
	defer fresh.Unlock()
	var err error
	if fresh.content == nil {
		fresh.content, err = madeAt(ctx, path)
	} else {
		err = os.WriteFile(path, fresh.content, 0o600)
	}
	if err != nil {
		return fmt.Errorf("set up the database: %w", err)
	}
	return nil
}

// madeAt makes a database, and returns its content.
func madeAt(ctx context.Context, path string) ([]byte, error) {
	s, err := store.Open(ctx, store.Options{Path: path, Fast: true})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Clean(path))
}
