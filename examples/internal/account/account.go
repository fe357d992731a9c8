// Package account is an account on a platform in memory, for tests of examples that run in processes of their own. No program holds it.
package account

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// Password is its password.
const Password = "correct horse"

// Account is an account on a platform, the one of a shop.
type Account struct {
	platform *emulator.Platform
	me       platform.UserID
	server   *httptest.Server
	lists    atomic.Int32
	polled   chan struct{} // closed when a bot has looked once
}

// New makes a platform, and a shop on it.
func New(t *testing.T) *Account {
	t.Helper()
	a := &Account{platform: emulator.New(emulator.Config{}), polled: make(chan struct{})}
	a.me = a.platform.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", Password)
	a.server = httptest.NewServer(a)
	t.Cleanup(a.server.Close)
	return a
}

// ServeHTTP is the platform.
func (a *Account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/get_chats") && a.lists.Add(1) == 2 {
		close(a.polled)
	}
	a.platform.ServeHTTP(w, r)
}

// Settings are those of a bot for it that need not be polite.
func (a *Account) Settings() []string {
	return []string{
		"NECTAR_BASE_URL=" + a.server.URL + "/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + Password,
		"NECTAR_POLL_INTERVAL=50ms", "NECTAR_PACE=unlimited",
	}
}

// Play plays a scene when a bot has looked once: what was there before that is skipped.
func (a *Account) Play(t *testing.T, steps ...script.Step) {
	t.Helper()
	select {
	case <-a.polled:
	case <-time.After(time.Minute):
		t.Fatal("nobody polls")
	}
	if err := script.Play(t.Context(), a.platform, script.Script{Account: a.me, Steps: steps}); err != nil {
		t.Error(err)
	}
}
