package session_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

const cafe = "cafe@example.org"

// asCafe signs in as another account.
func asCafe(c *session.Config) { c.Email = cafe }

// renamed lets the account of one e-mail address sign in with another one.
func renamed(from, to string) hook {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		if form.Get("email") == to {
			form.Set("email", from)
		}
		text := form.Encode()
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		next.ServeHTTP(w, r)
	}
}

// unnamed leaves out of an answer who signed in.
func unnamed(w http.ResponseWriter, r *http.Request, next http.Handler) {
	whole, envelope := httptest.NewRecorder(), map[string]json.RawMessage{}
	next.ServeHTTP(whole, r)
	_ = json.Unmarshal(whole.Body.Bytes(), &envelope)
	envelope["data"] = json.RawMessage("{}")
	_ = json.NewEncoder(w).Encode(envelope)
}

// parked returns the error of an account whose credentials are another person's.
func (w *world) parked(err error) *session.ParkedError {
	w.Helper()
	w.printsNoSecret(err)
	parked, is := errors.AsType[*session.ParkedError](err)
	if !is {
		w.Errorf("got %v, want a ParkedError", err)
		return &session.ParkedError{}
	}
	return parked
}

// Somebody who puts another account's credentials under the same name gets no session: all that is kept is of the one before.
func TestAnotherPersonIsParked(t *testing.T) {
	for name, keeps := range map[string]func(*session.Kept){
		"as it is kept":                     func(*session.Kept) {},
		"signed out":                        func(k *session.Kept) { k.Tokens = platform.Tokens{} },
		"of nobody knows which credentials": func(k *session.Kept) { k.Tokens, k.Identity = platform.Tokens{}, "" },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{}, func(w *world) {
				w.must(w.broker())
				keeps(&w.keeper.kept)
				kept, saves := w.keeper.now()
				other := w.people.AddAccount(emulator.Person{Username: "cafe"}, cafe, password)
				b := w.broker(asCafe)
				_, _ = b.Restore(w.Context())
				p := w.parked(w.chats(b))
				if p.Known.ID != w.account || p.Known.Username != "shop" || p.Other.ID != other || p.Other.Username != "cafe" {
					w.Errorf("of %+v, and signed in as %+v", p.Known, p.Other)
				}
				w.phase(b, session.Parked)
				for range 5 {
					time.Sleep(time.Hour)
					_ = w.parked(w.chats(b))
				}
				w.expect(2, 0)
				if now, n := w.keeper.now(); now != kept || n != saves {
					w.Errorf("kept is %+v, after %d saves; want %+v", now, n-saves, kept)
				}
				w.must(w.broker()) // the credentials of before
			})
		})
	}
}

// Restore finds out whose credentials are, where they are others than those that were kept, and asks nobody otherwise.
func TestRestoreFindsOutWhoItIs(t *testing.T) {
	for name, c := range map[string]struct {
		set    func(*session.Config)
		before func(*world)
		logins int
		fails  bool
	}{
		"the same credentials": {set: func(*session.Config) {}, logins: 1},
		"another password":     {set: func(c *session.Config) { c.Password = "another" }, logins: 1},
		"another spelling":     {set: func(c *session.Config) { c.Email = strings.ToUpper(email) }, logins: 1},
		"another e-mail address of the same person": {
			set: func(c *session.Config) { c.Email = "new@example.org" }, logins: 2,
			before: func(w *world) { w.barrier.disturb("login", renamed(email, "new@example.org")) },
		},
		"a social sign-in of the same person": {set: bySocial, logins: 1},
		"of nobody knows which credentials":   {set: asCafe, logins: 1, before: func(w *world) { w.keeper.kept.Identity = "" }},
		"of nobody knows whom":                {set: asCafe, logins: 1, before: func(w *world) { w.keeper.kept.User = 0 }},
		"somebody else":                       {set: asCafe, logins: 2, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{}, func(w *world) {
				w.must(w.broker())
				w.people.AddAccount(emulator.Person{Username: "cafe"}, cafe, password)
				w.people.SetOAuth(w.account, "google", social)
				if c.before != nil {
					c.before(w)
				}
				want := w.keeper.kept.User
				b := w.broker(c.set)
				me, err := b.Restore(w.Context())
				if _, again := b.Restore(w.Context()); (err == nil) != (again == nil) {
					w.Errorf("the second time it is %v, after %v", again, err)
				}
				w.expect(c.logins, 0)
				switch {
				case c.fails:
					if w.parked(err).Other.Username != "cafe" || me != 0 || strings.Contains(w.logged.String(), `"ERROR"`) {
						w.Errorf("it is %v, %v\n%s", me, err, w.logged)
					}
				case name == "of nobody knows whom":
					if me != 0 || err != nil {
						w.Errorf("it is %v, %v", me, err)
					}
				case err != nil || me != want:
					w.Errorf("it is %v, %v; want %v", me, err, want)
				default:
					w.must(b)
				}
			})
		})
	}
}

