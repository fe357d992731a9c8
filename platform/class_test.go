package platform_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Every answer says one thing about what was asked for, in whatever shape it comes.
func TestClassOfAnswers(t *testing.T) {
	t.Parallel()
	envelope := func(code any) string { return fmt.Sprintf(`{"code":%v,"message":"text","data":[]}`, code) }
	for _, test := range []struct {
		name     string
		status   int
		body     string
		class    platform.Class
		inDoubt  bool
		noCall   bool // NoEndpoint
		retrySet bool
	}{
		{"success", 200, envelope(200), platform.Other, false, false, false},
		{"an empty answer", 200, envelope(204), platform.Gone, false, false, false},
		{"400", 200, envelope(400), platform.NotAllowed, false, false, false},
		{"400, with its status", 400, envelope(400), platform.NotAllowed, false, false, false},
		{"401", 200, envelope(401), platform.NotNow, false, false, false},
		{"402", 200, envelope(402), platform.NotNow, false, false, false},
		{"403", 200, envelope(403), platform.NotAllowed, false, false, false},
		{"403, with its status", 403, envelope(403), platform.NotAllowed, false, false, false},
		{"404", 200, envelope(404), platform.Gone, false, false, false},
		{"404, with its status", 404, envelope(404), platform.Gone, false, false, false},
		{"404 without an envelope", 404, "<html>Not Found</html>", platform.NotNow, true, true, false},
		{"405 without an envelope", 405, "", platform.NotNow, true, true, false},
		{"410", 200, envelope(410), platform.NotAllowed, false, false, false},
		{"411", 200, envelope(411), platform.NotAllowed, false, false, false},
		{"429 in JSON", 200, envelope(429), platform.NotNow, false, false, true},
		{"429 in JSON, as a text", 200, envelope(`"429"`), platform.NotNow, false, false, true},
		{"429 twice", 429, envelope(429), platform.NotNow, false, false, true},
		{"429 as a status, with another code", 429, envelope(404), platform.NotNow, false, false, true},
		{"429 without an envelope", 429, "slow down", platform.NotNow, false, false, true},
		{"500", 200, envelope(500), platform.NotNow, true, false, false},
		{"500, with its status", 500, envelope(500), platform.NotNow, true, false, false},
		{"503", 200, envelope(503), platform.NotNow, true, false, true},
		{"503 without an envelope", 503, "<html>Maintenance</html>", platform.NotNow, true, false, true},
		{"a code that nobody knows", 200, envelope(420), platform.NotNow, true, false, false},
		{"code 0", 200, envelope(0), platform.NotNow, true, false, false},
		{"a login page", 200, "<html>Log in to the hotel's network</html>", platform.NotNow, true, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			if test.retrySet {
				header.Set("Retry-After", "7")
			}
			client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				resp := respond(r, test.status, test.body)
				resp.Header = header
				return resp, nil
			})})
			_, err := client.Profile(t.Context(), platform.ProfileParams{ID: 90})
			if test.body == envelope(200) {
				err = nil // whatever the profile lacks
			}
			wantFinal := test.class == platform.Gone || test.class == platform.NotAllowed
			if class := platform.Classify(err); class != test.class || platform.Final(err) != wantFinal {
				t.Errorf("it is %v, final %v, want %v: %v", class, platform.Final(err), test.class, err)
			}
			if got := platform.InDoubt(err); got != test.inDoubt {
				t.Errorf("Unsure is %v: %v", got, err)
			}
			if got := platform.NoEndpoint(err); got != test.noCall {
				t.Errorf("NoEndpoint is %v: %v", got, err)
			}
			if got := platform.RetryAfter(err); got != 0 != test.retrySet || test.retrySet && got != 7*time.Second {
				t.Errorf("RetryAfter is %v: %v", got, err)
			}
		})
	}
}

// So does every other end of a call. What the platform has nothing to do with says nothing.
func TestClassOfOtherFailures(t *testing.T) {
	t.Parallel()
	gone := &platform.Refused{Code: 404}
	for name, test := range map[string]struct {
		err  error
		want platform.Class
	}{
		"nothing":                 {nil, platform.Other},
		"an error of our own":     {errors.New("out of paper"), platform.Other},
		"a turn's time is over":   {context.DeadlineExceeded, platform.Other},
		"no answer":               {&platform.Unreachable{Err: context.DeadlineExceeded}, platform.NotNow},
		"no session":              {&platform.SessionError{Err: platform.ErrNoSession}, platform.NotNow},
		"the sign-in is gone":     {&platform.SessionError{Err: gone}, platform.NotNow},
		"a refusal, wrapped":      {fmt.Errorf("read the post: %w", gone), platform.Gone},
		"no session, in one word": {platform.ErrNoSession, platform.NotNow},
	} {
		if got := platform.Classify(test.err); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	if got := platform.NotAllowed.String() + ", " + platform.Class(9).String(); got != "not allowed, unknown" {
		t.Errorf("the names are %s", got)
	}
	for code, want := range map[int]bool{404: true, 400: true, 411: true, 403: false, 410: false, 500: false, 429: false} {
		if got := platform.Absent(&platform.Refused{Code: code}); got != want {
			t.Errorf("code %d: absent is %v", code, got)
		}
	}
}
