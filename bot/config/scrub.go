package config

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
)

// Secrets are of type platform.Secret, which does not print. What follows is the last line of
// defence, for a text that somebody else composed.

const redacted = "[redacted]"

// secretKey reports whether an attribute of that name is never logged.
func secretKey(key string) bool {
	switch strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key)) {
	case "sessionid", "password", "token", "authtoken", "accesstoken", "refreshtoken", "oauthtoken", "secretkey":
		return true
	}
	return false
}

// secretText finds "session_id=…", "password":"…" and what fmt makes of maps and structs, also where the signs between are
// escaped: as JSON in JSON, as entities, with percent signs.
var secretText = regexp.MustCompile(
	`(?i)((?:session_?id|password|token|secret_?key)(?:=|%3D|` + mark + `\s*(?::|%3A)\s*` + mark + `|:\[?"?))[^\s"&,;\[\]{}()]+`)

// secretURL finds the password in the URL of a database.
var secretURL = regexp.MustCompile(`(?i)(postgres(?:ql)?://[^\s:/@]*:)[^\s/]+@`)

// mark is a quotation mark in any of these ways.
const mark = `(?:\\*["']|\\*u0022|&quot;|&#34;|%22)`

// Scrub takes out of a text what looks like a secret: a session id, a token or a password after its
// name, or in the URL of a database.
func Scrub(text string) string {
	return secretURL.ReplaceAllString(secretText.ReplaceAllString(text, "${1}"+redacted), "${1}"+redacted+"@")
}

// scrubAttr takes secrets out of an attribute. It is a slog.HandlerOptions.ReplaceAttr.
func scrubAttr(groups []string, a slog.Attr) slog.Attr {
	if secretKey(a.Key) || slices.ContainsFunc(groups, secretKey) {
		return slog.String(a.Key, redacted)
	}
	switch a.Value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, Scrub(a.Value.String()))
	case slog.KindAny:
		// Handlers format what is in here by themselves: look at it as fmt would show it.
		shown := fmt.Sprintf("%+v", a.Value.Any())
		if clean := Scrub(shown); clean != shown {
			return slog.String(a.Key, clean)
		}
	default: // numbers, times and truth values
	}
	return a
}
