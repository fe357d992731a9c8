package platform

import (
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"regexp"
	"strings"
)

const (
	headSize    = 200  // bytes of an unreadable answer that are kept
	messageSize = 500  // bytes of the message of a refusal that are kept
	scrubWindow = 4096 // bytes that are searched for what must not be kept
)

// What texts of the platform must not show even when the call did not know it: new tokens, other
// people's e-mail and IP addresses.
var (
	secretMember = regexp.MustCompile(`(?i)((?:token|session_id|password|email|ip_address)\\*["']?\s*[:=]\s*\\*["']?)[^"'&,;}<\s]+`)
	emailAddress = regexp.MustCompile(`[^\s"'<>:,;=&]+@[^\s"'<>:,;=&]+\.[\pL\d-]+`)
	ipAddress    = regexp.MustCompile(`(?i)\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}`)
)

// excerpt returns the beginning of a text of the platform, for an error: at most size bytes, valid
// UTF-8, without anything that must not be seen.
func excerpt(text []byte, size int, secrets []string) string {
	s := toString(text[:min(len(text), scrubWindow)])
	s = scrubText(s, secrets)
	s = secretMember.ReplaceAllString(s, "${1}"+redacted)
	s = emailAddress.ReplaceAllString(s, redacted)
	s = ipAddress.ReplaceAllString(s, redacted)
	return strings.ToValidUTF8(s[:min(len(s), size)], "")
}

// scrubText replaces the secrets in text, as they are and in the ways that texts quote them.
func scrubText(text string, secrets []string) string {
	for _, secret := range secrets {
		quoted, _ := json.Marshal(secret) // a string always has a JSON form
		for _, form := range []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
			strings.Trim(string(quoted), `"`),
		} {
			text = strings.ReplaceAll(text, form, redacted)
		}
	}
	return text
}

// scrubError takes the address of the request out of err, since it may hold the session id, and
// hides errors of transports that show a secret all the same.
func scrubError(err error, secrets []string) error {
	for withURL, ok := errors.AsType[*url.Error](err); ok; withURL, ok = errors.AsType[*url.Error](err) {
		err = withURL.Err
	}
	if text := err.Error(); scrubText(text, secrets) != text {
		return &scrubbed{text: scrubText(text, secrets), cause: err}
	}
	return err
}

// scrubbed stands for an error that shows a secret. errors.Is sees through it, nothing else does.
type scrubbed struct {
	text  string
	cause error
}

func (e *scrubbed) Error() string { return e.text }

// GoString keeps %#v from showing the cause.
func (e *scrubbed) GoString() string { return e.text }

// Is compares with the error behind.
func (e *scrubbed) Is(target error) bool { return errors.Is(e.cause, target) }
