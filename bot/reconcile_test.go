package bot_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// deed is an action whose answer goes missing.
type deed struct {
	verb     event.Verb
	endpoint string
	kind     emulator.EntryKind // what the ledger shows of it
	undone   emulator.EntryKind // what the ledger must not show
	do       func(t *bot.Turn, target *deedTarget) error
}

// deedTarget is what deeds are done to.
type deedTarget struct {
	theirs, ours platform.PostID
	message      platform.MessageID
}

var deeds = []deed{
	{event.VerbMessage, "send_message", emulator.Arrived, 0, func(t *bot.Turn, _ *deedTarget) error { return t.Message(" done & dusted ") }},
	{event.VerbPost, "publish_post", emulator.Published, 0, func(t *bot.Turn, _ *deedTarget) error { return t.Publish("news <3") }},
	{event.VerbLike, "like_post", emulator.Liked, emulator.Unliked, func(t *bot.Turn, x *deedTarget) error { t.Like(x.theirs); return nil }},
	{event.VerbRepost, "publication_repost", emulator.Reposted, emulator.Unreposted, func(t *bot.Turn, x *deedTarget) error { t.Repost(x.theirs); return nil }},
	{event.VerbFollow, "follow", emulator.Followed, emulator.Unfollowed, func(t *bot.Turn, _ *deedTarget) error { t.Follow(); return nil }},
	{event.VerbDeleteMessage, "delete_message", emulator.Deleted, 0, func(t *bot.Turn, x *deedTarget) error { t.DeleteMessage(x.message); return nil }},
	{event.VerbDeletePost, "delete_post", emulator.Deleted, 0, func(t *bot.Turn, x *deedTarget) error { t.DeletePost(x.ours); return nil }},
}

// mishap is a way for an answer to go missing.
type mishap struct {
	name  string
	fault emulator.Fault // of the platform
	way   way            // of the network
	crash bool           // the bot is killed at that moment
	stop  bool           // the bot is stopped at that moment
}

// way is what the network does with a request.
type way uint8

const (
	wayClear   way = iota
	wayLost        // it hangs until the caller gives up, and is never handled
	wayUnheard     // it is handled, and the answer hangs until the caller gives up
	wayLate        // it is handled after the caller gave up
	wayOut         // it is out and not handled yet
	wayBack        // it is handled, and the answer is on its way
	wayLast        // it hangs until the caller gives up, and is handled as late as may be after that
	wayCut         // it is cut at once, and handled as late as may be after that
)

// The platform may work on a request for so long after it was given up, which is at its deadline or earlier.
const (
	deadline = 15 * time.Second
	grace    = 20 * time.Second
)

var mishaps = []mishap{
	{name: "none"},
	{name: "cut before", fault: emulator.CutBefore},
	{name: "cut after", fault: emulator.CutAfter},
	{name: "500 before", fault: emulator.Err500Before},
	{name: "500 after", fault: emulator.Err500After},
	{name: "502", fault: emulator.Bad502},
	{name: "truncated", fault: emulator.Truncated},
	{name: "switched", fault: emulator.Switched},
	{name: "endless", fault: emulator.Endless},
	{name: "timeout before", way: wayLost},
	{name: "timeout after", way: wayUnheard},
	{name: "handled late", way: wayLate},
	{name: "killed before", way: wayOut, crash: true},
	{name: "killed after", way: wayBack, crash: true},
	{name: "stopped before", way: wayOut, stop: true},
	{name: "stopped after", way: wayBack, stop: true},
	{name: "stopped while it hangs", way: wayLost, stop: true},
	{name: "killed while it hangs", way: wayUnheard, crash: true},
	{name: "killed, and handled late", way: wayLate, crash: true},
	{name: "handled at the last moment", way: wayLast},
	{name: "cut, and handled at the last moment", way: wayCut},
	{name: "killed, and handled at the last moment", way: wayLast, crash: true},
	{name: "killed after a cut, and handled at the last moment", way: wayCut, crash: true},
}

// However the answer to an action goes missing, the platform shows it once, its conversation goes on in
// order, and nobody of the bot's is taken for a person.
func TestReconciled(t *testing.T) {
	t.Parallel()
	for i, d := range deeds {
		for k, m := range mishaps {
			if !effort.Sampled(i + k) {
				continue
			}
			t.Run(fmt.Sprint(d.verb, ", ", m.name), func(t *testing.T) {
				effort.Case(t)
				reconcile(t, d, m)
			})
		}
	}
}

