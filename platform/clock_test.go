package platform_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Who wants to know is told by how much this machine is ahead of the platform, to a second and every ten seconds. Answers that do not say
// what time it is, or took so long that they say too little, are passed over.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []time.Duration
		var date string
		var takes time.Duration
		client := clientOf(t, platform.Config{
			Clock: func(ahead time.Duration) { heard = append(heard, ahead) },
			Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				time.Sleep(takes / 2) // virtual, as all sleeps here
				resp := respond(r, http.StatusOK, `{"code":200,"data":[]}`)
				resp.Header["Date"] = []string{date}
				time.Sleep(takes / 2)
				return resp, nil
			}),
		})
		asks := func(says string) {
			t.Helper()
			date = says
			if _, err := client.Chats(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		from := func(ahead time.Duration) string { return time.Now().Add(takes/2 - ahead).UTC().Format(http.TimeFormat) }
		time.Sleep(time.Second / 2) // the header has whole seconds, cut off
		asks("")
		asks("half past ten")
		takes = 12 * time.Second
		asks(from(time.Hour))
		takes = 8 * time.Second
		asks(from(time.Hour))
		for range 5 {
			takes = 0
			asks(from(2 * time.Hour)) // within ten seconds
		}
		time.Sleep(10 * time.Second)
		asks(from(-48 * time.Hour))
		time.Sleep(10 * time.Second)
		asks(from(0))
		if want := []time.Duration{time.Hour, -48 * time.Hour, 0}; !slices.Equal(heard, want) {
			t.Errorf("heard %v, want %v", heard, want)
		}
	})
}

// A date until which to wait is one of the platform's clock, and not of ours.
func TestRetryAfterByThePlatformsClock(t *testing.T) {
	theirs := time.Date(2031, time.March, 3, 9, 0, 0, 0, time.UTC)
	client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		resp := respond(r, http.StatusTooManyRequests, `{"code":429,"data":[]}`)
		resp.Header.Set("Date", theirs.Format(http.TimeFormat))
		resp.Header.Set("Retry-After", theirs.Add(90*time.Second).Format(http.TimeFormat))
		return resp, nil
	})})
	var refused *platform.Refused
	if _, err := client.Chats(t.Context()); !errors.As(err, &refused) || refused.RetryAfter != 90*time.Second {
		t.Errorf("%v, after %v", err, refused.RetryAfter)
	}
}
