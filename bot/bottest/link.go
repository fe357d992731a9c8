package bottest

import (
	"errors"
	"net/http"
	"time"
)

// link is the way between the bot and the platform. Requests and answers take their time on it, until
// it is cut.
type link struct {
	next http.RoundTripper
	wait time.Duration
	cut  chan struct{}
}

var errCut = errors.New("the bot has crashed")

// RoundTrip sends a request on its way, and brings back the answer.
func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := l.travel(r); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := l.travel(r); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

func (l *link) travel(r *http.Request) error {
	t := time.NewTimer(max(l.wait, 0))
	defer t.Stop()
	select {
	case <-l.cut:
		return errCut
	case <-r.Context().Done():
		return r.Context().Err()
	case <-t.C:
		return nil
	}
}
