package platform_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nectar-bot/nectar/platform"
)

// judged is what a call without a code came to.
func judged(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, platform.ErrUnauthorized):
		return "session over"
	case platform.InDoubt(err):
		return "in doubt"
	case platform.Final(err):
		return "refused"
	}
	return fmt.Sprint(err)
}

// codelessCalls are calls of each kind: those that make or switch something, those that delete, and lists, of both readers.
func codelessCalls() map[string]func(context.Context, *platform.Client) error {
	return map[string]func(context.Context, *platform.Client) error{
		"send": func(ctx context.Context, c *platform.Client) error {
			_, err := c.SendMessage(ctx, platform.SendMessageParams{To: 90, Text: "hi"})
			return err
		},
		"publish": func(ctx context.Context, c *platform.Client) error {
			_, err := c.PublishPost(ctx, platform.PublishPostParams{Text: "hi"})
			return err
		},
		"like":   func(ctx context.Context, c *platform.Client) error { _, err := c.LikePost(ctx, 7); return err },
		"repost": func(ctx context.Context, c *platform.Client) error { _, err := c.Repost(ctx, 7); return err },
		"follow": func(ctx context.Context, c *platform.Client) error { _, err := c.Follow(ctx, 7); return err },
		"delete": func(ctx context.Context, c *platform.Client) error { return c.DeleteMessage(ctx, 7) },
		"logout": func(ctx context.Context, c *platform.Client) error { return c.Logout(ctx) },
		"chats":  func(ctx context.Context, c *platform.Client) error { _, err := c.Chats(ctx); return err },
		"messages": func(ctx context.Context, c *platform.Client) error {
			_, err := c.Messages(ctx, platform.MessagesParams{Peer: 90})
			return err
		},
		"notifications": func(ctx context.Context, c *platform.Client) error {
			_, err := c.Notifications(ctx, platform.NotificationsParams{})
			return err
		},
		"login": func(ctx context.Context, c *platform.Client) error {
			_, err := c.Login(ctx, platform.LoginParams{Email: "a@b.example", Password: "secret"})
			return err
		},
		"refresh": func(ctx context.Context, c *platform.Client) error {
			_, err := c.RefreshAccessToken(ctx, "r")
			return err
		},
	}
}

// An answer without a code is what it says of itself, for every call, in both readers and in whatever order.
func TestAnswersWithoutACode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		members []string
		want    string
	}{
		{[]string{`"status":401`, `"data":[]`, `"message":"Unauthorized Access"`}, "session over"},
		{[]string{`"status":"401"`, `"data":[]`}, "session over"},
		{[]string{`"status":401`, `"message":"Unauthorized Access"`}, "session over"},
		{[]string{`"status":" 401 "`, `"data":{}`, `"error":"x"`}, "session over"},
		{[]string{`"code":null`, `"status":401`, `"data":[]`}, "session over"},
		{[]string{`"valid":false`, `"err_code":"unauthorized_access"`, `"data":[]`}, "session over"},
		{[]string{`"status":500`, `"data":[]`, `"message":"An error occurred"`}, "in doubt"},
		{[]string{`"status":599`, `"data":[]`}, "in doubt"},
		{[]string{`"status":100`, `"data":[]`}, "in doubt"},
		{[]string{`"status":"error"`, `"data":[]`}, "in doubt"},
		{[]string{`"status":"failed"`, `"data":[]`, `"message":"no"`}, "in doubt"},
		{[]string{`"status":false`, `"data":[]`}, "in doubt"},
		{[]string{`"status":0`, `"data":[]`}, "in doubt"},
		{[]string{`"code":"unauthorized"`, `"data":[]`}, "in doubt"},
		{[]string{`"error":"x"`, `"data":[]`}, "in doubt"},
		{[]string{`"error":{"type":"x"}`, `"data":[]`}, "in doubt"},
		{[]string{`"error":["x"]`, `"data":{}`, `"status":200`}, "in doubt"},
		{[]string{`"error":true`, `"data":[]`, `"status":"ok"`}, "in doubt"},
		{[]string{`"err_code":7`, `"data":[]`}, "in doubt"},
		{[]string{`"error_code":"server_down"`, `"data":[]`}, "in doubt"},
		{[]string{`"valid":false`, `"err_code":"invalid_request_data"`, `"data":[]`, `"message":"Post ID is missing or invalid"`}, "refused"},
		{[]string{`"valid":0`, `"data":[]`}, "refused"},
		{[]string{`"valid":"0"`, `"error_code":"blocked"`, `"data":{}`}, "refused"},
		{[]string{`"err_code":"invalid_user_id"`, `"data":[]`}, "refused"},
		{[]string{`"status":400`, `"data":[]`}, "refused"},
	} {
		for name, call := range codelessCalls() {
			for _, body := range orders(test.members) {
				if got := judged(call(t.Context(), answering(t, body))); got != test.want {
					t.Errorf("%s: %s is %q, want %q", name, body, got, test.want)
				}
			}
		}
	}
}

