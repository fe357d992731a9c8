package bot_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// gapless is a polite bot that nothing slows down, on a platform with this dialect.
func gapless(d emulator.Dialect) bottest.Config {
	return bottest.Config{
		Routes:   politeRoutes(),
		Platform: emulator.Config{Dialect: d, Seed: 5},
		Bot:      bot.Config{Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: -1}, Concurrency: 8, PollInterval: 5 * time.Second},
	}
}

// expectAllAnswered lets the bot come to rest, and asks the platform for its verdict.
func expectAllAnswered(t *testing.T, w *bottest.World, messages int) {
	t.Helper()
	w.Advance(30 * time.Minute)
	if v := judge.Platform(w.Platform(), politeExpect(w.Account("bot").ID(), emulator.Dialect{})); !v.OK() || v.Messages != messages {
		t.Errorf("want a clear verdict over %d messages, got %s\n%s", messages, v, strings.Join(v.Details[:min(9, len(v.Details))], "\n"))
	}
}

// 500 notifications and 300 messages come between two polls: twins, and texts that differ only behind
// what the chat list shows of them. In between, ids go to other people.
func TestBurstBetweenTwoPolls(t *testing.T) {
	effort.Long(t)
	for name, d := range map[string]emulator.Dialect{
		"classic":           {},
		"capped pages":      {PageCap: 7},
		"disorder":          {Disorder: true, PageCap: 20},
		"newest page first": {NewestPageFirst: true, MessagesDescending: true, PageCap: 20},
		"keeps unseen":      {ReadKeepsUnseen: true, LastCut: 50},
		"localised":         {Localised: true, Unread: emulator.UnreadText, LastCut: 50},
		"older":             {OldKeys: true, NoPostID: true, PageCap: 20, LastCut: 50, NewestPageFirst: true, FetchReads: true},
	} {
		if !effort.Some(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, gapless(d), func(w *bottest.World) {
				post, other := w.Posts("news"), w.Posts("more news")
				w.Advance(time.Minute)
				long := strings.Repeat("well ", 12)
				for i := range 100 {
					p := w.Person(fmt.Sprint("p", i))
					w.Platform().Say(p.ID(), w.Person("p0").ID(), "psst")
					p.Likes(post)
					p.Likes(other)
					p.Reposts(post)
					p.Follows()
					p.Mentions("look at this")
					p.Says("ok", "ok", long+fmt.Sprint(i))
				}
				one := w.Person("one")
				for range 300 {
					one.Says("ok")
				}
				expectAllAnswered(t, w, 600)
			})
		})
	}
}

// during calls act after each answer of an endpoint, for so many times.
type during struct {
	http.RoundTripper
	endpoint string
	act      func(n int)

	mu   sync.Mutex
	left int
}

// RoundTrip implements http.RoundTripper.
func (d *during) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.RoundTripper.RoundTrip(r)
	if path.Base(r.URL.Path) == d.endpoint {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.left > 0 && d.act != nil {
			d.left--
			d.act(d.left)
		}
	}
	return resp, err
}

// While the bot reads the pages of the lists, rows come on top, vanish and come back, so that the pages
// shift under it.
func TestPagesThatShift(t *testing.T) {
	for name, d := range map[string]emulator.Dialect{"classic": {PageCap: 10}, "disorder": {PageCap: 10, Disorder: true}} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			shift := &during{endpoint: "get_notifications"}
			cfg := gapless(d)
			cfg.Transport = func(next http.RoundTripper) http.RoundTripper { shift.RoundTripper = next; return shift }
			bottest.Run(t, cfg, func(w *bottest.World) {
				post := w.Posts("news")
				p := w.Platform()
				fans := make([]*bottest.Person, 100)
				for i := range fans {
					fans[i] = w.Person(fmt.Sprint("fan", i))
				}
				w.Advance(time.Minute)
				for _, f := range fans {
					f.Reposts(post)
					f.Mentions("look")
				}
				shift.mu.Lock()
				shift.left, shift.act = 40, func(n int) {
					p.Unrepost(fans[2*n].ID(), post)
					p.Follow(fans[n].ID(), w.Account("bot").ID())
					if n%2 == 0 {
						p.Repost(fans[2*n].ID(), post)
					}
					p.Mention(fans[n+40].ID(), w.Account("bot").ID(), "look again")
				}
				shift.mu.Unlock()
				expectAllAnswered(t, w, 0)
				if shift.left > 0 {
					t.Errorf("%d shifts did not happen", shift.left)
				}
			})
		})
	}
}

