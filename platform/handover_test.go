package platform_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// handover is a call, of those whose answers are read in different ways.
type handover struct {
	endpoint string
	call     func(context.Context, *platform.Client, platform.UserID) error
}

func handovers() []handover {
	return []handover{
		{"get_chats", func(ctx context.Context, c *platform.Client, _ platform.UserID) error {
			_, err := c.Chats(ctx)
			return err
		}},
		{"get_notifications", func(ctx context.Context, c *platform.Client, _ platform.UserID) error {
			_, err := c.Notifications(ctx, platform.NotificationsParams{})
			return err
		}},
		{"send_message", func(ctx context.Context, c *platform.Client, ana platform.UserID) error {
			_, err := c.SendMessage(ctx, platform.SendMessageParams{To: ana, Text: "hello"})
			return err
		}},
		{"logout", func(ctx context.Context, c *platform.Client, _ platform.UserID) error { return c.Logout(ctx) }},
		{"login", func(ctx context.Context, c *platform.Client, _ platform.UserID) error {
			_, err := c.Login(ctx, platform.LoginParams{Email: "bot@cafe.example", Password: "secret"})
			return err
		}},
	}
}

// An answer behind which there is no body, or one without an end, ends with its call: at once where it hands over the connection, at the
// deadline otherwise. Nothing of it stays behind.
func TestAnswersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{emulator.Switched, emulator.Endless} {
		for _, h := range handovers() {
			t.Run(fault.String()+" "+h.endpoint, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					town := emulator.New(emulator.Config{})
					town.AddAccount(emulator.Person{Username: "cafe"}, "bot@cafe.example", "secret")
					ana := town.AddPerson(emulator.Person{Username: "ana"})
					pipe := emulator.NewPipe(town)
					defer func() { _ = pipe.Close() }()
					client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
					if err != nil {
						t.Fatal(err)
					}
					in, err := client.Login(t.Context(), platform.LoginParams{Email: "bot@cafe.example", Password: "secret"})
					if err != nil {
						t.Fatal(err)
					}
					client = client.WithSession(fixedSession(in.SessionID))
					town.Disturb(h.endpoint, fault)
					begun := time.Now()
					err = h.call(t.Context(), client, ana)
					unreadable, ok := errors.AsType[*platform.Unreadable](err)
					want := map[emulator.Fault]time.Duration{emulator.Switched: 0, emulator.Endless: client.Timeout()}[fault]
					if took := time.Since(begun); !ok || took != want {
						t.Fatalf("%v after %v, want it unreadable after %v", err, took, want)
					}
					if fault == emulator.Switched && unreadable.HTTPStatus != http.StatusSwitchingProtocols {
						t.Errorf("the HTTP status is %d", unreadable.HTTPStatus)
					}
					if fault == emulator.Endless && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("it is not told that its time was over: %v", err)
					}
					if !platform.InDoubt(err) {
						t.Errorf("what it made is not in doubt: %v", err)
					}
					if _, err := client.SearchPeople(t.Context(), platform.SearchParams{Query: "ana"}); h.endpoint != "logout" && err != nil {
						t.Errorf("the next call: %v", err)
					}
				})
			})
		}
	}
}

// silent is a body that says nothing before it is closed, whatever becomes of the context of its request.
type silent struct {
	*io.PipeReader
	head []byte
}

func (d *silent) Read(p []byte) (int, error) {
	if len(d.head) > 0 {
		n := copy(p, d.head)
		d.head = d.head[n:]
		return n, nil
	}
	return d.PipeReader.Read(p)
}

// Whatever a transport brings, and under which HTTP status, its body is not read any more when the call's time is over.
func TestBodiesThatKnowNoContext(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 204, 301, 307, 400, 426, 500, 101} {
		for _, h := range handovers() {
			synctest.Test(t, func(t *testing.T) {
				var hops int
				client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
					hops++
					body, _ := io.Pipe()
					resp := respond(r, status, "")
					resp.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Location": {r.URL.String()}}
					resp.Body, resp.ContentLength = &silent{body, []byte(`{"code":200,"data":[{"user_id":90,"id":7,"chat_id":`)}, -1
					return resp, nil
				})})
				begun := time.Now()
				err := h.call(t.Context(), client, 90)
				if took := time.Since(begun); err == nil || took > client.Timeout() || status == 101 && took != 0 {
					t.Errorf("%s with status %d: %v after %v and %d hops", h.endpoint, status, err, took, hops)
				}
			})
		}
	}
}

// A timer that has gone off closes no body of another call.
func TestDeadlinesAreNotMixedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := true
		client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			resp := respond(r, http.StatusOK, `{"code":200,"data":[]}`)
			if waits {
				body, _ := io.Pipe()
				resp.Body, resp.ContentLength = &silent{body, nil}, -1
			}
			return resp, nil
		})})
		var errs []error
		for i := range 40 {
			waits = i%4 == 0
			_, err := client.Chats(t.Context())
			errs = append(errs, err)
		}
		time.Sleep(time.Minute) // nothing goes off any more
		failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
		if len(failed) != 10 {
			t.Errorf("%d calls failed, want those ten alone whose bodies say nothing: %v", len(failed), failed)
		}
	})
}
