package platform

import (
	"fmt"
	"log/slog"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
)

// Secret is a text that must not be printed: a password, a session id or a refresh token.
// Every way of printing it (fmt, slog, JSON) shows "[redacted]"; Reveal gives the text itself.
type Secret string

// Reveal returns the text itself, for the request that needs it.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return scrub.Mark
}

// GoString keeps %#v from showing the text.
func (s Secret) GoString() string { return s.String() }

// Format keeps every verb from showing the text.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText keeps encoders from showing the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue keeps slog from showing the text.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
