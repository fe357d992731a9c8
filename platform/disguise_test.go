package platform_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
)

// each writes every rune of a text in one way.
func each(text string, write func(r rune) string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(write(r))
	}
	return b.String()
}

func units(text, format string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, format, u)
	}
	return b.String()
}

func bytewise(text, format string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, format, text[i])
	}
	return b.String()
}

// latin returns the bytes of a text in Latin-1.
func latin(text string) string {
	return each(text, func(r rune) string { return string([]byte{byte(r)}) })
}

// disguises are the ways in which platforms write texts.
var disguises = []struct {
	name  string
	write func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 behind a name", func(s string) string { return base64.URLEncoding.EncodeToString([]byte("u:" + s)) }},
	{"base64 behind another name", func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte("ana:" + s + "!")) }},
	{"JSON of Go", func(s string) string { data, _ := json.Marshal(s); return string(data[1 : len(data)-1]) }},
	{"JSON of PHP", func(s string) string {
		return each(s, func(r rune) string {
			switch {
			case r > '~':
				return units(string(r), `\u%04x`)
			case strings.ContainsRune(`/"\`, r):
				return `\` + string(r)
			case r < ' ':
				return fmt.Sprintf(`\u%04x`, r)
			}
			return string(r)
		})
	}},
	{"JSON, all escaped", func(s string) string { return units(s, `\u%04X`) }},
	{"repr of Python", func(s string) string {
		return each(s, func(r rune) string {
			switch {
			case r > 0xFF:
				return units(string(r), `\u%04x`)
			case r < ' ' || r > '~':
				return fmt.Sprintf(`\x%02x`, r)
			case r == '\'' || r == '\\':
				return `\` + string(r)
			}
			return string(r)
		})
	}},
	{"C", func(s string) string { return bytewise(s, `\%03o`) }},
	{"Ruby", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) }) }},
	{"a form", url.QueryEscape},
	{"a path", url.PathEscape},
	{"percent, all of it", func(s string) string { return bytewise(s, "%%%02x") }},
	{"escape of JavaScript", func(s string) string {
		return each(s, func(r rune) string {
			switch {
			case r > 0xFF:
				return units(string(r), "%%u%04X")
			case r < '0' || r > '~':
				return fmt.Sprintf("%%%02X", r)
			}
			return string(r)
		})
	}},
	{"HTML", html.EscapeString},
	{"HTML of PHP", func(s string) string {
		return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#039;", "<", "&lt;", ">", "&gt;").Replace(s)
	}},
	{"entities, decimal", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#%d;", r) }) }},
	{"entities, hexadecimal", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#x%X;", r) }) }},
	{"SQL", func(s string) string { return strings.ReplaceAll(s, "'", "''") }},
	{"CSV", func(s string) string { return strings.ReplaceAll(s, `"`, `""`) }},
}

// echoes returns the texts that errors bring when a platform says text, as an answer that cannot be read, as the
// message of a refusal, and in a sign-in, with secret as the password and the session.
func echoes(t *testing.T, text, secret string) (shown []string, all error) {
	t.Helper()
	message, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{text, `{"code":400,"message":` + string(message) + `}`} {
		client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			return respond(r, http.StatusOK, body), nil
		})})
		_, one := client.WithSession(fixedSession(secret)).LikePost(t.Context(), 410)
		_, two := client.Login(t.Context(), platform.LoginParams{Email: "me@mail.example", Password: platform.Secret(secret)})
		_, three := client.WithSession(fixedSession("another session")).LikePost(t.Context(), 410) // the password was in no parameter of it
		all = errors.Join(all, one, two, three)
		for _, err := range []error{one, two, three} {
			if refused, ok := errors.AsType[*platform.Refused](err); ok {
				shown = append(shown, refused.Message)
			} else if unreadable, ok := errors.AsType[*platform.Unreadable](err); ok {
				shown = append(shown, string(unreadable.Head))
			} else if err != nil {
				shown = append(shown, err.Error())
			}
		}
	}
	return shown, all
}

// A secret with special signs is not printed, in whatever way the platform repeats it, nor in two of them at once.
func TestSecretsInDisguise(t *testing.T) {
	effort.Long(t)
	for _, secret := range []string{`pä"ß/w'ö\rd+&<%41>= end`, "кл\u00fcч/🔑 'n\"", oddSession} {
		for _, one := range disguises {
			for _, two := range disguises {
				text := "You sent: " + two.write(one.write(secret)) + ", and that was wrong"
				shown, err := echoes(t, text, secret)
				for _, s := range shown {
					if s != "" && s != "You sent: [redacted], and that was wrong" {
						t.Errorf("%s in %s: %q from %q", one.name, two.name, s, text)
					}
				}
				mustNotShow(t, err, secret, two.write(one.write(secret)))
			}
		}
	}
}

// So it is in capitals.
func TestSecretsInCapitals(t *testing.T) {
	const secret = "hunter-Two"
	for _, echo := range []string{strings.ToUpper(secret), strings.ToLower(secret), base64.StdEncoding.EncodeToString([]byte("ana:" + strings.ToUpper(secret)))} {
		shown, err := echoes(t, "You sent: "+echo+", and that was wrong", secret)
		for _, s := range shown {
			if s != "" && s != "You sent: [redacted], and that was wrong" {
				t.Errorf("%q", s)
			}
		}
		mustNotShow(t, err, echo)
	}
}

// So it is in Latin-1, in UTF-8 that was taken for it, and when the answer breaks off in the middle.
func TestSecretsInOtherBytes(t *testing.T) {
	const secret = "pässwörd/ü"
	mojibake := ""
	for i := range len(secret) {
		mojibake += string(rune(secret[i]))
	}
	for _, echo := range []string{
		latin(secret), url.QueryEscape(latin(secret)), bytewise(latin(secret), `\x%02x`), mojibake,
		"päss", url.QueryEscape("pässwö"), "p\\u00e4ssw\\u00f6rd\\/\\u00", "pässw&ouml",
	} {
		client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			return respond(r, http.StatusOK, "you sent "+echo), nil
		})}).WithSession(fixedSession(secret))
		_, err := client.LikePost(t.Context(), 410)
		if unreadable, ok := errors.AsType[*platform.Unreadable](err); !ok || string(unreadable.Head) != "you sent [redacted]" {
			t.Errorf("%q: %v", echo, err)
		}
	}
}

