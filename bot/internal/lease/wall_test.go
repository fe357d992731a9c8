package lease_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// lines are what a worker has logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write takes a line.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// about returns what was logged with one of the words since it was asked the last time.
func (l *lines) about(words ...string) (said []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		_, message, ok := strings.Cut(line, "msg=")
		if ok && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(message, w) }) {
			said = append(said, message)
		}
	}
	l.text.Reset()
	return said
}

// Times of day that do not agree are told once, and that they do again: a worker's own, which stops it, and the database's, which stops nobody.
func TestClocksAreTold(t *testing.T) {
	inHall(t, func(h *hall) {
		a, b, c := h.enter("a"), h.enter("b"), h.enter("c")
		says := func(c *clerk, want string) {
			t.Helper()
			said := c.log.about("clock")
			if want == "" && len(said) > 0 || want != "" && (len(said) != 1 || !strings.Contains(said[0], want)) {
				t.Errorf("%s says %q of clocks, and was to say %q", c.name, said, want)
			}
		}
		all := func(ahead time.Duration, want string, who ...*clerk) {
			t.Helper()
			for _, c := range who {
				c.setWall(ahead)
			}
			time.Sleep(20 * time.Second)
			for _, c := range who {
				says(c, want)
			}
		}
		apart := func(want time.Duration) {
			t.Helper()
			v, err := h.memory.Board().ReadView(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := v.BoardOffset().Round(time.Minute); got != want {
				t.Errorf("all clocks are ahead by %v, and were to be by %v", got, want)
			}
		}
		all(0, "", a, b, c)
		all(-31*time.Second, "the clock of this worker is not that of the others", c)
		apart(0)
		all(0, "agree again", c)
		all(29*time.Second, "", b)
		all(0, "", b)
		all(time.Hour, "the clock of the database is not that of its workers", a, b, c)
		apart(time.Hour)
		h.has(40*time.Second, map[string]int{"a": event.Shards / 3, "b": event.Shards / 3, "c": event.Shards / 3})
		all(time.Hour, "", a, b, c)
		all(0, "agree again", a, b, c)
	})
}

// How long a lease has been over is told by the clock that says more: one of them may stand still while a machine sleeps.
func TestOverFor(t *testing.T) {
	inHall(t, func(h *hall) {
		a := h.enter("a")
		time.Sleep(10 * time.Second)
		if over := a.OverFor(); over != 0 {
			t.Errorf("a good lease has been over for %v", over)
		}
		gone := func() error { return context.DeadlineExceeded }
		a.way.Store(&gone)
		time.Sleep(time.Hour)
		if over := a.OverFor(); over < 59*time.Minute || over > time.Hour {
			t.Errorf("after an hour it has been over for %v", over)
		}
		a.setWall(8 * 24 * time.Hour)
		if over := a.OverFor(); over < 8*24*time.Hour {
			t.Errorf("after a sleep of eight days it has been over for %v", over)
		}
	})
}