// Who cannot be asked, or does not say who signed in, changes nothing: nobody is given up, and nobody acts for whom it may not be.
func TestWhoItIsCannotBeTold(t *testing.T) {
	for name, h := range map[string]hook{
		"an outage":             fail,
		"a hanging platform":    hang,
		"nobody":                unnamed,
		"an answer that is cut": lose,
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{}, func(w *world) {
				w.must(w.broker())
				kept, saves := w.keeper.now()
				w.barrier.disturb("login", func(rw http.ResponseWriter, r *http.Request, _ http.Handler) {
					h(rw, r, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { renamed(email, "new@example.org")(rw, r, w.people) }))
				})
				b := w.broker(func(c *session.Config) { c.Email = "new@example.org" })
				_, err := b.Restore(w.Context())
				if p := w.paused(err); name == "nobody" && !strings.Contains(p.Error(), "did not say who signed in") {
					w.Errorf("paused: %v", p)
				}
				if now, n := w.keeper.now(); now != kept || n != saves || b.State().User != 0 {
					w.Errorf("kept is %+v, after %d saves; want %+v", now, n-saves, kept)
				}
				w.barrier.disturb("login", renamed(email, "new@example.org"))
				time.Sleep(time.Hour)
				w.must(b)
				if now, _ := w.keeper.now(); now.User != w.account || now.Identity == kept.Identity {
					w.Errorf("kept is %+v", now)
				}
			})
		})
	}
}

// A renewal that takes a sign-in is the same person's, or none.
func TestARenewalOfAnotherPersonIsParked(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.people.AddAccount(emulator.Person{Username: "cafe"}, cafe, password)
		w.people.Revoke(w.account)
		time.Sleep(time.Hour)
		w.barrier.disturb("login", renamed(cafe, email)) // the platform has given the address to another account
		if p := w.parked(w.chats(b)); p.Other.Username != "cafe" {
			w.Errorf("parked: %v", p)
		}
		w.phase(b, session.Parked)
		if n := strings.Count(w.logged.String(), `"ERROR"`); n != 1 {
			w.Errorf("%d errors in the log, want one\n%s", n, w.logged)
		}
		w.barrier.disturb("login", nil)
		w.must(w.broker())
	})
}

// A platform that does not say who signs in, as once it did, is believed to sign in whom it always did.
func TestARenewalOfNobody(t *testing.T) {
	inWorld(t, emulator.Config{}, func(w *world) {
		b := w.broker()
		w.must(b)
		w.people.Revoke(w.account)
		time.Sleep(time.Hour)
		w.barrier.disturb("login", unnamed)
		w.must(b)
		if me, err := b.Me(w.Context()); err != nil || me != w.account {
			w.Errorf("it is %v, %v; want %v", me, err, w.account)
		}
	})
}