// orders returns an object with its members in each order that puts another one first, and backwards.
func orders(members []string) (bodies []string) {
	write := func(order []string) {
		text := "{"
		for i, m := range order {
			if i > 0 {
				text += ", "
			}
			text += m
		}
		bodies = append(bodies, text+"}")
	}
	for i := range members {
		order := append(append([]string{}, members[i:]...), members[:i]...)
		write(order)
		backwards := make([]string, len(order))
		for k, m := range order {
			backwards[len(order)-1-k] = m
		}
		write(backwards)
	}
	return bodies
}

// What says nothing against a success is none of these: lists stay empty, deletions and toggles are left to readings, and what claims to
// have made something has to name it.
func TestAnswersWithoutACodeThatSayNothingElse(t *testing.T) {
	t.Parallel()
	for _, members := range [][]string{
		{`"data":[]`},
		{`"data":{}`, `"message":"fine"`},
		{`"status":200`, `"data":[]`},
		{`"status":"200"`, `"data":[]`},
		{`"status":true`, `"data":[]`},
		{`"status":1`, `"data":[]`},
		{`"status":"OK"`, `"data":[]`},
		{`"status":"success"`, `"data":[]`, `"error":null`},
		{`"status":null`, `"data":[]`, `"error":false`, `"error_code":0`},
		{`"valid":true`, `"err_code":0`, `"data":[]`},
		{`"valid":1`, `"err_code":"0"`, `"data":[]`},
		{`"error":""`, `"err_code":[]`, `"error_code":{}`, `"data":[]`},
		{`"error":{ }`, `"err_code":[ ]`, `"data":[]`},
	} {
		for name, call := range codelessCalls() {
			want := "done"
			switch name {
			case "send", "publish", "login", "refresh":
				want = "in doubt"
			}
			for _, body := range orders(members) {
				if got := judged(call(t.Context(), answering(t, body))); got != want {
					t.Errorf("%s: %s is %q, want %q", name, body, got, want)
				}
			}
		}
	}
	for _, body := range []string{`{"data":{"id":501}}`, `{"status":"ok","data":{"id":"501"}}`, `{"code":200,"data":[]}`} {
		for _, name := range []string{"send", "publish"} {
			if got := judged(codelessCalls()[name](t.Context(), answering(t, body))); got != "done" {
				t.Errorf("%s: %s is %q", name, body, got)
			}
		}
	}
}

// Without a code, "not following" may also mean that the person was asked: a second call would take that back.
func TestFollowWithoutACode(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]platform.Followed{
		`{"data":{"follow":false}}`:              platform.FollowUnknown,
		`{"data":{"follow":true}}`:               platform.FollowActive,
		`{"status":201,"data":{"follow":false}}`: platform.FollowRequested,
		`{"code":200,"data":{"follow":false}}`:   platform.FollowNone,
	} {
		if got, err := answering(t, body).Follow(t.Context(), 7); got != want || err != nil {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
}
