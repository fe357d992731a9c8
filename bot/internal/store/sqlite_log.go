package store

import (
	"log/slog"
	"os"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/sqlite"
)

const (
	logLooked = 10 * time.Second // how often it is looked at
	logStuck  = time.Minute      // how long it may be too long
)

// longLog sees that the log of a file cannot be brought into it, since somebody goes on reading what stood there before: it grows until they end.
type longLog struct {
	log    *slog.Logger
	looked time.Time
	since  time.Time // since when it is too long; zero: it is not
	told   bool
}

// checkLog looks at the log of a database every now and then, and tells once when that is so, and when it is over.
func (l *longLog) checkLog(path string, now time.Time) {
	if l.log == nil || now.Sub(l.looked) < logLooked {
		return
	}
	l.looked = now
	info, err := os.Stat(path + "-wal")
	switch {
	case err != nil || info.Size() <= sqlite.LongestLog:
		if l.told {
			l.log.Info("the log of the database is in the file again")
		}
		l.since, l.told = time.Time{}, false
	case l.since.IsZero():
		l.since = now
	case now.Sub(l.since) >= logStuck && !l.told: //mutate:log-stuck
		l.told = true
		l.log.Warn("another program has read the database for a long time without an end: until it ends, the log beside the file grows", "bytes", info.Size())
	}
}
