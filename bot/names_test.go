package bot_test

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"regexp"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
)

var named = regexp.MustCompile(`"name":"[^"]*"`)

// A list that tells somebody's name without the user name takes nothing away of what is known: rules ask by the user name.
func TestUserNameOutlastsARowWithoutIt(t *testing.T) {
	t.Parallel()
	var s network
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: s.over}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		ana.Expects("one")
		s.turn(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			if err != nil || path.Base(r.URL.Path) != "get_notifications" {
				return answer, err
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			body = named.ReplaceAll(bytes.ReplaceAll(body, []byte(`"username":"ana"`), []byte(`"username":""`)), []byte(`"name":"Ana Lima"`))
			answer.Body = io.NopCloser(bytes.NewReader(body))
			answer.Header.Del("Content-Length")
			answer.ContentLength = -1
			return answer, err
		})
		ana.Follows()
		w.Advance(time.Minute)
		if c := w.Conversation(ana); c.User != "ana" || c.Name != "Ana Lima" {
			t.Errorf("she is %q, the user name is %q", c.Name, c.User)
		}
	})
}
