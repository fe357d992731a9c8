package platform_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

// outcomes are the errors that callers decide by.
var outcomes = map[string]error{
	"invalid": platform.ErrInvalid, "unauthorized": platform.ErrUnauthorized,
	"bad credentials": platform.ErrBadCredentials, "not found": platform.ErrNotFound,
	"taken": platform.ErrTaken, "server": platform.ErrServer,
	"rate limited": platform.ErrRateLimited, "no session": platform.ErrNoSession,
}

func matches(err error) string {
	for name, target := range outcomes {
		if errors.Is(err, target) {
			return name
		}
	}
	return ""
}

// kind names the type of an error.
func kind(err error) string {
	var (
		unreachable *platform.Unreachable
		unreadable  *platform.Unreadable
		refused     *platform.Refused
		session     *platform.SessionError
		cut         *platform.Cut
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &cut):
		return "cut"
	case errors.As(err, &session):
		return "session"
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &unreadable):
		return "unreadable"
	case errors.As(err, &unreachable):
		return "unreachable"
	default:
		return "unknown"
	}
}

func TestAnswersAreClassifiedByTheirCode(t *testing.T) {
	envelope := func(code any) string { return fmt.Sprintf(`{"code":%v,"message":"text","data":[]}`, code) }
	for _, test := range []struct {
		name    string
		status  int
		body    string
		kind    string
		is      string
		inDoubt bool
	}{
		{"success", 200, envelope(200), "", "", false},
		{"success behind an HTTP error", 500, envelope(200), "", "", false},
		{"code as a string", 200, envelope(`"200"`), "", "", false},
		{"no data", 200, envelope(204), "", "", false},
		{"no data, no body", 204, "", "", "", false},
		{"no code", 200, `{"message":"text","data":[]}`, "", "", false},
		{"no code behind an HTTP error", 500, `{"message":"text","data":[]}`, "unreadable", "", true},
		{"neither code nor data", 200, `{"message":"text"}`, "unreadable", "", true},
		{"invalid", 200, envelope(400), "refused", "invalid", false},
		{"unauthorized", 200, envelope(401), "refused", "unauthorized", false},
		{"unauthorized with its HTTP status", 401, envelope(401), "refused", "unauthorized", false},
		{"bad credentials", 200, envelope(402), "refused", "bad credentials", false},
		{"not found", 200, envelope(404), "refused", "not found", false},
		{"taken", 200, envelope(410), "refused", "taken", false},
		{"bad argument", 200, envelope(411), "refused", "invalid", false},
		{"rate limited", 200, envelope(429), "refused", "rate limited", false},
		{"rate limited by the HTTP status", 429, envelope(403), "refused", "rate limited", false},
		{"rate limited in front of the platform", 429, "slow down", "unreadable", "rate limited", false},
		{"server error", 200, envelope(500), "refused", "server", true},
		{"another server error", 200, envelope(503), "refused", "server", true},
		{"some other code", 200, envelope(999), "refused", "", true},
		{"empty body", 200, "", "unreadable", "", true},
		{"white space", 200, " \n", "unreadable", "", true},
		{"a page", 502, "<html>Bad Gateway</html>", "unreadable", "", true},
		{"a page with a status of refusal", 401, "<html>Who are you?</html>", "unreadable", "", true},
		{"another JSON", 200, `[{"code":200,"data":[]}]`, "unreadable", "", true},
		{"cut off", 200, `{"code":200,"data":[`, "unreadable", "", true},
		{"cut off behind the code", 200, `{"code":200`, "unreadable", "", true},
		{"code without a number", 200, `{"code":"ok"}`, "unreadable", "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				return respond(r, test.status, test.body), nil
			})})
			_, err := client.Messages(t.Context(), platform.MessagesParams{Peer: 90})
			if got := kind(err); got != test.kind {
				t.Errorf("kind %q, want %q: %v", got, test.kind, err)
			}
			if got := matches(err); got != test.is {
				t.Errorf("matches %q, want %q: %v", got, test.is, err)
			}
			if got := platform.InDoubt(err); got != test.inDoubt {
				t.Errorf("Unsure is %v, want %v: %v", got, test.inDoubt, err)
			}
		})
	}
}

func TestNoDataOfACallThatIsNoListIsARefusal(t *testing.T) {
	client := answering(t, `{"code":204,"message":"No data","data":[]}`)
	_, err := client.Profile(t.Context(), platform.ProfileParams{ID: 31})
	refused, ok := errors.AsType[*platform.Refused](err)
	if !ok || refused.Code != 204 || platform.InDoubt(err) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsTellWhatWasAnswered(t *testing.T) {
	client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		resp := respond(r, http.StatusServiceUnavailable, `{"code":500,"message":"Come &lt;later&gt;","data":[]}`)
		resp.Header.Set("Retry-After", "120")
		return resp, nil
	})})
	_, err := client.LikePost(t.Context(), 410)
	got, ok := errors.AsType[*platform.Refused](err)
	if !ok {
		t.Fatal(err)
	}
	want := &platform.Refused{
		Endpoint: "like_post", Code: 500, HTTPStatus: 503, Message: "Come <later>", RetryAfter: 2 * time.Minute,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	client = clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		resp := respond(r, http.StatusTooManyRequests, "slow down")
		resp.Header.Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		return resp, nil
	})})
	_, err = client.LikePost(t.Context(), 410)
	page, ok := errors.AsType[*platform.Unreadable](err)
	if !ok {
		t.Fatal(err)
	}
	if page.Endpoint != "like_post" || page.HTTPStatus != 429 || string(page.Head) != "slow down" {
		t.Errorf("got %+v", page)
	}
	if page.RetryAfter < 59*time.Minute || page.RetryAfter > time.Hour {
		t.Errorf("RetryAfter is %v, want nearly an hour", page.RetryAfter)
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-7": 0, "soon": 0,
		"99999999999999999999":          0,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			resp := respond(r, http.StatusTooManyRequests, `{"code":429,"data":[]}`)
			resp.Header.Set("Retry-After", header)
			return resp, nil
		})})
		var refused *platform.Refused
		if _, err := client.Chats(t.Context()); !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if refused.RetryAfter != want {
			t.Errorf("Retry-After %q is %v, want %v", header, refused.RetryAfter, want)
		}
	}
}

func TestInDoubtLooksThroughWrappers(t *testing.T) {
	cut := &platform.Unreachable{Endpoint: "login", Sent: true, Err: context.DeadlineExceeded}
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"nothing", nil, false},
		{"something else", errors.New("disk full"), false},
		{"sent", cut, true},
		{"sent, wrapped", fmt.Errorf("reply to 90: %w", cut), true},
		{"not sent", &platform.Unreachable{Err: context.Canceled}, false},
		{"a sign-in that was sent, for a call that was not", &platform.SessionError{Endpoint: "like_post", Err: cut}, false},
		{"no session", platform.ErrNoSession, false},
	} {
		if got := platform.InDoubt(test.err); got != test.want {
			t.Errorf("%s: Unsure is %v, want %v", test.name, got, test.want)
		}
	}
}
