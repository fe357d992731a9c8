package session_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// What 10,000 accounts cost at rest.
func BenchmarkIdleBroker(b *testing.B) {
	client, err := platform.New(platform.Config{BaseURL: "https://social.example/mobile_api"})
	if err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	brokers := make([]*session.Broker, 0, b.N)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range b.N {
		brokers = append(brokers, session.New(session.Config{Account: "a", Client: client}))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "B/broker")
	runtime.KeepAlive(brokers)
}

func TestABrokerIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(session.Broker{}); size > 424 {
		t.Errorf("a broker takes %d bytes", size)
	}
}

func TestStatesAndErrorsShowNoSecret(t *testing.T) {
	until := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	refused := &platform.Refused{Endpoint: "login", Code: 402, Message: "Incorrect Credentials"}
	for want, err := range map[string]error{
		`account "shop": login: refused with code 402: Incorrect Credentials; next try at 2030-05-01T12:00:00Z; check the e-mail address and the password`:                                                                                         &session.PausedError{Account: "shop", Until: until, Refused: true, Err: refused},
		`account "shop" has no session and no credentials: set an e-mail address and a password, or a social sign-in, and start again`:                                                                                                             &session.ParkedError{Account: "shop"},
		`account "shop" is parked: its google sign-in cannot be renewed (login: refused with code 402: Incorrect Credentials): get a new token from google, set it as the OAuth token of this account, and start again; nothing is lost meanwhile`: &session.ParkedError{Account: "shop", Provider: "google", Err: refused},
	} {
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
	kept := session.Kept{Tokens: platform.Tokens{SessionID: "sid-1", RefreshToken: "ref-1"}}
	cfg := session.Config{Credentials: session.Credentials{Email: "e", Password: "pw-1", OAuthToken: "tok-1"}}
	shown := fmt.Sprintf("%v %+v %#v %v %+v", kept, kept, kept, cfg.Credentials, cfg.Credentials)
	for _, secret := range []string{"sid-1", "ref-1", "pw-1", "tok-1"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is shown: %s", secret, shown)
		}
	}
}

func TestPhasesHaveNames(t *testing.T) {
	var got []string
	for p := session.SignedOut; p <= session.Parked+1; p++ {
		got = append(got, p.String())
	}
	if d := cmp.Diff([]string{"signed out", "active", "renewing", "paused", "parked", "unknown"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
