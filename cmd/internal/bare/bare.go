// Package bare is what the bot's speed is measured against: a client that makes the same calls, and keeps nothing.
// nectar demo --bare runs it.
package bare

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Config says where a bare client works, as whom, and how hard.
type Config struct {
	BaseURL     string
	Email       string
	Password    platform.Secret
	Concurrency int
	Pause       time.Duration // when nobody wrote
	Answer      func(string) string
}

// client is one without any framework that makes the same calls as the bot: it reads the chat
// list, the messages of the chats with something unread, and answers each. It forgets everything when
// it ends, and loses what goes wrong.
type client struct {
	http    *http.Client
	cfg     Config
	session string

	mu   sync.Mutex      // guards the field below
	last map[int64]int64 // by peer: the last message read
}

type envelope[T any] struct {
	Code int `json:"code"`
	Data T   `json:"data"`
	Auth struct {
		Token string `json:"auth_token"`
	} `json:"auth"`
}

type chat struct {
	User   int64           `json:"user_id"`
	Unread json.RawMessage `json:"new_messages"`
}

type message struct {
	ID    int64  `json:"id"`
	Owner bool   `json:"owner"`
	Text  string `json:"message"`
}

// Run runs the bare client until ctx ends.
func Run(ctx context.Context, cfg Config, ready func()) error {
	c := &client{
		http: &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * cfg.Concurrency}},
		cfg:  cfg, last: map[int64]int64{},
	}
	var in envelope[json.RawMessage]
	err := c.post(ctx, "/login", url.Values{"email": {cfg.Email}, "password": {cfg.Password.Reveal()}}, &in)
	if err != nil {
		return err
	}
	c.session = in.Auth.Token
	for ctx.Err() == nil {
		var chats envelope[[]chat]
		if err := c.get(ctx, "/get_chats", url.Values{}, &chats); err != nil && ctx.Err() == nil {
			return err
		}
		ready()
		if !c.answerAll(ctx, chats.Data) {
			Wait(ctx, cfg.Pause)
		}
	}
	return nil
}

// Wait waits for so long, or until ctx ends.
func Wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// answerAll answers the chats with something unread, many at a time.
func (c *client) answerAll(ctx context.Context, chats []chat) bool {
	var wg sync.WaitGroup
	slots := make(chan struct{}, c.cfg.Concurrency)
	any := false
	for _, with := range chats {
		if n := strings.Trim(string(with.Unread), `"`); n == "" || n == "0" {
			continue
		}
		any = true
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			_ = c.answer(ctx, with.User) // a bare client loses what goes wrong
		})
	}
	wg.Wait()
	return any
}

func (c *client) answer(ctx context.Context, peer int64) error {
	c.mu.Lock()
	last := max(c.last[peer], 1) // behind 0 the platform shows the newest page, and what is older would be left out
	c.mu.Unlock()
	for {
		var page envelope[[]message]
		query := url.Values{"user_id": {strconv.FormatInt(peer, 10)}, "offset_down": {strconv.FormatInt(last, 10)}, "page_size": {"50"}}
		if err := c.get(ctx, "/get_messages", query, &page); err != nil {
			return err
		}
		for _, m := range page.Data {
			last = max(last, m.ID)
			if m.Owner {
				continue
			}
			form := url.Values{"user_id": {strconv.FormatInt(peer, 10)}, "type": {"text"}, "message": {c.cfg.Answer(html.UnescapeString(m.Text))}}
			var sent envelope[message]
			if err := c.post(ctx, "/send_message", form, &sent); err != nil {
				return err
			}
		}
		c.mu.Lock()
		c.last[peer] = last
		c.mu.Unlock()
		if len(page.Data) < 50 {
			return nil
		}
	}
}

func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	query.Set("session_id", c.session)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.cfg.BaseURL+path+"?"+query.Encode(), nil)
	if err != nil {
		return fmt.Errorf("make the request for %s: %w", path, err)
	}
	return c.do(req, path, into)
}

func (c *client) post(ctx context.Context, path string, form url.Values, into any) error {
	if c.session != "" {
		form.Set("session_id", c.session)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.BaseURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("make the request for %s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.do(req, path, into)
}

func (c *client) do(req *http.Request, path string, into any) error {
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("call %s failed", path) // the error would show the session
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK { // also 101, behind which there is a connection that no deadline ends
		return fmt.Errorf("call %s: HTTP status %d", path, resp.StatusCode)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	if err := json.Unmarshal(body, into); err != nil && !strings.Contains(string(body), `"code":204`) {
		return fmt.Errorf("decode the answer of %s: %w", path, err)
	}
	return nil
}
