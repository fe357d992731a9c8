package platform_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const baseURL = "https://social.example/mobile_api"

// transportFunc is a transport without a network.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond returns an answer as a transport gives it.
func respond(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}
}

// fixedSession is an Authorizer that has one session and no other.
type fixedSession platform.Secret

func (s fixedSession) SessionID(context.Context) (platform.Secret, error) {
	return platform.Secret(s), nil
}

func (s fixedSession) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

// clientOf returns a client with a session. What cfg leaves out is as in production.
func clientOf(tb testing.TB, cfg platform.Config) *platform.Client {
	tb.Helper()
	if cfg.BaseURL == "" {
		cfg.BaseURL = baseURL
	}
	if cfg.Transport == nil {
		transport := platform.NewTransport()
		tb.Cleanup(transport.CloseIdleConnections)
		cfg.Transport = transport
	}
	client, err := platform.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return client.WithSession(fixedSession("a-session"))
}

// answering returns a client to which every call is answered with body.
func answering(tb testing.TB, body string) *platform.Client {
	tb.Helper()
	return clientOf(tb, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		return respond(r, http.StatusOK, body), nil
	})})
}
