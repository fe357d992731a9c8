package emulator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

func TestLoginAnswersAsDocumented(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, account, a := world(t, Config{})
		got := a.post("login", "email", "BOT@example.test", "password", password, "device_type", "ios").want(t, 200)
		if got.Message != "User logged in successfully" {
			t.Errorf("message %q", got.Message)
		}
		if id := at(got.Data, "id"); id != num(account) {
			t.Errorf("data.id = %v, want %d", id, account)
		}
		if name := at(got.Data, "user_name"); name != "nectar" {
			t.Errorf("data.user_name = %v", name)
		}
		expiry := time.Now().Add(3650 * 24 * time.Hour).Unix()
		if got.Auth["auth_token_expiry"] != float64(expiry) {
			t.Errorf("auth_token_expiry = %v, want %d", got.Auth["auth_token_expiry"], expiry)
		}
		if got.Auth["auth_token"] == got.Auth["refresh_token"] || len(got.Auth["auth_token"].(string)) != 80 {
			t.Errorf("tokens %v", got.Auth)
		}
		if entries := p.Ledger().Since(0); len(entries) != 1 || entries[0].Kind != LoggedIn || p.Logins() != 1 {
			t.Errorf("%d logins, ledger %v", p.Logins(), entries)
		}
	})
}

func TestLoginRefuses(t *testing.T) {
	t.Parallel()
	p, _, a := world(t, Config{})
	person := p.AddPerson(Person{Username: "ana"})
	p.SetOAuth(person, "google", "G1")
	for _, c := range []struct {
		name, endpoint string
		pairs          []string
		code           int
	}{
		{"nothing sent", "login", nil, 402},
		{"wrong password", "login", []string{"email", email, "password", "guess"}, 402},
		{"unknown address", "login", []string{"email", "x@example.test", "password", password}, 402},
		{"no account", "login", []string{"email", "", "password", ""}, 402},
		{"odd device", "login", []string{"email", email, "password", password, "device_type", "toaster"}, 402},
		{"odd provider", "oauth", []string{"type", "myspace", "access_token", "G1"}, 400},
		{"wrong token", "oauth", []string{"type", "google", "access_token", "G2"}, 402},
		{"other provider", "oauth", []string{"type", "facebook", "access_token", "G1"}, 402},
	} {
		if got := a.post(c.endpoint, c.pairs...); got.Code != c.code {
			t.Errorf("%s: code %d, want %d", c.name, got.Code, c.code)
		}
	}
	if p.Logins() != 0 {
		t.Errorf("%d logins", p.Logins())
	}
	got := a.post("oauth", "type", "google", "access_token", "G1").want(t, 200)
	if at(got.Data, "id") != num(person) {
		t.Errorf("signed in as %v, want %d", at(got.Data, "id"), person)
	}
}

func TestRefreshRotatesTokens(t *testing.T) {
	t.Parallel()
	p, _, a := signedIn(t, Config{})
	session, refresh := a.session, a.refresh
	got := a.post("refresh_access_token", "refresh_token", refresh).want(t, 200)
	a.session, _ = at(got.Data, "auth_token").(string)
	a.refresh, _ = at(got.Data, "refresh_token").(string)
	if a.session == session || a.refresh == refresh || a.session == "" || a.refresh == "" {
		t.Fatalf("tokens did not change: %s", got.Body)
	}
	a.get("get_chats").want(t, 204)
	a.post("refresh_access_token", "refresh_token", refresh).want(t, 401)
	a.post("refresh_access_token", "refresh_token", a.refresh).want(t, 200)
	a.session = session
	a.get("get_chats").want(t, 401)
	if p.Refreshes() != 2 || p.Calls("refresh_access_token") != 3 {
		t.Errorf("%d refreshes in %d calls", p.Refreshes(), p.Calls("refresh_access_token"))
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	type state struct{ session, refresh int } // the codes that get_chats and refresh_access_token answer
	for name, c := range map[string]struct {
		end  func(*Platform, platform.UserID, *api)
		want state
	}{
		"not":            {func(*Platform, platform.UserID, *api) {}, state{204, 200}},
		"expired":        {func(p *Platform, id platform.UserID, _ *api) { p.Expire(id) }, state{401, 200}},
		"revoked":        {func(p *Platform, id platform.UserID, _ *api) { p.Revoke(id) }, state{401, 401}},
		"refresh gone":   {func(p *Platform, id platform.UserID, _ *api) { p.RevokeRefresh(id) }, state{204, 401}},
		"other password": {func(p *Platform, id platform.UserID, _ *api) { p.SetPassword(id, "new") }, state{204, 200}},
		"logged out":     {func(_ *Platform, _ platform.UserID, a *api) { a.post("logout") }, state{401, 401}},
		"time over":      {func(*Platform, platform.UserID, *api) { time.Sleep(time.Hour) }, state{401, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, account, a := signedIn(t, Config{SessionTTL: time.Hour})
				c.end(p, account, a)
				got := state{a.get("get_chats").Code, a.post("refresh_access_token", "refresh_token", a.refresh).Code}
				if got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			})
		})
	}
}

func TestSetPasswordChangesSignIn(t *testing.T) {
	t.Parallel()
	p, account, a := world(t, Config{})
	p.SetPassword(account, "new")
	a.post("login", "email", email, "password", password).want(t, 402)
	a.post("login", "email", email, "password", "new").want(t, 200)
}
