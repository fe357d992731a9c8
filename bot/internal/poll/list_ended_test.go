package poll_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// ending ends a poll once the whole chat list has arrived, and nothing of it was looked at.
type ending struct {
	next http.RoundTripper
	end  func() // nil: not now
}

func (e *ending) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := e.next.RoundTrip(r)
	if err != nil || e.end == nil || !strings.HasSuffix(r.URL.Path, "/get_chats") {
		return answer, err
	}
	whole, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole), e))
	return answer, err
}

// Read is called when all has been read.
func (e *ending) Read([]byte) (int, error) {
	e.end()
	return 0, io.EOF
}

// A poll that is ended while the chat list arrives, as when a lease is lost or the bot stops, says so, and takes nothing from what it has not seen.
func TestListWhosePollIsEnded(t *testing.T) {
	play(t, habits{}, func(r *world) {
		pipe := emulator.NewPipe(r.model)
		defer func() { _ = pipe.Close() }()
		wire := &ending{next: pipe.Transport()}
		c, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: wire})
		if err != nil {
			t.Fatal(err)
		}
		r.client = c.WithSession(open{})
		r.start(func(*poll.Config) {})
		r.run(time.Minute) // nobody has written yet
		r.model.say(50, "hello")
		ctx, cancel := context.WithCancel(r.Context())
		wire.end = cancel
		time.Sleep(time.Until(r.poller.Next(time.Now())))
		if _, err := r.poller.Poll(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "read the chat list") {
			r.Errorf("it says %v", err)
		}
		wire.end = nil
		r.run(time.Minute)
		if got := r.memory.texts(); len(got) != 1 || got[0] != "hello" {
			r.Errorf("it heard %q", got)
		}
	})
}
