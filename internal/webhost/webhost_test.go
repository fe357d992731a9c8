package webhost_test

import (
	"testing"

	"github.com/nectar-bot/nectar/internal/webhost"
)

func TestPlatformOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://social.example/thread/5":       "social.example",
		"https://WWW.Social.Example/thread/5":   "social.example",
		"https://m.social.example:8443/a":       "social.example",
		"https://ok.ru/thread/5":                "ok.ru",
		"https://m.ok.ru/thread/5":              "ok.ru",
		"https://www.cafe.co.uk/thread/5":       "cafe.co.uk",
		"https://other.co.uk/thread/5":          "other.co.uk",
		"http://emulator.localhost/thread/5":    "",
		"http://localhost:8080/mobile_api":      "",
		"http://10.0.0.7/thread/5":              "",
		"http://[::1]/thread/5":                 "",
		"https://co.uk/":                        "co.uk",
		"nothing":                               "",
		"%zz":                                   "",
		"https://social.example.:443/thread/5x": "social.example",
	} {
		if got := webhost.PlatformOf(address); got != want {
			t.Errorf("%s is on %q, want %q", address, got, want)
		}
	}
}
