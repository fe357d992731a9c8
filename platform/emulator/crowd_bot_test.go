package emulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// honest is a bot that reads the ledger, which no real one can, and acts through the API.
type honest struct {
	p       *Platform
	account platform.UserID
	session string
	work    time.Duration // before each deed
	replies func(said Entry) []string
	greeted map[string]bool
}

// newHonest adds an account to p and signs it in.
func newHonest(t *testing.T, p *Platform) *honest {
	t.Helper()
	b := &honest{p: p, replies: echo, greeted: map[string]bool{}}
	b.account = p.AddAccount(Person{Username: "bot"}, "bot@example.org", "secret")
	answer, err := b.call(t.Context(), "login", url.Values{"email": {"bot@example.org"}, "password": {"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	b.session = answer.Auth.Token
	return b
}

// expect is what the bot does.
func (b *honest) expect() Expect {
	e := everything
	e.Account, e.Replies, e.RepostMentions = b.account, b.replies, false
	return e
}

// run works until ctx ends.
func (b *honest) run(ctx context.Context) error {
	var seq int64
	for b.p.Ledger().Wait(ctx, seq) == nil {
		for _, e := range b.p.Ledger().Since(seq) {
			seq = e.Seq
			if e.To != b.account {
				continue
			}
			if err := b.handle(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *honest) handle(ctx context.Context, e Entry) error {
	switch e.Kind {
	case Said:
		for _, text := range b.replies(e) {
			if err := b.write(ctx, e.From, text); err != nil {
				return err
			}
		}
	case Mentioned, Replied:
		_, err := b.call(ctx, "like_post", url.Values{"post_id": {fmt.Sprint(e.Post)}})
		return err
	case Reposted:
		return b.once(ctx, e, "thank you")
	case Followed:
		if !b.p.Following(b.account, e.From) && !b.p.Requested(b.account, e.From) {
			if _, err := b.call(ctx, "follow", url.Values{"user_id": {fmt.Sprint(e.From)}}); err != nil {
				return err
			}
		}
		return b.once(ctx, e, "welcome")
	default:
	}
	return nil
}

func (b *honest) once(ctx context.Context, e Entry, text string) error {
	key := fmt.Sprint(e.Kind, e.From, e.Post)
	if b.greeted[key] {
		return nil
	}
	b.greeted[key] = true
	return b.write(ctx, e.From, text)
}

func (b *honest) write(ctx context.Context, to platform.UserID, text string) error {
	_, err := b.call(ctx, "send_message", url.Values{
		"user_id": {fmt.Sprint(to)}, "type": {"text"}, "message": {text},
	})
	return err
}

type answered struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Auth    struct {
		Token string `json:"auth_token"`
	} `json:"auth"`
}

func (b *honest) call(ctx context.Context, endpoint string, form url.Values) (answered, error) {
	if b.work > 0 {
		select {
		case <-time.After(b.work):
		case <-ctx.Done():
			return answered{}, nil
		}
	}
	form.Set("session_id", b.session)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mobile_api/"+endpoint, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	b.p.ServeHTTP(w, r)
	var out answered
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		return out, fmt.Errorf("%s answered %q: %w", endpoint, w.Body, err)
	}
	if out.Code != http.StatusOK && out.Code != http.StatusCreated {
		return out, fmt.Errorf("%s refused: %d %s", endpoint, out.Code, out.Message)
	}
	return out, nil
}

// alongside runs the bot while act runs.
func (b *honest) alongside(t *testing.T, act func(ctx context.Context)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.run(ctx) }()
	act(ctx)
	stop()
	if err := <-done; err != nil {
		t.Errorf("the bot stopped: %v", err)
	}
}