// Rows vanish and come back: before a poll, and long after they were answered.
func TestRowsThatComeBack(t *testing.T) {
	effort.Shared(t)
	bottest.Run(t, gapless(emulator.Dialect{PageCap: 5}), func(w *bottest.World) {
		post := w.Posts("news")
		for i := range 12 {
			f := w.Person(fmt.Sprint("fan", i))
			for range 1 + i%3 {
				f.Reposts(post)
				w.Advance(time.Duration(i) * time.Second)
				f.Unreposts(post)
				f.Follows()
				w.Advance(time.Duration(i) * 700 * time.Millisecond)
				f.Unfollows()
			}
			f.Reposts(post)
			f.Follows()
			w.Advance(time.Minute)
			f.Unfollows()
			f.Follows()
		}
		expectAllAnswered(t, w, 0)
	})
}

// The owner reads everything on the phone at once, so that the chat list never counts anything as unread.
func TestTheOwnersPhoneReadsFirst(t *testing.T) {
	for name, d := range map[string]emulator.Dialect{"classic": {}, "localised": {Localised: true}, "keeps unseen": {ReadKeepsUnseen: true}} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, gapless(d), func(w *bottest.World) {
				for n := range 40 {
					for i := range 1 + n%4 {
						p := w.Person(fmt.Sprint("p", i))
						p.Says("ok")
						if n%3 > 0 {
							w.Platform().MarkSeen(w.Account("bot").ID(), p.ID())
						}
					}
					w.Advance(time.Duration(n%7) * 900 * time.Millisecond)
				}
				expectAllAnswered(t, w, 100)
			})
		})
	}
}

// Somebody repeats the bot's own words, and the owner reads that on the phone before the bot polls: the
// chat list then looks as it did when the bot had answered. Only the slow sweep finds such a message.
func TestMessageThatTheChatListDoesNotShow(t *testing.T) {
	bottest.Run(t, gapless(emulator.Dialect{Localised: true}), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("ok")
		ana.Expects("echo: ok")
		w.Advance(20 * time.Second)
		ana.Says("echo: ok")
		w.Platform().MarkSeen(w.Account("bot").ID(), ana.ID())
		ana.Expects("echo: echo: ok")
		expectAllAnswered(t, w, 2)
	})
}

// Whichever call of a poll fails, first or later page, and however it fails: nothing is left out.
func TestPollThatFailsHalfWay(t *testing.T) {
	faults := []emulator.Fault{emulator.CutAfter, emulator.Err500After, emulator.Truncated, emulator.Bad502, emulator.TooMany, emulator.Switched}
	for _, endpoint := range []string{"get_notifications", "get_chats", "get_messages"} {
		if effort.Few() && endpoint != "get_messages" {
			continue
		}
		t.Run(endpoint, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, gapless(emulator.Dialect{PageCap: 5}), func(w *bottest.World) {
				post := w.Posts("news")
				messages := 0
				for call := range 12 {
					befalls := make([]emulator.Fault, call+1)
					befalls[call] = faults[call%len(faults)]
					w.Disturb(endpoint, befalls...)
					for i := range 8 {
						p := w.Person(fmt.Sprintf("p%d of %d", i, call))
						p.Reposts(post)
						p.Follows()
						p.Mentions("look")
						p.Says("one", "two", "three")
						messages += 3
					}
					for range 20 {
						w.Person("one").Says("ok")
						messages++
					}
					w.Advance(2 * time.Minute)
				}
				expectAllAnswered(t, w, messages)
			})
		})
	}
}

// Where there is no get_messages, what the chat list shows is answered, twins and cut texts included.
func TestWithoutGetMessages(t *testing.T) {
	for name, d := range map[string]emulator.Dialect{
		"a page": {Messages: emulator.AbsentPage}, "a code": {Messages: emulator.AbsentCode, LastCut: 50},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, gapless(d), func(w *bottest.World) {
				w.Advance(time.Minute)
				for n := range 10 {
					for i := range 30 {
						w.Person(fmt.Sprint("p", i)).Says([]string{"ok", strings.Repeat("well ", 12) + fmt.Sprint(n)}[i%2])
					}
					w.Advance(time.Minute)
				}
				expectAllAnswered(t, w, 300)
			})
		})
	}
}
