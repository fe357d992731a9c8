package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/platform"
)

func TestLogKeepsSecrets(t *testing.T) {
	attrs := map[string]slog.Attr{
		"session_id":      slog.String("session_id", hunter2),
		"another case":    slog.String(strings.ToUpper("session-id"), hunter2),
		"password":        slog.Any("password", []byte(hunter2)),
		"refresh_token":   slog.String("refresh_token", hunter2),
		"auth_token":      slog.String("auth_token", hunter2),
		"token":           slog.String("token", hunter2),
		"typed":           slog.Any("login", platform.Secret(hunter2)),
		"in a group":      slog.Group("call", slog.String("token", hunter2)),
		"a secret group":  slog.Group("token", slog.String("value", hunter2)),
		"in an address":   slog.String("url", "https://social.example/profile?session_id="+hunter2+"&id=1"),
		"in a URL":        slog.Any("url", &url.URL{Host: "social.example", RawQuery: "id=1&session_id=" + hunter2}),
		"in an error":     slog.Any("error", errors.New(`answer {"auth_token": "`+hunter2+`"}`)),
		"in a form":       slog.Any("form", url.Values{"password": {hunter2}}),
		"in a struct":     slog.Any("login", struct{ Email, Password string }{"bot@social.example", hunter2}),
		"in a map":        slog.Any("answer", map[string]string{"refresh_token": hunter2}),
		"JSON in JSON":    slog.String("error", `answer "{\"auth_token\": \"`+hunter2+`\"}"`),
		"JSON, deeper":    slog.String("error", `{\\\"session_id\\\":\\\"`+hunter2+`\\\"}`),
		"JSON, escaped":   slog.String("error", `{\u0022refresh_token\u0022:\u0022`+hunter2+`\u0022}`),
		"JSON in HTML":    slog.String("error", `{&quot;password&quot;: &quot;`+hunter2+`&quot;}`),
		"HTML of PHP":     slog.String("error", `{&#34;password&#34;:&#34;`+hunter2+`&#34;}`),
		"single quotes":   slog.String("error", `{'password': '`+hunter2+`'}`),
		"a form in a URL": slog.String("url", "https://other.example/?back=%2Fprofile%3Fsession_id%3D"+hunter2+"%26id%3D1"),
		"JSON in a URL":   slog.String("url", "https://other.example/?q=%7B%22session_id%22%3A%22"+hunter2+"%22%7D"),
		"odd signs":       slog.String("url", "https://social.example/?session_id=a%2Fb'c\\d"+hunter2+"&id=1"),
		"in the settings": slog.String("env", "NECTAR_PASSWORD="+hunter2),
	}
	for name, attr := range attrs {
		for _, format := range []string{"text", "json"} {
			t.Run(name+" as "+format, func(t *testing.T) {
				var out bytes.Buffer
				log := config.Config{LogFormat: format}.Logger(&out, slog.LevelInfo)
				log.With(attr).WithGroup("more").Info("signing in", attr)
				if strings.Contains(out.String(), hunter2) {
					t.Errorf("logged %s", &out)
				}
				if !strings.Contains(out.String(), "[redacted]") {
					t.Errorf("nothing is marked as taken out of %s", &out)
				}
			})
		}
	}
}

func TestLogKeepsTheRest(t *testing.T) {
	var out bytes.Buffer
	log := config.Config{LogFormat: "text", LogLevel: slog.LevelWarn}.Logger(&out, slog.LevelWarn)
	log.Info("too quiet")
	log.Warn("sent", "peer", 7, "text", "tokens: 5", "error", errors.New("no password given"))
	_, rest, _ := strings.Cut(out.String(), " ")
	if want := `level=WARN msg=sent peer=7 text="tokens: 5" error="no password given"` + "\n"; rest != want {
		t.Errorf("logged %s", &out)
	}
}

func TestLogMessageIsScrubbedToo(t *testing.T) {
	var out bytes.Buffer
	config.Config{LogFormat: "json"}.Logger(&out, slog.LevelInfo).Info("POST /login password=" + hunter2)
	if strings.Contains(out.String(), hunter2) {
		t.Errorf("logged %s", &out)
	}
}

// What people and platforms write reaches into no terminal on which the log is read, and is whole in it.
func TestLogIsFitForEyes(t *testing.T) {
	const hostile = "A\x1b[2J\u009b31m\u202eb\x7fc\u2029\U000e0041 é"
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		config.Config{LogFormat: format}.Logger(&out, slog.LevelInfo).With("k "+hostile, hostile).Info(hostile, "name", hostile)
		for _, r := range out.String() {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zp) {
				t.Errorf("%s passes on %U: %q", format, r, &out)
			}
		}
		var line map[string]any
		if format == "json" && (json.Unmarshal(out.Bytes(), &line) != nil || line["name"] != hostile || line["k "+hostile] != hostile) {
			t.Errorf("%q", &out)
		}
	}
}
