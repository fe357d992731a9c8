package bottest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/record"
)

// Backup returns a copy of the database of a bot that is stopped.
func (w *World) Backup() []byte {
	w.t.Helper()
	w.must(w.incarnation == nil, "stop the bot before its database is copied")
	copied, err := os.ReadFile(w.Database())
	if err != nil {
		w.fail("%v", err)
	}
	return copied
}

// PutBack puts a copy in the place of the database of a bot that is stopped. With told, the bot is told about it, as by nectar restored;
// otherwise it finds out by the file beside the database.
func (w *World) PutBack(copied []byte, told bool) {
	w.t.Helper()
	w.must(w.incarnation == nil, "stop the bot before a copy of its database is put back")
	w.closeInspector()
	var errs []error
	for _, beside := range []string{"-wal", "-shm"} {
		if err := os.Remove(w.Database() + beside); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, os.WriteFile(w.Database(), copied, 0o600))
	if told {
		errs = append(errs, w.tellRestored())
	}
	if err := errors.Join(errs...); err != nil {
		w.fail("%v", err)
	}
}

func (w *World) tellRestored() error {
	ctx := context.WithoutCancel(w.t.Context())
	st, err := bot.OpenStore(ctx, bot.StoreOptions{Path: w.Database(), Fast: true})
	if err != nil {
		return err
	}
	return errors.Join(st.NoteRestored(ctx, record.Restored{At: time.Now(), Sign: record.CarefulSaid}), st.Close())
}
