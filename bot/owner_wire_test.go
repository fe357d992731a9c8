package bot_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
)

// overWords watches the wire: nothing may be sent to a person after an answer has shown the owner's words to them.
type overWords struct {
	mu   sync.Mutex
	left int             // messages that were sent
	seen map[string]bool // people to whom the owner has spoken
	over []string
}

// ownersWords are in what the owner says while somebody watches.
var ownersWords = []string{"I have this one", "let me"}

func (o *overWords) on(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		peer, err := peerOf(r)
		if err != nil {
			return nil, err
		}
		endpoint := path.Base(r.URL.Path)
		if endpoint == "send_message" {
			o.sent(peer)
		}
		answer, err := next.RoundTrip(r)
		if err != nil || endpoint != "get_messages" {
			return answer, err
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, errors.Join(err, answer.Body.Close())
		}
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(body))
		o.read(peer, string(body))
		return answer, nil
	})
}

func (o *overWords) sent(peer string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left++
	if o.seen[peer] {
		o.over = append(o.over, peer)
	}
}

func (o *overWords) sends() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left
}

func (o *overWords) read(peer, body string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	for _, words := range ownersWords {
		o.seen[peer] = o.seen[peer] || strings.Contains(body, words)
	}
}

func (o *overWords) verdict(t *testing.T) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.seen) == 0 {
		t.Error("nobody has seen the owner's words")
	}
	if len(o.over) > 0 {
		t.Errorf("%d requests left over the owner's words: to %v", len(o.over), o.over)
	}
}

// peerOf returns the person whom a request is about.
func peerOf(r *http.Request) (string, error) {
	if peer := r.URL.Query().Get("user_id"); peer != "" || r.Body == nil {
		return peer, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	form, err := url.ParseQuery(string(body))
	return form.Get("user_id"), err
}
