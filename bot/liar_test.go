package bot_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// However long the platform asks to be left alone, an account comes back within an hour or so.
func TestRetryAfterOfDecades(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	var s network
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: s.over, Patience: 80 * time.Minute}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		ana.Expects("one")
		s.turn(answering(http.StatusTooManyRequests, http.Header{"Retry-After": {"2147483647"}}, "Too Many Requests"))
		ana.Says("two")
		w.Advance(10 * time.Minute)
		s.turn(fair)
		ana.Says("three")
		ana.Expects("two")
		ana.Expects("three")
		s.turn(often("send_message", 10, answering(http.StatusTooManyRequests, http.Header{"Retry-After": {"Fri, 31 Dec 9999 23:59:59 GMT"}}, "Too Many Requests")))
		ana.Says("four")
		w.Advance(time.Minute)
		s.turn(fair)
		ana.Expects("four")
		ana.ExpectsNothing(time.Hour)
	})
}

var (
	times = regexp.MustCompile(`"(time|time_raw|time_text|created_at|lastseen)":\s*("[^"]*"|[0-9]+)`)
	lies  = []string{`"0"`, `"-1"`, `-1`, `0`, `""`, `"9999-12-31 23:59:59"`, `"1 second ago"`, `"in 5 years"`, `"300 years ago"`, `"just now"`, `4102444800`, `9223372036854775807`, `"yesterday"`, `null`, `{}`}
)

// lyingAbout is a platform whose answers tell other times than those at which things happened.
func lyingAbout(told *atomic.Int64) faults {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		body = times.ReplaceAllFunc(body, func(was []byte) []byte {
			n := told.Add(1)
			key, _, _ := bytes.Cut(was, []byte(":"))
			return slices.Concat(key, []byte(":"), []byte(lies[n%int64(len(lies))]))
		})
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return answer, err
	}
}

// Whatever the platform says about times: who writes is answered once, in order, over restarts.
func TestTimesThatLie(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	var s network
	var told atomic.Int64
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Transport: s.over, Bot: bot.Config{PollInterval: time.Second, Pace: fast(), Concurrency: 1}}, func(w *bottest.World) {
		s.turn(lyingAbout(&told))
		ana, leo := w.Person("ana"), w.Person("leo")
		for i := range 30 {
			for _, p := range []*bottest.Person{ana, leo} {
				p.Says(fmt.Sprint("hello ", i))
				p.Expects(fmt.Sprint("hello ", i))
			}
			w.Advance(time.Duration(i*i) * time.Second)
			if i%10 == 9 {
				w.Restart()
			}
		}
		ana.ExpectsNothing(time.Hour)
		leo.ExpectsNothing(0)
	})
	if n := told.Load(); n < 300 {
		t.Errorf("only %d times were changed", n)
	}
}
