// Package rekey encrypts a database with another key.
package rekey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
)

// NewSecretKey is the variable with the key that is to take the other one's place.
const NewSecretKey = "NECTAR_NEW_SECRET_KEY" //nolint:gosec // a name

const (
	rekeyPause  = 500 * time.Millisecond // between looks at how far it is
	rekeyNobody = 15 * time.Second       // without a bot that begins
)

// NewKeyOf reads the new key. No error repeats it.
func NewKeyOf(sh cli.Shell, file string) (platform.Secret, error) {
	text, where := sh.GetVariable(NewSecretKey), NewSecretKey
	if file != "" {
		content, err := os.ReadFile(file) //nolint:gosec // the user's choice
		if err != nil {
			return "", fmt.Errorf("--new-key-file: %w", err)
		}
		text, where = string(content), file
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", fmt.Errorf("%s has no key: put the output of \"openssl rand -base64 32\" there", where)
	case !config.IsKey(text):
		return "", fmt.Errorf("the key in %s is not 32 bytes in base64 or hex: make one with: openssl rand -base64 32", where)
	}
	return platform.Secret(text), nil
}

// Rekeying changes the key of a database.
type Rekeying struct {
	Cfg      config.Config
	To       platform.Secret
	Out      io.Writer
	Progress *print.Progress
}

// Run encrypts the database in a file anew.
func (r *Rekeying) Run(ctx context.Context) error {
	file := string(r.Cfg.Store)
	err := admin.ChangeKey(ctx, file, r.Cfg.SecretKey, r.To)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("NECTAR_STORE: there is no database %s yet", file)
	case err != nil:
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	// With the new secret, which proves that it opens the database before the old one stops doing so.
	d, err := inspect.Open(ctx, file, r.To)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	running, err := d.Running()
	if err == nil && !running {
		err = r.alone(ctx, d)
	} else if err == nil {
		err = r.wait(ctx, d, true)
	}
	r.Progress.End()
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.Out, "%s is encrypted with the new key, and the old one opens nothing of it.\n"+
		"Set NECTAR_SECRET_KEY to the new key before the bot starts the next time.\n", r.Cfg.Store)
	return err
}

// alone encrypts everything itself.
func (r *Rekeying) alone(ctx context.Context, d inspect.Inspector) error {
	cfg := r.Cfg
	cfg.SecretKey = r.To
	cfg.NoBot = true
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if errors.Is(err, record.ErrInUse) { // a bot has started meanwhile
		return r.wait(ctx, d, true)
	}
	if err != nil {
		return err
	}
	return errors.Join(r.wait(ctx, d, false), st.Close())
}

// wait shows how far it is, until all is encrypted.
func (r *Rekeying) wait(ctx context.Context, d inspect.Inspector, others bool) error {
	all, err := d.Rows(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(rekeyPause)
	defer tick.Stop()
	began, told := time.Now(), false
	for {
		at, err := d.Sealing(ctx)
		if err != nil {
			return err
		}
		if !at.DoneAt.IsZero() {
			return nil
		}
		// A bot with another secret never begins, and would be waited for without an end.
		if others && !told && at.Looked == 0 && time.Since(began) > rekeyNobody {
			told = true
			r.Progress.End()
			_, _ = fmt.Fprintln(r.Out, "The bot that runs has not begun with it. Restart it with the new key: it was started with another one, or with none.")
		}
		r.Progress.ShowStep(fmt.Sprintf("%d of %d rows are encrypted with the new key", min(at.Looked, all), all))
		select {
		case <-ctx.Done():
			return fmt.Errorf("it goes on where it stopped when rekey runs again, or the bot: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}
