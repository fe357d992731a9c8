package config

import (
	"io"
	"log/slog"
)

// Logger returns the log that NECTAR_LOG_LEVEL and NECTAR_LOG_FORMAT ask for, written to w. It takes
// secrets out of what it is given.
func (c Config) Logger(w io.Writer) *slog.Logger { return c.LoggerFrom(w, c.LogLevel) }

// LoggerFrom is Logger from a level on that may change.
func (c Config) LoggerFrom(w io.Writer, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: scrubAttr}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(JSON(w), options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
