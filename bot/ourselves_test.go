package bot

import "testing"

// However an address is written, it is the same platform.
func TestHomeOfAPlatform(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://social.example/mobile_api":          "https://social.example:443/mobile_api",
		"https://social.example/mobile_api/":         "https://social.example:443/mobile_api",
		" HTTPS://Social.Example:443//mobile_api// ": "https://social.example:443/mobile_api",
		"https://social.example/Mobile_API":          "https://social.example:443/Mobile_API",
		"https://social.example:8443/mobile_api":     "https://social.example:8443/mobile_api",
		"http://LOCALHOST/mobile_api":                "http://localhost:80/mobile_api",
		"http://[::1]:8080/api/":                     "http://[::1]:8080/api",
	} {
		if got := canonicalBase(base); got != want {
			t.Errorf("%q is at %q, want %q", base, got, want)
		}
	}
}
