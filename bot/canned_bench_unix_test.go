//go:build unix

package bot_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// canned is a platform without a network that gives each of its accounts, "account00000" and so on, the answers that one account with
// some chats got once: what is measured beside it is ours.
type canned struct {
	of map[string][]byte // by question

	mu        sync.Mutex
	questions int
	asked     map[string]int // by account: how often its chat list was read
	all       chan struct{}  // closed when wanted accounts have read it
	left      int
}

// newCanned lets an account with so many chats be polled, and keeps what it is told.
func newCanned(b *testing.B, chats int) *canned {
	b.Helper()
	p := emulator.New(emulator.Config{})
	pipe := emulator.NewPipe(p)
	defer func() { _ = pipe.Close() }()
	model := p.AddAccount(emulator.Person{Username: "model"}, "model@b.example", "p")
	for i := range chats {
		p.Say(p.AddPerson(emulator.Person{Username: fmt.Sprint("person", i)}), model, "hello there, when do you open tomorrow?")
	}
	st, err := store.Open(b.Context(), store.Options{Path: b.TempDir() + "/model.db", Fast: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	a := &canned{of: map[string][]byte{}}
	ctx, stop := context.WithCancel(b.Context())
	heard := &hears{canned: a, by: pipe.Transport(), enough: stop}
	x, err := bot.New(bot.Config{
		Accounts: []bot.Account{{Name: "model", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "model@b.example", Password: "p"}}},
		Store:    st, Router: &bot.Router{}, Transport: heard, PollInterval: 10 * time.Millisecond,
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := x.Run(ctx); err != nil {
		b.Fatal(err)
	}
	for name, body := range a.of { // nobody has written for long, and all was seen
		body = bytes.ReplaceAll(body, []byte(`"just now"`), []byte(`"3 days ago"`))
		a.of[name] = bytes.ReplaceAll(body, []byte(`"new_messages":1`), []byte(`"new_messages":0`))
	}
	return a
}

// hears keeps what a platform answers.
type hears struct {
	*canned
	by     http.RoundTripper
	enough func()
	lists  int
}

// RoundTrip asks the platform.
func (h *hears) RoundTrip(req *http.Request) (*http.Response, error) {
	name, _ := question(req)
	res, err := h.by.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.of[name]; !ok && res.StatusCode == http.StatusOK {
		h.of[name] = body
	}
	if strings.HasPrefix(name, "/get_chats") {
		if h.lists++; h.lists == 4 {
			h.enough()
		}
	}
	return res, nil
}

// question names what is asked, without who asks, and returns the session that does.
func question(req *http.Request) (name, session string) {
	values := req.URL.Query()
	if req.GetBody != nil {
		body, _ := req.GetBody()
		text, _ := io.ReadAll(body)
		form, _ := url.ParseQuery(string(text))
		maps.Copy(values, form)
	}
	session = values.Get("session_id")
	values.Del("session_id")
	path := req.URL.Path[strings.LastIndexByte(req.URL.Path, '/'):]
	if path == "/login" {
		return path, values.Get("username") + values.Get("email")
	}
	return path + "?" + values.Encode(), session
}

// RoundTrip answers.
func (a *canned) RoundTrip(req *http.Request) (*http.Response, error) {
	name, who := question(req)
	body, ok := a.of[name]
	switch {
	case name == "/login":
		user, _, _ := strings.Cut(who, "@")
		body = fmt.Appendf(nil, `{"code":200,"data":{"id":%s,"user_name":%q},"auth":{"auth_token":%q,"refresh_token":"r","auth_token_expiry":4102444800}}`,
			"9"+strings.TrimPrefix(user, "account"), user, user)
	case !ok:
		body = []byte(`{"code":204,"message":"none"}`)
	}
	a.note(who, strings.HasPrefix(name, "/get_chats"))
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: req, Header: http.Header{}, ContentLength: int64(len(body)),
	}, nil
}

func (a *canned) note(who string, list bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.questions++; !list {
		return
	}
	if a.asked[who]++; a.asked[who] == 1 && a.all != nil {
		if a.left--; a.left == 0 {
			close(a.all)
		}
	}
}

// await returns what is closed when so many accounts have read their chat lists anew.
func (a *canned) await(accounts int) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked, a.left, a.all = map[string]int{}, accounts, make(chan struct{})
	return a.all
}

// quarter is so many accounts, by shard.
func quarter(accounts int) map[int][]bot.Account {
	of := map[int][]bot.Account{}
	for i := range accounts {
		name := event.Account(fmt.Sprintf("account%05d", i))
		of[name.Shard()] = append(of[name.Shard()], bot.Account{
			Name: name, BaseURL: "https://social.example/api", Credentials: session.Credentials{Email: string(name) + "@b.example", Password: "p"},
		})
	}
	return of
}

// total is how often anything was asked.
func (a *canned) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.questions
}
