package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/internal/language/match"
)

// FindEmail finds the first e-mail address in a text and returns it as it is written, its domain in small
// letters. It wants a domain with a point in it and does not know quoted names.
func FindEmail(text string) (string, bool) {
	text = match.DecodeText(text)
	for at := 0; at < len(text); at++ {
		if text[at] != '@' {
			continue
		}
		name := lastPart(text[:at], func(r rune) bool { return inAddress(r) || strings.ContainsRune("._%+-'", r) })
		domain := firstPart(text[at+1:], func(r rune) bool { return inAddress(r) || r == '.' || r == '-' })
		name, domain = strings.TrimLeft(name, ".'-"), strings.TrimRight(domain, ".-")
		if validName(name) && validDomain(domain) {
			return name + "@" + strings.ToLower(domain), true
		}
	}
	return "", false
}

func inAddress(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func lastPart(s string, in func(r rune) bool) string {
	from := len(s)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if !in(r) {
			break
		}
		from -= size
	}
	return s[from:]
}

func firstPart(s string, in func(r rune) bool) string {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return s[:end]
	}
	return s
}

func validName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.HasSuffix(name, ".") && !strings.Contains(name, "..")
}

func validDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(domain) > 253 || len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Contains(label, "_") {
			return false
		}
	}
	last := labels[len(labels)-1]
	return utf8.RuneCountInString(last) >= 2 && !strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
}
