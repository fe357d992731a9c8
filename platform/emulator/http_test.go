package emulator_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/nectar-bot/nectar/platform/emulator"
)

// The conventions of the contract: GET with a query, POST with a form, session_id among the
// parameters, no JSON body, no Authorization header.
func TestConventions(t *testing.T) {
	t.Parallel()
	_, _, a := signedIn(t, Config{})
	session := "session_id=" + a.session
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, method, path, kind, body string
		code                           int
	}{
		{"read by GET", "GET", "get_chats?" + session, "", "", 204},
		{"read by POST", "POST", "get_chats", form, session, 204},
		{"POST with the session in the query", "POST", "get_chats?" + session, form, "", 401},
		{"GET with the session in a body", "GET", "get_chats", form, session, 401},
		{"no session", "GET", "get_chats", "", "", 401},
		{"empty session", "GET", "get_chats?session_id=", "", "", 401},
		{"unknown session", "GET", "get_chats?session_id=x", "", "", 401},
		{"unknown session on a public call", "GET", "search_people?query=a&session_id=x", "", "", 401},
		{"no session on a public call", "GET", "search_people?query=nectar", "", "", 200},
		{"write by GET", "GET", "logout?" + session, "", "", 400},
		{"write by PUT", "PUT", "logout", form, session, 400},
		{"JSON body", "POST", "get_chats", "application/json", `{"session_id":"x"}`, 400},
		{"broken form", "POST", "get_chats", form, "session_id=%zz", 400},
		{"doubled slash", "GET", "/get_chats?" + session, "", "", 204},
	} {
		r := a.request(c.method, c.path, c.kind, strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer "+a.session)
		if got := a.do(r); got.Code != c.code || got.Status != http.StatusOK {
			t.Errorf("%s: code %d, HTTP %d, want code %d, HTTP 200: %s", c.name, got.Code, got.Status, c.code, got.Body)
		}
	}
}

func TestUnknownPathsAreAPage(t *testing.T) {
	t.Parallel()
	_, _, a := world(t, Config{})
	root := strings.TrimSuffix(a.base, "/mobile_api")
	for _, base := range []string{root, root + "/mobile_api/v2", root + "/other"} {
		a.base = base
		got := a.get("login")
		if got.Status != http.StatusNotFound || !strings.HasPrefix(got.Body, "<!DOCTYPE html>") {
			t.Errorf("%s: HTTP %d %s", base, got.Status, got.Body)
		}
	}
	a.base = root + "/mobile_api"
	if got := a.get("no_such_call"); got.Status != http.StatusNotFound {
		t.Errorf("no_such_call: HTTP %d", got.Status)
	}
}

func TestServeListensOnLoopback(t *testing.T) {
	t.Parallel()
	p := New(Config{})
	p.AddAccount(Person{Username: "nectar"}, email, password)
	s, err := Serve(t.Context(), "127.0.0.1:0", p)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	a := &api{t: t, http: &http.Client{Transport: tr}, base: s.BaseURL()}
	a.signIn()
	a.get("get_chats").want(t, 204)
	if _, err := Serve(t.Context(), strings.TrimPrefix(strings.TrimSuffix(s.BaseURL(), "/mobile_api"), "http://"), p); err == nil {
		t.Error("two servers on one address")
	}
	tr.CloseIdleConnections()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := a.get("get_chats"); got.Err == nil {
		t.Errorf("a closed server answered: %s", got.Body)
	}
}

func TestPipeClosesUnderACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(Config{Faults: Faults{Delay: time.Hour}})
		p.Disturb("login", Slow)
		pipe := NewPipe(p)
		a := &api{t: t, http: &http.Client{Transport: pipe.Transport()}, base: pipe.BaseURL()}
		cut := make(chan error)
		start := time.Now()
		go func() { cut <- a.post("login").Err }()
		synctest.Wait()
		if err := pipe.Close(); err != nil {
			t.Error(err)
		}
		if err := <-cut; err == nil || time.Since(start) != 0 {
			t.Errorf("the call ended after %v with %v", time.Since(start), err)
		}
		if err := a.post("login").Err; err == nil {
			t.Error("a closed pipe carries calls")
		}
	})
}
