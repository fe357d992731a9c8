package outbox_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

// strict is a platform that refuses publications, or takes none of them.
type strict struct {
	outbox.Platform
	code int // 0: the answer says that the repost is not there, whatever is called
}

func (s strict) Repost(context.Context, platform.PostID) (platform.Toggled, error) {
	if s.code == 0 {
		return platform.Toggled{Known: true}, nil
	}
	return platform.Toggled{}, &platform.Refused{Endpoint: "publication_repost", Code: s.code}
}

func (s strict) PublishPost(context.Context, platform.PublishPostParams) (platform.Post, error) {
	return platform.Post{}, &platform.Refused{Endpoint: "publish_post", Code: max(s.code, 400)}
}

// What the platform does not take of the account's publications is a warning, unless what it was about is not there. Replies and
// likes are no publications.
func TestWarned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code int
		make func(w *world, post platform.PostID) event.Action
		want []event.WarningKind
	}{
		"a repost":  {http.StatusBadRequest, func(w *world, p platform.PostID) event.Action { return w.repost(p, true) }, []event.WarningKind{event.WarnedRefusal}},
		"forbidden": {http.StatusForbidden, func(w *world, p platform.PostID) event.Action { return w.repost(p, true) }, []event.WarningKind{event.WarnedRefusal}},
		"gone":      {http.StatusNotFound, func(w *world, p platform.PostID) event.Action { return w.repost(p, true) }, nil},
		"gone before": {http.StatusBadRequest, func(w *world, p platform.PostID) event.Action {
			w.p.DeletePost(w.p.UserID("ana"), p)
			return w.repost(p, true)
		}, nil},
		"does not take": {0, func(w *world, p platform.PostID) event.Action { return w.repost(p, true) }, []event.WarningKind{event.WarnedToggle}},
		"an own post": {http.StatusBadRequest, func(w *world, _ platform.PostID) event.Action {
			return event.Action{Key: w.key(), Account: account, Verb: event.VerbPost, Text: "news"}
		}, []event.WarningKind{event.WarnedRefusal}},
		"a reply": {http.StatusBadRequest, func(w *world, p platform.PostID) event.Action {
			return event.Action{Key: w.key(), Account: account, Verb: event.VerbPost, Text: "news", Post: p, ReconcileFrom: int64(p)}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var mu sync.Mutex
			var got []event.WarningKind
			s := setup{wrap: func(p outbox.Platform) outbox.Platform { return strict{p, c.code} }}
			s.onWarning = func(kind event.WarningKind) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, kind)
			}
			inWorld(t, s, func(w *world) {
				w.decide(c.make(w, w.p.Post(w.person("ana"), "news")))
				w.rest(time.Hour)
				mu.Lock()
				defer mu.Unlock()
				if !slices.Equal(got, c.want) {
					w.Errorf("warnings: %q, want %q", got, c.want)
				}
			})
		})
	}
}
