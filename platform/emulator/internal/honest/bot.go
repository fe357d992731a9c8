// Package honest is a bot for the tests of what stands around the emulator: it reads the ledger, which no real one
// can, and acts through the API.
package honest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// Bot answers messages, likes what names its account, and thanks and welcomes people once each.
type Bot struct {
	Platform *emulator.Platform
	Account  platform.UserID
	Work     time.Duration                      // before each deed
	Replies  func(said emulator.Entry) []string // an echo, at first

	session string
	greeted map[string]bool
}

// tester is the part of *testing.T that a Bot needs.
type tester interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// Echo is what a Bot answers to a message.
func Echo(said emulator.Entry) []string { return []string{"echo: " + said.Text} }

// New adds an account to p and signs it in.
func New(t tester, p *emulator.Platform) *Bot {
	t.Helper()
	b := &Bot{Platform: p, Replies: Echo, greeted: map[string]bool{}}
	b.Account = p.AddAccount(emulator.Person{Username: "bot"}, "bot@example.org", "secret")
	answer, err := b.Call(t.Context(), "login", url.Values{"email": {"bot@example.org"}, "password": {"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	b.session = answer.Auth.Token
	return b
}

// Expect is what the bot does.
func (b *Bot) Expect() judge.Expect {
	return judge.Expect{
		Account: b.Account, Replies: b.Replies, LikeMentions: true, LikeReplies: true, FollowBack: true,
		ThankReposts:     func(emulator.Entry) (string, bool) { return "thank you", true },
		WelcomeFollowers: func(emulator.Entry) (string, bool) { return "welcome", true },
	}
}

// run works until ctx ends.
func (b *Bot) run(ctx context.Context) error {
	var seq int64
	for b.Platform.Ledger().Wait(ctx, seq) == nil {
		for _, e := range b.Platform.Ledger().Since(seq) {
			seq = e.Seq
			if e.To != b.Account {
				continue
			}
			if err := b.handle(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Bot) handle(ctx context.Context, e emulator.Entry) error {
	switch e.Kind {
	case emulator.Said:
		for _, text := range b.Replies(e) {
			if err := b.write(ctx, e.From, text); err != nil {
				return err
			}
		}
	case emulator.Mentioned, emulator.Replied:
		_, err := b.Call(ctx, "like_post", url.Values{"post_id": {fmt.Sprint(e.Post)}})
		return err
	case emulator.Reposted:
		return b.once(ctx, e, "thank you")
	case emulator.Followed:
		if !b.Platform.Following(b.Account, e.From) && !b.Platform.Requested(b.Account, e.From) {
			if _, err := b.Call(ctx, "follow", url.Values{"user_id": {fmt.Sprint(e.From)}}); err != nil {
				return err
			}
		}
		return b.once(ctx, e, "welcome")
	default:
	}
	return nil
}

func (b *Bot) once(ctx context.Context, e emulator.Entry, text string) error {
	key := fmt.Sprint(e.Kind, e.From, e.Post)
	if b.greeted[key] {
		return nil
	}
	b.greeted[key] = true
	return b.write(ctx, e.From, text)
}

func (b *Bot) write(ctx context.Context, to platform.UserID, text string) error {
	_, err := b.Call(ctx, "send_message", url.Values{
		"user_id": {fmt.Sprint(to)}, "type": {"text"}, "message": {text},
	})
	return err
}

// Answer is what the tests read of an answer.
type Answer struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Auth    struct {
		Token string `json:"auth_token"`
	} `json:"auth"`
}

// Call makes one call of the API with the session of the account.
func (b *Bot) Call(ctx context.Context, endpoint string, form url.Values) (Answer, error) {
	if b.Work > 0 {
		select {
		case <-time.After(b.Work):
		case <-ctx.Done():
			return Answer{}, nil
		}
	}
	form.Set("session_id", b.session)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mobile_api/"+endpoint, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	b.Platform.ServeHTTP(w, r)
	var out Answer
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		return out, fmt.Errorf("%s answered %q: %w", endpoint, w.Body, err)
	}
	if out.Code != http.StatusOK && out.Code != http.StatusCreated {
		return out, fmt.Errorf("%s refused: %d %s", endpoint, out.Code, out.Message)
	}
	return out, nil
}

// Alongside runs the bot while act runs.
func (b *Bot) Alongside(t tester, act func(ctx context.Context)) {
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
