package bot_test

import (
	"bytes"
	"fmt"
	"io"
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
)

// spell is what befalls the answers of one list, such as "get_chats" or "get_notifications mentions",
// from when it is cast until it is lifted.
type spell struct {
	over string
	with func(s *spell, next http.RoundTripper, r *http.Request) (*http.Response, error)

	mu   sync.Mutex
	cast bool
	kept map[string][]byte // answers, by what was asked
}

// transport is a bottest.Config.Transport.
func (s *spell) transport(next http.RoundTripper) http.RoundTripper {
	return trip(func(r *http.Request) (*http.Response, error) {
		s.mu.Lock()
		cast := s.cast
		s.mu.Unlock()
		if cast && asks(r) == s.over {
			return s.with(s, next, r)
		}
		return next.RoundTrip(r)
	})
}

func (s *spell) set(cast bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cast = cast
}

// trip is a function as an http.RoundTripper.
type trip func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// asks returns which list a request is about.
func asks(r *http.Request) string {
	what, params := path.Base(r.URL.Path), r.URL.RawQuery
	if r.Body != nil {
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		r.Body = io.NopCloser(bytes.NewReader(body))
		params += "&" + string(body)
	}
	for _, list := range []string{"notifs", "mentions"} {
		if strings.Contains(params, "type="+list) {
			return what + " " + list
		}
	}
	return what
}

func replying(r *http.Request, body []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}
}

// serverError answers with a server's error.
func serverError(_ *spell, _ http.RoundTripper, r *http.Request) (*http.Response, error) {
	return replying(r, []byte(`{"code":500,"data":[],"message":"out of order"}`)), nil
}

// emptied answers with a list without rows.
func emptied(_ *spell, _ http.RoundTripper, r *http.Request) (*http.Response, error) {
	return replying(r, []byte(`{"code":204,"data":[],"message":""}`)), nil
}

// frozen answers as a cache does that never asks again.
func frozen(s *spell, next http.RoundTripper, r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if body, ok := s.kept[s.over]; ok {
		return replying(r, body), nil
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	s.kept = map[string][]byte{s.over: body}
	return replying(r, body), err
}

// unhealthiness is a way of a source to become unhealthy.
type unhealthiness struct {
	name    string
	source  event.Source
	over    string
	with    func(s *spell, next http.RoundTripper, r *http.Request) (*http.Response, error)
	dialect emulator.Dialect
	within  time.Duration
	want    string
}

// Each source that becomes unhealthy while the others hear is noticed, told once with what to do, and told
// once when it is over.
func TestUnhealthySource(t *testing.T) {
	const notifs, mentions = "get_notifications notifs", "get_notifications mentions"
	for _, d := range []unhealthiness{
		{"messages fail", event.Messages, "get_chats", serverError, emulator.Dialect{}, 10 * time.Minute, event.UnhealthyFailing},
		{"notifs fail", event.Notifs, notifs, serverError, emulator.Dialect{}, 10 * time.Minute, event.UnhealthyFailing},
		{"mentions fail", event.Mentions, mentions, serverError, emulator.Dialect{}, 10 * time.Minute, event.UnhealthyFailing},
		{"messages stand still", event.Messages, "get_chats", frozen, emulator.Dialect{}, 15 * time.Minute, event.UnhealthyStale},
		{"notifs stand still", event.Notifs, notifs, frozen, emulator.Dialect{}, 15 * time.Minute, event.UnhealthyStale},
		{"mentions stand still", event.Mentions, mentions, frozen, emulator.Dialect{}, 15 * time.Minute, event.UnhealthyStale},
		{"the chat list is empty", event.Messages, "get_chats", emptied, emulator.Dialect{}, 10 * time.Minute, event.UnhealthyEmpty},
		{"chats cannot be read", event.Messages, "get_messages", serverError, emulator.Dialect{}, 15 * time.Minute, event.UnhealthyUnread},
		{"messages are hidden", event.Messages, "get_messages", emptied, emulator.Dialect{}, 15 * time.Minute, event.UnhealthyHidden},
		{"the list shows no news", event.Messages, "get_chats", frozen, emulator.Dialect{Localised: true}, 15 * time.Minute, event.UnhealthyBlind},
	} {
		if !effort.Some(d.name) {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			effort.Case(t)
			s := &spell{over: d.over, with: d.with}
			cfg := bottest.Config{Routes: []bot.Route{echo()}, Transport: s.transport, Platform: emulator.Config{Dialect: d.dialect}}
			bottest.Run(t, cfg, func(w *bottest.World) { goUnhealthy(t, w, s, d) })
		})
	}
}

