package config

import (
	"io"
	"log/slog"
)

// Logger returns the log that NECTAR_LOG_FORMAT asks for, written to w from a level on, which may change; that of NECTAR_LOG_LEVEL is
// c.LogLevel. It takes secrets out of what it is given.
func (c Config) Logger(w io.Writer, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: scrubAttr}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(JSON(w), options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
