package emulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// api is a plain HTTP client of one account: it knows how to ask, and nothing of what answers mean.
type api struct {
	t       testing.TB
	http    *http.Client
	base    string
	session string
	refresh string
}

// answer is what came back.
type answer struct {
	Status  int
	Header  http.Header
	Body    string
	Err     error // of the transport
	Code    int
	Message string
	Data    any
	Auth    map[string]any
	All     map[string]any
}

// email and password are those of the account that world adds.
const (
	email    = "bot@example.test"
	password = "correct horse"
)

// world is a platform with one account, reached through a pipe.
func world(tb testing.TB, cfg Config) (*Platform, platform.UserID, *api) {
	tb.Helper()
	p := New(cfg)
	account := p.AddAccount(Person{Username: "nectar", FirstName: "Nectar", LastName: "Bot"}, email, password)
	return p, account, connect(tb, p)
}

// connect returns a client without a session.
func connect(tb testing.TB, p *Platform) *api {
	tb.Helper()
	pipe := NewPipe(p)
	tb.Cleanup(func() {
		if err := pipe.Close(); err != nil {
			tb.Errorf("close the pipe: %v", err)
		}
	})
	return &api{t: tb, http: &http.Client{Transport: pipe.Transport()}, base: pipe.BaseURL()}
}

// signIn signs the client in as the account of world.
func (a *api) signIn() {
	a.t.Helper()
	got := a.post("login", "email", email, "password", password)
	if got.Code != 200 {
		a.t.Fatalf("login: code %d in %s", got.Code, got.Body)
	}
	a.session, _ = got.Auth["auth_token"].(string)
	a.refresh, _ = got.Auth["refresh_token"].(string)
}

// signedIn is world with a session.
func signedIn(tb testing.TB, cfg Config) (*Platform, platform.UserID, *api) {
	tb.Helper()
	p, account, a := world(tb, cfg)
	a.signIn()
	return p, account, a
}

func (a *api) get(name string, pairs ...string) answer {
	a.t.Helper()
	return a.do(a.request(http.MethodGet, name+"?"+a.values(pairs).Encode(), "", nil))
}

func (a *api) post(name string, pairs ...string) answer {
	a.t.Helper()
	body := strings.NewReader(a.values(pairs).Encode())
	return a.do(a.request(http.MethodPost, name, "application/x-www-form-urlencoded", body))
}

func (a *api) values(pairs []string) url.Values {
	v := url.Values{}
	if a.session != "" {
		v.Set("session_id", a.session)
	}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func (a *api) request(method, path, contentType string, body io.Reader) *http.Request {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.base+"/"+path, body)
	if err != nil {
		a.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

func (a *api) do(r *http.Request) answer {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Minute) // longer than any fault but the one without an end
	defer cancel()
	res, err := a.http.Do(r.WithContext(ctx))
	if err != nil {
		return answer{Err: err}
	}
	defer func() { _ = res.Body.Close() }() // all of it was read, or will never be
	// Nothing of net/http ends the reading of a connection that was handed over.
	if res.StatusCode == http.StatusSwitchingProtocols {
		return answer{Status: res.StatusCode, Header: res.Header}
	}
	raw, err := io.ReadAll(res.Body)
	got := answer{Status: res.StatusCode, Header: res.Header, Body: string(raw), Err: err}
	if json.Unmarshal(raw, &got.All) == nil {
		got.Code, _ = strconv.Atoi(fmt.Sprint(got.All["code"]))
		got.Message, _ = got.All["message"].(string)
		got.Data = got.All["data"]
		got.Auth, _ = got.All["auth"].(map[string]any)
	}
	return got
}

// at returns the value under a path of keys and positions: at(data, 0, "id").
func at(v any, path ...any) any {
	for _, step := range path {
		switch k := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[k]
		case int:
			l, _ := v.([]any)
			if k >= len(l) {
				return nil
			}
			v = l[k]
		}
	}
	return v
}

// column returns one member of each row of a list.
func column(rows any, key string) []any {
	list, _ := rows.([]any)
	out := make([]any, len(list))
	for i, row := range list {
		out[i] = at(row, key)
	}
	return out
}

// text turns an id into a parameter.
func text[N ~int64 | ~int](id N) string { return strconv.FormatInt(int64(id), 10) }

// num turns an id into what encoding/json makes of it.
func num[N ~int64 | ~int](id N) any { return float64(id) }

// want fails unless the answer has that code.
func (g answer) want(tb testing.TB, code int) answer {
	tb.Helper()
	if g.Err != nil {
		tb.Fatalf("want code %d, got %v", code, g.Err)
	}
	if g.Code != code {
		tb.Fatalf("want code %d, got %d in %s", code, g.Code, g.Body)
	}
	return g
}