func reconcile(t *testing.T, d deed, m mishap) {
	t.Helper()
	var target deedTarget
	line := &line{endpoint: d.endpoint, way: m.way}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			on("go", func(_ context.Context, t *bot.Turn) error { return d.do(t, &target) }), echo().Ordered(1),
		},
		Transport: line.on,
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		target = deedTarget{ours: w.Posts("menu"), theirs: ana.Mentions("look"), message: lastOwn(w, ana)}
		since := w.Platform().Ledger().Len()
		w.Faults(emulator.Faults{}) // what is under way at a stop may stay in doubt
		if m.fault != emulator.NoFault {
			w.Disturb(d.endpoint, m.fault)
		}
		line.watch(w)
		ana.Says("go", "next")
		if m.crash || m.stop {
			<-line.reached
			if m.crash {
				w.Crash()
			} else {
				w.Restart()
			}
		}
		if d.verb == event.VerbMessage {
			ana.Expects("done & dusted")
		}
		ana.Expects("next")
		w.Advance(time.Minute) // a second copy would come now
		counts := map[emulator.EntryKind]int{}
		for _, e := range w.Platform().Ledger().Since(since) {
			if e.ByAPI {
				counts[e.Kind]++
			}
		}
		want := 1
		if d.kind == emulator.Arrived {
			want = 2 // and the next answer
		}
		if counts[d.kind] != want || d.undone != 0 && counts[d.undone] > 0 {
			t.Errorf("the ledger shows %v", counts)
		}
		if c := w.Conversation(ana); c.Owner != "" {
			t.Errorf("the conversation belongs to %q", c.Owner)
		}
		ana.Says("and now?")
		ana.Expects("and now?")
	})
}

// lastOwn returns the account's last message to a person.
func lastOwn(w *bottest.World, p *bottest.Person) platform.MessageID {
	var last platform.MessageID
	for _, m := range w.Platform().Messages(w.Account("bot").ID(), p.ID()) {
		if m.Own {
			last = m.ID
		}
	}
	return last
}

// line is the network between the bot and the platform. It does something to the next call of an
// endpoint, once it is watched, and counts all calls.
type line struct {
	endpoint string
	way      way
	reached  chan struct{} // closed when the call is where its way ends
	platform http.Handler

	mu    sync.Mutex
	armed bool
	calls []lineCall
}

// lineCall is a call that passed.
type lineCall struct {
	endpoint, page string
	at             time.Time
}

// watch lets the next call of the endpoint meet what the line has for it.
func (l *line) watch(w *bottest.World) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.platform = w.Platform()
	l.armed, l.reached, l.calls = l.way != wayClear, make(chan struct{}), nil
}

func (l *line) on(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		endpoint := path.Base(r.URL.Path)
		l.mu.Lock()
		l.calls = append(l.calls, lineCall{endpoint, r.URL.Query().Get("page_size"), time.Now()})
		hit := l.armed && endpoint == l.endpoint
		if hit {
			l.armed = false
		}
		l.mu.Unlock()
		if !hit {
			return next.RoundTrip(r)
		}
		return l.meet(next, r)
	})
}

// meet does to a call what its way says.
func (l *line) meet(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	switch l.way {
	case wayUnheard, wayBack:
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		close(l.reached)
		if l.way == wayBack {
			return resp, nil // it still travels for the latency of the world
		}
		_ = resp.Body.Close()
	case wayOut:
		close(l.reached)
		time.Sleep(time.Millisecond)
		return next.RoundTrip(r)
	case wayLate:
		l.linger(r, func() { <-r.Context().Done(); time.Sleep(2 * time.Second) })
	case wayLast:
		l.linger(r, func() { time.Sleep(deadline + grace - time.Second) })
	case wayCut:
		l.linger(r, func() { time.Sleep(grace - time.Second) })
		return nil, io.ErrUnexpectedEOF
	default:
		close(l.reached)
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// linger lets a request be handled after a while, whatever became of its sender.
func (l *line) linger(r *http.Request, wait func()) {
	close(l.reached)
	again := r.Clone(context.WithoutCancel(r.Context()))
	go func() {
		wait()
		pipe := emulator.NewPipe(l.platform)
		if resp, err := pipe.Transport().RoundTrip(again); err == nil {
			_ = resp.Body.Close()
		}
		_ = pipe.Close()
	}()
}

// roundTripper is a function as a http.RoundTripper.
type roundTripper func(r *http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