// goUnhealthy lets a source become unhealthy, and hear again.
func goUnhealthy(t *testing.T, w *bottest.World, s *spell, d unhealthiness) {
	t.Helper()
	ana, post := w.Person("ana"), w.Posts("news")
	speak := func(i int) {
		ana.Says(fmt.Sprint("message ", i))
		w.Person(fmt.Sprint("fan", i)).Likes(post)
		ana.Mentions(fmt.Sprint("question ", i))
		w.Advance(time.Minute)
	}
	speak(0)
	expectHearing(t, w, 0, "")
	s.set(true)
	for i := range int(d.within / time.Minute) {
		speak(i + 1)
	}
	expectHearing(t, w, d.source, d.want)
	lines := linesWith(w.Log(), "is unhealthy")
	if len(lines) != 1 || !strings.Contains(lines[0], "sources="+d.source.String()) || !strings.Contains(lines[0], "do=") {
		t.Errorf("want one line that says that %s is unhealthy and what to do, got %q", d.source, lines)
	}
	s.set(false)
	for i := range 6 {
		speak(100 + i)
	}
	expectHearing(t, w, 0, "")
	if lines := linesWith(w.Log(), "is heard again"); len(lines) != 1 {
		t.Errorf("want one line that says that %s is heard again, got %q", d.source, lines)
	}
	if lines := linesWith(w.Log(), "is unhealthy"); len(lines) != 1 {
		t.Errorf("want no other line about deafness, got %q", lines)
	}
}

// expectHearing checks that every source hears, but for one that is unhealthy for a reason.
func expectHearing(t *testing.T, w *bottest.World, unhealthy event.Source, why string) {
	t.Helper()
	all := w.Bot().Health()
	if len(all) != 3 {
		t.Fatalf("want the health of three sources, got %+v", all)
	}
	for _, h := range all {
		switch {
		case h.Source == unhealthy:
			if h.Unhealthy != why || h.UnhealthySince.IsZero() || h.Advice() == "" {
				t.Errorf("want %s to be deaf because %s, got %+v", h.Source, why, h)
			}
		case h.Unhealthy != "" || h.LastGood.IsZero() || h.LastEvent.IsZero():
			t.Errorf("want %s to hear, got %+v", h.Source, h)
		}
	}
}

func linesWith(log, part string) (found []string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

// No deployment's habits are taken for deafness: not while people write, not in a night in which
// nobody does, and not by rows that vanish.
func TestNoDialectIsTakenForUnhealthy(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			effort.Case(t)
			cfg := bottest.Config{
				Routes: []bot.Route{echo()}, Platform: emulator.Config{Dialect: d.Dialect}, Bot: bot.Config{PollInterval: 20 * time.Second},
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				post := w.Posts("news")
				for i := range 5 {
					p := w.Person(fmt.Sprint("p", i))
					p.Says("hello")
					p.Likes(post)
					w.Advance(7 * time.Minute)
					p.Says("hello")
					w.Platform().Unlike(p.ID(), post)
				}
				if d.Name == "classic" || d.Dialect.Localised {
					w.Advance(3 * time.Hour)
				}
				for _, h := range w.Bot().Health() {
					if h.Unhealthy != "" {
						t.Errorf("%+v", h)
					}
				}
				if lines := linesWith(w.Log(), "is unhealthy"); len(lines) > 0 {
					t.Error(lines)
				}
			})
		})
	}
}
