package poll_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// world is a poller on a model platform, in a bubble.
type world struct {
	*testing.T
	model  *model
	memory *memory
	poller *poll.Poller
	client *platform.Client
	log    *lines
}

// play runs f with a world in a bubble of its own.
func play(t *testing.T, h habits, f func(r *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &world{T: t, model: newModel(h), memory: newMemory(), log: &lines{}}
		pipe := emulator.NewPipe(r.model)
		defer func() { _ = pipe.Close() }()
		c, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		r.client = c.WithSession(open{})
		f(r)
	})
}

// owner is the bot of a poller, as far as a test says something of it.
type owner struct {
	poll.NoBot
	active func() bool
	sent   func(after platform.MessageID, each func(poll.Own)) error
	polled func(event.PollResult, error)
}

func (o owner) IsActive() bool { return o.active != nil && o.active() }

func (o owner) RecentOwnMessages(_ context.Context, after platform.MessageID, each func(poll.Own)) error {
	if o.sent == nil {
		return nil
	}
	return o.sent(after, each)
}

func (o owner) NotePoll(result event.PollResult, err error) {
	if o.polled != nil {
		o.polled(result, err)
	}
}

// config returns a configuration that works.
func (r *world) config() poll.Config {
	return poll.Config{
		Account: "shop",
		Me:      func(context.Context) (platform.UserID, error) { return me, nil },
		Client:  r.client, Cursors: r.memory, Sink: r.memory,
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
	}
}

// start begins a new incarnation of the poller. What was not stored is lost.
func (r *world) start(change ...func(*poll.Config)) {
	r.Helper()
	r.memory.crash()
	cfg := r.config()
	for _, f := range change {
		f(&cfg)
	}
	p, err := poll.New(cfg)
	if err != nil {
		r.Fatal(err)
	}
	r.poller = p
}

// cycle waits until the poller is due, and runs a cycle that must not fail.
func (r *world) cycle() event.PollResult {
	r.Helper()
	result, err := r.try()
	if err != nil {
		r.Fatal(err)
	}
	return result
}

// try waits until the poller is due, and runs a cycle.
func (r *world) try() (event.PollResult, error) {
	time.Sleep(time.Until(r.poller.Next(time.Now())))
	return r.poller.Poll(r.Context())
}

// run runs cycles for d, and stores what they deliver.
func (r *world) run(d time.Duration) (total event.PollResult) {
	r.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); {
		result := r.cycle()
		r.memory.commit()
		total.Events += result.Events
		total.Calls += result.Calls
		total.Late += result.Late
	}
	return total
}

// reads returns how many calls of get_messages f makes.
func (r *world) reads(f func()) int {
	before := r.model.count("get_messages")
	f()
	return r.model.count("get_messages") - before
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// with returns the lines that contain text.
func (l *lines) with(text string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}
