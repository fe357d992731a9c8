package cmd

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

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const rekeyHelp = `Rekey lets another NECTAR_SECRET_KEY take the place of the one that is set: all that
is encrypted in the database is encrypted anew, so that the old key opens nothing
any more. It works while the bot runs, which then does it; otherwise rekey does.
Whatever interrupts it: run it again, and it goes on.

The new key stands in a file, or in the variable NECTAR_NEW_SECRET_KEY. Make one
with: openssl rand -base64 32

When it is done, set NECTAR_SECRET_KEY to the new key before the bot starts the
next time. Copies of the database that were made before open with the old one.

On PostgreSQL rekey does it itself, beside the workers. From its beginning on both keys
open everything, so restart the workers with the new one, one after another, whenever
you like after that; rekey waits for the last of them. Then the old key opens nothing,
and a worker that was left with it does not start. rekey may be interrupted while it
waits: run it again, with either key set.`

// newSecretKey is the variable with the key that is to take the other one's place.
const newSecretKey = "NECTAR_NEW_SECRET_KEY" //nolint:gosec // a name

const (
	rekeyPause  = 500 * time.Millisecond // between looks at how far it is
	rekeyNobody = 15 * time.Second       // without a bot that begins
)

func newRekey(sh shell) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "rekey",
		Short:   "Change the key that encrypts the database",
		Long:    rekeyHelp,
		Example: "  openssl rand -base64 32 > new.key\n  nectar rekey --new-key-file new.key",
		GroupID: groupCare,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.settingsWithoutAccounts(cmd)
			if err != nil {
				return err
			}
			to, err := sh.newKey(file)
			if err != nil {
				return &exitError{exitUsage, err}
			}
			if cfg.SecretKey == "" {
				return &exitError{exitUsage, errors.New("NECTAR_SECRET_KEY is not set: there is nothing to change. Set it, and start the bot, which then encrypts what is stored")}
			}
			if cfg.Store.OnServer() {
				r := &rekeyingServer{cfg: cfg, to: to, out: cmd.OutOrStdout(), progress: newProgress(cmd.ErrOrStderr())}
				return r.run(cmd.Context())
			}
			r := &rekeying{cfg: cfg, to: to, out: cmd.OutOrStdout(), progress: newProgress(cmd.ErrOrStderr())}
			return r.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&file, "new-key-file", "", "`file` with the new key (default the variable "+newSecretKey+")")
	return cmd
}

// newKey reads the new key. No error repeats it.
func (sh shell) newKey(file string) (platform.Secret, error) {
	text, where := variable(sh.environ, newSecretKey), newSecretKey
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

// rekeying changes the key of a database.
type rekeying struct {
	cfg      config.Config
	to       platform.Secret
	out      io.Writer
	progress *progress
}

func (r *rekeying) run(ctx context.Context) error {
	file := string(r.cfg.Store)
	err := store.ChangeKey(ctx, file, r.cfg.SecretKey, r.to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("NECTAR_STORE: there is no database %s yet", file)
	case err != nil:
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	d, err := store.OpenDesk(ctx, file, r.to)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	running, err := d.Running()
	if err == nil && !running {
		err = r.alone(ctx, d)
	} else if err == nil {
		err = r.wait(ctx, d, true)
	}
	r.progress.end()
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.out, "%s is encrypted with the new key, and the old one opens nothing of it.\n"+
		"Set NECTAR_SECRET_KEY to the new key before the bot starts the next time.\n", r.cfg.Store)
	return err
}

// alone encrypts everything itself.
func (r *rekeying) alone(ctx context.Context, d *store.Desk) error {
	cfg := r.cfg
	cfg.SecretKey = r.to
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	if errors.Is(err, store.ErrInUse) { // a bot has started meanwhile
		return r.wait(ctx, d, true)
	}
	if err != nil {
		return err
	}
	return errors.Join(r.wait(ctx, d, false), st.Close())
}

// wait shows how far it is, until all is encrypted.
func (r *rekeying) wait(ctx context.Context, d *store.Desk, others bool) error {
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
		if others && !told && at.Looked == 0 && time.Since(began) > rekeyNobody {
			told = true
			r.progress.end()
			_, _ = fmt.Fprintln(r.out, "The bot that runs has not begun with it. Restart it with the new key: it was started with another one, or with none.")
		}
		r.progress.say(fmt.Sprintf("%d of %d rows are encrypted with the new key", min(at.Looked, all), all))
		select {
		case <-ctx.Done():
			return fmt.Errorf("it goes on where it stopped when rekey runs again, or the bot: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}
