package config

import (
	"io"
	"log/slog"
)

// Logger returns the log that NECTAR_LOG_LEVEL and NECTAR_LOG_FORMAT ask for, written to w. It takes
// secrets out of what it is given.
func (c Config) Logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: scrubAttr}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(JSON(w), options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