// Of the answer to a sign-in nothing is kept that cannot be read: it may hold new tokens.
func TestSignInsKeepNoHead(t *testing.T) {
	for body, looks := range map[string]platform.Looks{
		`{"code":200,"auth":{"jwt":"tok-3f9a77"`: platform.LooksCut, "<html>tok-3f9a77": platform.LooksPage, "tok-3f9a77": "",
		"Client sent an HTTP request to an HTTPS server.\n": platform.LooksTLS,
	} {
		client := answering(t, body)
		_, login := client.Login(t.Context(), platform.LoginParams{Email: "me@mail.example", Password: "hunter2&co"})
		_, oauth := client.OAuth(t.Context(), platform.OAuthParams{AccessToken: "ac-1", Type: "google"})
		_, renewed := client.RefreshAccessToken(t.Context(), "ref-1")
		for _, err := range []error{login, oauth, renewed} {
			mustNotShow(t, err, "tok-3f9a77", "Client sent")
			if unreadable, ok := errors.AsType[*platform.Unreadable](err); !ok || unreadable.Looks != looks || len(unreadable.Head) != 0 {
				t.Errorf("%q: %+v", body, err)
			}
		}
	}
}

// Tokens that a sign-in brought are known from then on, whatever call fails.
func TestErrorsShowNoTokenOfASignIn(t *testing.T) {
	answers := []string{
		`{"code":200,"auth":{"auth_token":"tok/3f9a","refresh_token":"ref/77c1"},"data":{"id":12}}`,
		`the old ones were tok%2F3f9a, ref\/77c1 and hunter2&amp;co`,
	}
	client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		body := answers[0]
		answers = answers[1:]
		return respond(r, http.StatusOK, body), nil
	})})
	if _, err := client.Login(t.Context(), platform.LoginParams{Email: "me@mail.example", Password: "hunter2&co"}); err != nil {
		t.Fatal(err)
	}
	_, err := client.WithSession(fixedSession("the next session")).Chats(t.Context())
	if unreadable, ok := errors.AsType[*platform.Unreadable](err); !ok || string(unreadable.Head) != "the old ones were [redacted], [redacted] and [redacted]" {
		t.Error(err)
	}
}

// No way of writing a secret, and no two of them, brings it past the scrubber; what is around it stays.
func FuzzScrub(f *testing.F) {
	for i := range disguises {
		f.Add(oddSession, "before ", " after", uint8(i), uint8(0))
		f.Add(`p%41\/"&+`, "%", "41;", uint8(i), uint8(len(disguises)-i))
		f.Add("кл\u00fcч", `\`, "u0041", uint8(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, secret, before, after string, one, two uint8) {
		secret, before, after = strings.ToValidUTF8(secret, ""), strings.ToValidUTF8(before, ""), strings.ToValidUTF8(after, "")
		if len(secret) < 4 || len(secret) > 60 || len(before) > 60 || strings.Contains("[redacted]", secret) ||
			strings.ContainsRune(secret, '\uFFFD') || strings.ContainsFunc(secret, unicode.IsControl) { // which HTML does not keep
			t.Skip("no secret that a platform gives out, or one that cannot be told from what takes its place")
		}
		first, second := disguises[int(one)%len(disguises)], disguises[int(two)%len(disguises)]
		written := second.write(first.write(secret))
		shown, _ := echoes(t, before+" "+written+" "+after, secret)
		for _, s := range shown {
			s = strings.ReplaceAll(s, "[redacted]", "\x00")
			if rest := before + after; strings.Contains(rest, secret) || len(written) >= 8 && strings.Contains(rest, written) {
				t.Skip("what stands around the secret has it, too")
			}
			if strings.Contains(s, secret) || strings.Contains(s, written) {
				t.Errorf("%s in %s: %q is in %q", first.name, second.name, written, s)
			}
		}
	})
}
