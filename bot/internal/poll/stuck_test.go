package poll_test

import (
	"context"
	"errors"
	"net/http"
	"path"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// tarpit lets requests for one list wait, whatever their contexts say, until it is drained.
type tarpit struct {
	next http.RoundTripper
	over string

	mu      sync.Mutex // guards the field below
	drained chan struct{}
}

func (t *tarpit) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	drained := t.drained
	t.mu.Unlock()
	if drained != nil && path.Base(r.URL.Path) == t.over {
		<-drained
	}
	return t.next.RoundTrip(r)
}

// fill lets requests wait from now on, for an hour; the returned function lets them go before.
func (t *tarpit) fill() (drain func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	drained := make(chan struct{})
	t.drained = drained
	drain = sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.drained = nil
		close(drained)
	})
	time.AfterFunc(time.Hour, drain)
	return drain
}

// watched ends what is stuck, as a bot does each minute, until the test is over.
func (r *world) watched() {
	ctx, stop := context.WithCancel(r.Context())
	r.Cleanup(stop)
	go func() {
		for ticker := time.NewTicker(time.Minute); ; {
			select {
			case <-ctx.Done():
				ticker.Stop()
				return
			case <-ticker.C:
				r.poller.EndStuck()
			}
		}
	}()
}

// A call that knows no deadline holds up a poll for some minutes, and not for ever. What it brings after that is nobody's.
func TestStuckCallIsEnded(t *testing.T) {
	t.Parallel()
	for over, sources := range map[string]time.Duration{"get_chats": 1, "get_messages": 1, "get_notifications": 2} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			play(t, habits{}, func(r *world) {
				pipe := emulator.NewPipe(r.model)
				defer func() { _ = pipe.Close() }()
				pit := &tarpit{next: pipe.Transport(), over: over}
				client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pit})
				if err != nil {
					r.Fatal(err)
				}
				r.start(func(c *poll.Config) { c.Client = client.WithSession(open{}) })
				r.run(time.Minute)
				r.watched()
				drain := pit.fill()
				r.model.say(50, "hello")
				r.model.notify("notifs", 51, platform.SubjectLike, false)
				began := time.Now()
				_, err = r.try()
				if took := time.Since(began); err == nil || took < sources*5*time.Minute || took > sources*8*time.Minute {
					r.Errorf("%v after %v", err, took)
				}
				drain()
				synctest.Wait()
				r.run(10 * time.Minute)
				if n := len(r.memory.texts()); n != 1 {
					r.Errorf("%d messages were heard", n)
				}
			})
		})
	}
}

// patient is a limiter that lets nothing leave for a while.
type patient struct{ until time.Time }

func (patient) Limited() bool { return true }
func (patient) Charge()       {}
func (p patient) Wait(ctx context.Context, _ bool) error {
	select {
	case <-time.After(time.Until(p.until)):
		return nil
	case <-ctx.Done():
		return errors.New("it was ended")
	}
}

// What waits for the pace of its host is not stuck: it would lose its place again and again.
func TestPacedCallIsNotEnded(t *testing.T) {
	t.Parallel()
	play(t, habits{}, func(r *world) {
		pipe := emulator.NewPipe(r.model)
		defer func() { _ = pipe.Close() }()
		client, err := platform.New(platform.Config{
			BaseURL: pipe.BaseURL(), Transport: pipe.Transport(), Limiter: patient{time.Now().Add(time.Hour)},
		})
		if err != nil {
			r.Fatal(err)
		}
		r.start(func(c *poll.Config) { c.Client = client.WithSession(open{}) })
		r.watched()
		began := time.Now()
		r.cycle()
		if took := time.Since(began); took < time.Hour {
			r.Errorf("it took %v", took)
		}
	})
}
