package advice

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// hunter2 is the secret that must not get through.
const hunter2 = "hunter2"

// signInAt signs in at an address and returns the error.
func signInAt(t *testing.T, base, password string) error {
	t.Helper()
	transport := platform.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	client, err := platform.New(platform.Config{BaseURL: base, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	broker := session.New(session.Config{
		Account: "main", Client: client, Credentials: session.Credentials{Email: "bot@social.example", Password: platform.Secret(password)},
	})
	_, err = broker.SessionID(t.Context())
	return err
}

func TestAdvice(t *testing.T) {
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{}, "bot@social.example", hunter2)
	plain := httptest.NewServer(p)
	defer plain.Close()
	secured := httptest.NewUnstartedServer(p)
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	secured.StartTLS()
	defer secured.Close()
	gone := httptest.NewServer(p)
	gone.Close()
	text := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("pong")) }))
	defer text.Close()

	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Too Many Requests", http.StatusTooManyRequests)
	}))
	defer busy.Close()

	for name, c := range map[string]struct{ base, password, want string }{
		"too fast":          {busy.URL + "/mobile_api", hunter2, "asks for a pause"},
		"right":             {plain.URL + "/mobile_api", hunter2, ""},
		"wrong password":    {plain.URL + "/mobile_api", "x", "check the e-mail address and the password"},
		"wrong path":        {plain.URL + "/api", hunter2, "a web page answers"},
		"something else":    {text.URL + "/mobile_api", hunter2, "something else than the mobile API answers"},
		"nobody":            {gone.URL + "/mobile_api", hunter2, "nothing answers at that address"},
		"no such host":      {"https://no-such-host.invalid/mobile_api", hunter2, "there is no host of that name"},
		"wrong certificate": {secured.URL + "/mobile_api", hunter2, "no valid certificate"},
		"http for https":    {strings.Replace(secured.URL, "https:", "http:", 1) + "/mobile_api", hunter2, "begin the base address with https://"},
		"https for http":    {strings.Replace(plain.URL, "http:", "https:", 1) + "/mobile_api", hunter2, "does not speak https"},
	} {
		t.Run(name, func(t *testing.T) {
			err := signInAt(t, c.base, c.password)
			if (err == nil) != (c.want == "") {
				t.Fatalf("signed in: %v", err)
			}
			if got := AdviceOn(err); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("got %q on %v", got, err)
			}
		})
	}
}

func TestAdviceOnTrouble(t *testing.T) {
	for want, err := range map[string]error{
		"":                                   &platform.Refused{Code: 400, Message: "no such post"},
		"try again later, or set a slower":   &platform.Refused{Code: 429},
		"trouble of its own":                 &platform.Refused{Code: 500},
		"the platform has trouble":           &platform.Unreadable{HTTPStatus: 502, Head: []byte("<html>")},
		"no answer in time":                  &platform.Unreachable{Err: context.DeadlineExceeded},
		"check the base address and the net": &platform.Unreachable{Err: http.ErrBodyNotAllowed},
	} {
		if got := AdviceOn(err); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("got %q on %v", got, err)
		}
	}
}
