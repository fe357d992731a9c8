package config

import (
	"io"
	"log/slog"
	"os"
	"sync/atomic"
)

// Logger returns the log that NECTAR_LOG_FORMAT asks for, written to w from a level on, which may change; that of NECTAR_LOG_LEVEL is
// c.LogLevel. It takes secrets out of what it is given. Where w is a stream of the process, that goes on when nobody reads it any more;
// the handler's Lost returns how many lines could not be written.
func (c Config) Logger(w io.Writer, level slog.Leveler) *slog.Logger {
	if f, ok := w.(*os.File); ok {
		surviveClosedPipe(f)
	}
	options, lines := &slog.HandlerOptions{Level: level, ReplaceAttr: scrubAttr}, &tally{w: w}
	if c.LogFormat == "json" {
		return slog.New(lossy{slog.NewJSONHandler(JSON(lines), options), lines})
	}
	return slog.New(lossy{slog.NewTextHandler(lines, options), lines})
}

// tally counts the lines that could not be written.
type tally struct {
	w    io.Writer
	lost atomic.Int64
}

// Write implements io.Writer.
func (t *tally) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		t.lost.Add(1)
	}
	return n, err
}

// lossy is a handler that knows how many lines were lost.
type lossy struct {
	slog.Handler
	lines *tally
}

// Lost returns how many lines could not be written.
func (l lossy) Lost() int64 { return l.lines.lost.Load() }
