package platform_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/platform"
)

func TestRedirects(t *testing.T) {
	const answer = `{"code":200,"data":[]}`
	var elsewhere atomic.Int32
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		elsewhere.Add(1)
		_, _ = io.WriteString(w, answer)
	})
	get := func(c *platform.Client) error { _, err := c.Chats(t.Context()); return err }
	post := func(c *platform.Client) error { _, err := c.LikePost(t.Context(), 410); return err }
	upload := func(c *platform.Client) error {
		file := platform.Upload{Body: strings.NewReader("picture")}
		_, err := c.UploadPostMedia(t.Context(), platform.UploadParams{Type: "image", File: file})
		return err
	}
	for _, test := range []struct {
		name   string
		status int
		to     string // "" for another path on the same host
		call   func(*platform.Client) error
		ok     bool
	}{
		{"GET on the same host", 301, "", get, true},
		{"GET on the same host, for now", 307, "", get, true},
		{"POST on the same host that stays one", 308, "", post, true},
		{"POST that would lose its form", 302, "", post, false},
		{"upload", 307, "", upload, false},
		{"GET to another host", 301, other, get, false},
		{"POST to another host", 307, other, post, false},
		{"GET without a scheme to another host", 302, "//other.example/x", get, false},
		{"round and round", 307, "/loop", get, false},
		{"to nowhere", 302, "http://[::1", get, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var form atomic.Value
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					if r.Header.Get("Referer") != "" {
						t.Error("the address of the call was sent on as Referer")
					}
					_ = r.ParseForm()
					form.Store(r.Form.Get("session_id"))
					_, _ = io.WriteString(w, answer)
					return
				}
				to := test.to
				if to == "" {
					to = "/moved?" + r.URL.RawQuery
				}
				w.Header().Set("Location", to)
				w.WriteHeader(test.status)
			})
			err := test.call(clientOf(t, platform.Config{BaseURL: address}))
			if test.ok {
				if err != nil || form.Load() != "a-session" {
					t.Errorf("got %v, session %v", err, form.Load())
				}
				return
			}
			unreadable, ok := errors.AsType[*platform.Unreadable](err)
			if !ok || unreadable.HTTPStatus != test.status {
				t.Errorf("got %v", err)
			}
		})
	}
	if elsewhere.Load() != 0 {
		t.Error("the other host was called")
	}
}

// TestRedirectFromHTTPS sees to it that a session does not go on in plain text.
func TestRedirectFromHTTPS(t *testing.T) {
	calls := 0
	client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		calls++
		resp := respond(r, http.StatusFound, "")
		resp.Header.Set("Location", "http://social.example/mobile_api/get_chats?"+r.URL.RawQuery)
		return resp, nil
	})})
	_, err := client.Chats(t.Context())
	if kind(err) != "unreadable" || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if !strings.Contains(err.Error(), "redirect to http://social.example/mobile_api/get_chats") || strings.Contains(err.Error(), "a-session") {
		t.Error("the error does not say where to, or says too much:", err)
	}
}
