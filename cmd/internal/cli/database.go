package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// HasDatabase reports whether there is a database, as far as can be seen: what is wrong with it shows when it is opened.
func HasDatabase(ctx context.Context, cfg config.Config) bool {
	if !cfg.Store.OnServer() {
		_, err := os.Stat(string(cfg.Store))
		return !errors.Is(err, fs.ErrNotExist)
	}
	r, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return !errors.Is(err, record.ErrNone)
	}
	_ = r.Close() // it has read all that it wanted
	return true
}
