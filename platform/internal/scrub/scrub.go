package scrub

import (
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

const (
	// Mark stands in the place of what must not be seen.
	Mark = "[redacted]"
	// Window is how many bytes of an answer are searched for what must not be kept.
	Window = 4096
	// Plenty is how many bytes a secret has: what is shorter is found everywhere.
	Plenty = 4
)

// What texts of the platform must not show even when the call did not know it: new tokens, other
// people's e-mail and IP addresses.
var (
	secretMember = regexp.MustCompile(`(?i)((?:token|session_id|password|email|ip_address)\\*["']?\s*[:=]\s*\\*["']?)[^"'&,;}<\s]+`)
	emailAddress = regexp.MustCompile(`[^\s"'<>:,;=&]+@[^\s"'<>:,;=&]+\.[\pL\d-]+`)
	ipAddress    = regexp.MustCompile(`(?i)\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}`)
)

// SafeExcerpt returns the beginning of a text of the platform, for an error: at most size bytes, valid
// UTF-8, without anything that must not be seen.
func SafeExcerpt(text []byte, size int, secrets []string) string {
	s := string(text[:min(len(text), Window)])
	found := decodedViews(s)
	hidden := spansOf(found, secrets)
	for _, v := range found {
		for _, at := range secretMember.FindAllStringSubmatchIndex(v.text, -1) {
			hidden = append(hidden, v.span(at[3], at[1]))
		}
		for _, what := range []*regexp.Regexp{emailAddress, ipAddress} {
			for _, at := range what.FindAllStringIndex(v.text, -1) {
				hidden = append(hidden, v.span(at[0], at[1]))
			}
		}
	}
	s = wire.ToString([]byte(without(s, hidden)))
	return strings.ToValidUTF8(s[:min(len(s), size)], "")
}

// scrubText replaces the secrets in text, in every form in which they may be written there.
func scrubText(text string, secrets []string) string {
	if len(secrets) == 0 {
		return text
	}
	return without(text, spansOf(decodedViews(text), secrets))
}

// span is a part of a text.
type span struct{ from, to int }

func (v view) span(from, to int) span { return span{v.from[from], v.to[to-1]} }

// spansOf finds the secrets, and the beginning of one with which a text that was cut ends.
func spansOf(all []view, secrets []string) []span {
	var found []span
	small := make([]string, len(all))
	for i := range all {
		small[i] = lowerASCII(all[i].text)
	}
	for _, secret := range secrets {
		for _, form := range bytesOf(secret) {
			for i, v := range all {
				text, wanted := v.text, form
				if len(form) >= tells { //mutate:disguise-case
					text, wanted = small[i], lowerASCII(form)
				}
				for at := 0; ; {
					next := strings.Index(text[at:], wanted)
					if next < 0 {
						break
					}
					found = append(found, v.span(at+next, at+next+len(form)))
					at += next + 1
				}
				if n := begunAtEnd(v.text, form); n >= 0 {
					found = append(found, v.span(n, len(v.text)))
				}
			}
		}
	}
	return found
}

// begunAtEnd returns where the beginning of a secret stands, four bytes or more, with which a text ends; 0 when it does not.
// An escape may be cut off behind them.
func begunAtEnd(text, secret string) int {
	const least, longest = 4, 12 // bytes: of a secret, and of an escape
	for cut := 0; cut < longest && cut < len(text); cut++ {
		if cut > 0 && !strings.ContainsRune(`\%&`, rune(text[len(text)-cut])) {
			continue
		}
		whole := text[:len(text)-cut]
		for n := min(len(secret)-1, len(whole)); n >= least; n-- {
			if strings.HasSuffix(whole, secret[:n]) {
				return len(whole) - n
			}
		}
	}
	return -1
}

// without returns text with a mark in place of each of its parts.
func without(text string, parts []span) string {
	if len(parts) == 0 {
		return text
	}
	slices.SortFunc(parts, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var b strings.Builder
	at := 0
	for _, p := range parts {
		if p.to <= at {
			continue
		}
		if p.from > at || at == 0 {
			b.WriteString(text[at:p.from] + Mark)
		}
		at = p.to
	}
	return b.String() + text[at:]
}

// ScrubError takes the address of the request out of err, since it may hold the session id, and
// hides errors of transports that show a secret all the same.
func ScrubError(err error, secrets []string) error {
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
