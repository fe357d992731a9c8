package autoresponder_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// busy answers calls of an endpoint with code 429 while it is true.
type busy struct {
	next     http.RoundTripper
	endpoint string
	is       *atomic.Bool
}

func (b busy) RoundTrip(r *http.Request) (*http.Response, error) {
	if !b.is.Load() || !strings.HasSuffix(r.URL.Path, b.endpoint) {
		return b.next.RoundTrip(r)
	}
	const body = `{"code":429,"data":[],"message":"Too many requests"}`
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// A rule that asks what a post says waits until the platform tells: a post that cannot be read for now is not
// nobody's.
func TestRuleAboutAPostThatCannotBeReadNow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "10-sale.yaml", `version: 1
status: live
rules:
  - id: sale
    when: like
    if: [post: { text: { any_word: [sale] } }]
    then:
      - message: "The sale is on until Friday."
    limits: { per_person: 1 ever }
`)
	var is atomic.Bool
	is.Store(true)
	bottest.Run(t, bottest.Config{
		Start: tuesday,
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
		Transport: func(next http.RoundTripper) http.RoundTripper { return busy{next, "thread_data", &is} },
	}, func(w *bottest.World) {
		post := w.Posts("our sale begins")
		ana := w.Person("ana")
		ana.Likes(post)
		ana.ExpectsNothing(time.Minute)
		is.Store(false)
		ana.Expects("The sale is on until Friday.")
	})
}
