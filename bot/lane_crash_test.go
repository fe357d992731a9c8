package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// stumble is a disk that refuses the next commit whenever it is told to.
type stumble struct{ next atomic.Bool }

// commit is a bottest.Config.Commit.
func (s *stumble) commit(commit func() error) error {
	if s.next.Swap(false) {
		return errors.New("the disk refuses")
	}
	return commit()
}

// An event whose commit failed is not overtaken, after a crash, by the one behind it, which was stored
// meanwhile: as waiting, or with a try that failed.
func TestCrashAfterAFailedCommit(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]struct {
		takes time.Duration // while its handler runs, what failed before cannot be tried again
		err   error
	}{
		"the second waits": {takes: 8 * time.Second},
		"the second fails": {takes: time.Second, err: errors.New("no idea")},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var disk stumble
			var crashed, began atomic.Bool // began: the second's handler
			bottest.Run(t, bottest.Config{
				Commit: disk.commit,
				Routes: []bot.Route{bot.On("echo", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, m event.Message) error {
					switch {
					case crashed.Load():
					case m.Text == "one":
						disk.next.Store(true)
					default:
						began.Store(true)
						select {
						case <-time.After(second.takes):
						case <-ctx.Done():
						}
						if second.err != nil {
							return second.err
						}
					}
					return t.Reply(m.Text)
				})},
			}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("one", "two")
				for !began.Load() {
					w.Advance(10 * time.Millisecond)
				}
				w.Advance(min(second.takes+50*time.Millisecond, 4*time.Second))
				w.CrashStop()
				crashed.Store(true)
				w.Start()
				ana.Expects("one", "two")
			})
		})
	}
}
