package config

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Account is one sign-in and how it behaves. Its variables stand for the only account; with
// NECTAR_ACCOUNTS they are what accounts of the file start from.
type Account struct {
	Name event.Account `env:"-"` // "main" for the account that the variables describe

	BaseURL        string          `env:"BASE_URL" want:"an address" example:"https://social.example/mobile_api"`
	Email          string          `env:"EMAIL" want:"an e-mail address" example:"bot@social.example"`
	Password       platform.Secret `env:"PASSWORD" want:"one line of text" example:"'correct horse'"`
	OAuthType      string          `env:"OAUTH_TYPE" want:"the name of a sign-in provider in lower-case letters" example:"google"`
	OAuthToken     platform.Secret `env:"OAUTH_TOKEN" want:"one line of text" example:"'token of the provider'"`
	DeviceType     string          `env:"DEVICE_TYPE" envDefault:"android" want:"android or ios" example:"android"`
	AllowPlainHTTP bool            `env:"ALLOW_PLAIN_HTTP" envDefault:"false" want:"true or false" example:"true"`
	PollInterval   time.Duration   `env:"POLL_INTERVAL" envDefault:"5s" want:"a duration from 50ms to 1h" example:"5s"`
	Backlog        string          `env:"BACKLOG" envDefault:"skip" want:"skip or unread" example:"skip"`
	Pace           float64         `env:"PACE" as:"pace" preset:"1/s" want:"a pace" example:"20/s"` // sends a second; +Inf is unlimited
	Concurrency    int             `env:"CONCURRENCY" envDefault:"2" want:"a whole number from 1 to 256" example:"2"`
	Rules          string          `env:"RULES" envDefault:"rules" want:"a file or folder" example:"rules"`
	State          string          `env:"STATE" envDefault:"on" want:"on or paused" example:"paused"`
}

var (
	providerName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	emailAddress = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
)

// check refuses values that are wrong on their own, whether or not a is complete.
func (a Account) check(f *form) {
	if a.BaseURL != "" {
		f.refuseKey("BASE_URL", baseURLProblem(a.BaseURL))
		if strings.HasPrefix(a.BaseURL, "http://") && !a.AllowPlainHTTP && !loopback(a.BaseURL) {
			f.refuseKey("BASE_URL", "would send the password unencrypted; use https, or set "+f.name("ALLOW_PLAIN_HTTP")+" to true")
		}
	}
	f.requireKey("EMAIL", a.Email == "" || emailAddress.MatchString(a.Email))
	f.requireKey("PASSWORD", isLine(a.Password))
	f.requireKey("OAUTH_TYPE", a.OAuthType == "" || providerName.MatchString(a.OAuthType))
	f.requireKey("OAUTH_TOKEN", isLine(a.OAuthToken))
	f.requireKey("DEVICE_TYPE", slices.Contains([]string{"android", "ios"}, a.DeviceType))
	f.requireKey("POLL_INTERVAL", a.PollInterval >= 50*time.Millisecond && a.PollInterval <= time.Hour)
	f.requireKey("BACKLOG", slices.Contains([]string{"skip", "unread"}, a.Backlog))
	f.requireKey("CONCURRENCY", a.Concurrency >= 1 && a.Concurrency <= 256)
	// Whether it exists is for those who read it to tell: a bot goes on with what was in force.
	f.requireKey("RULES", isPlace(a.Rules))
	f.refuseKey("RULES", setProblem(a.Rules))
	f.requireKey("STATE", slices.Contains([]string{StateOn, StatePaused}, a.State))
}

// isLine reports whether a secret is one line in which something stands, or nothing at all.
func isLine(secret platform.Secret) bool {
	text := secret.Reveal()
	return text == "" || strings.TrimSpace(text) != "" && !strings.ContainsAny(text, "\r\n")
}

const (
	// StateOn is the state of an account that is taken up.
	StateOn = "on"
	// StatePaused is that of one which rests.
	StatePaused = "paused"
	// StateParked is that of one in the database that is given up for now, with a reason.
	StateParked = "parked"

	presetRules = "rules"
)

// Paused reports whether the account is not taken up.
func (a *Account) Paused() bool { return a.State != StateOn }

// isPlace reports whether text may name a file or folder: an address of the web does not.
func isPlace(text string) bool { return !strings.Contains(text, "://") }

// checkSignIn refuses what keeps a from signing in: an address and one of the two ways are needed.
func (a Account) checkSignIn(f *form) {
	const missing = "is missing"
	if a.BaseURL == "" {
		f.refuseKey("BASE_URL", missing)
	}
	social := a.OAuthType != "" || a.OAuthToken != ""
	switch {
	case social && (a.Email != "" || a.Password != ""):
		f.refuseKey("OAUTH_TOKEN", "stands beside an e-mail address or a password; keep one way to sign in")
	case social:
		if a.OAuthType == "" {
			f.refuseKey("OAUTH_TYPE", missing)
		}
		if a.OAuthToken == "" {
			f.refuseKey("OAUTH_TOKEN", missing)
		}
	default:
		if a.Email == "" {
			f.refuseKey("EMAIL", missing)
		}
		if a.Password == "" {
			f.refuseKey("PASSWORD", missing)
		}
	}
}

// baseURLProblem says why text cannot be the base address of a platform; "" when it can.
func baseURLProblem(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return "is not an address that begins with https://"
	case u.User != nil:
		return "has a user name or password in it; they have variables of their own"
	case u.RawQuery != "" || u.Fragment != "":
		return `ends in "?" or "#" and more; cut it there`
	case !isHost(u):
		return "has a host or a port that there cannot be"
	case strings.Trim(u.Path, "/") == "":
		return "has no path; it ends with the part that names the mobile API"
	}
	return ""
}

// loopback reports whether the address stays on this machine.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return net.ParseIP(host).IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
