package poll_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// curtain stands before the emulator and leaves out rows, as if their transactions were still open.
type curtain struct {
	http.Handler
	mu      sync.Mutex
	message platform.MessageID // is not shown, if set
	from    platform.UserID    // whose notifications are not shown, if set
}

// ServeHTTP implements http.Handler.
func (c *curtain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	c.Handler.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	switch path.Base(r.URL.Path) {
	case "get_messages", "get_notifications":
		body = c.cover(body)
	}
	for key, values := range answer.Header() {
		if key != "Content-Length" {
			w.Header()[key] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}

// cover returns an answer without the rows that are not shown.
func (c *curtain) cover(body []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var envelope map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	if decoder.Decode(&envelope) != nil {
		return body
	}
	rows, isList := envelope["data"].([]any)
	if !isList {
		return body
	}
	envelope["data"] = slices.DeleteFunc(rows, func(row any) bool {
		fields, _ := row.(map[string]any)
		_, notification := fields["notifier_id"]
		if notification {
			return fmt.Sprint(fields["notifier_id"]) == fmt.Sprint(int64(c.from))
		}
		return fmt.Sprint(fields["id"]) == fmt.Sprint(int64(c.message))
	})
	body, _ = json.Marshal(envelope)
	return body
}

// hide draws the curtain, and open opens it.
func (c *curtain) hide(message platform.MessageID, from platform.UserID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.message, c.from = message, from
}

func (c *curtain) open() { c.hide(0, 0) }

// A message and a like that the emulator shows only when the bot has read later ones, and was started anew.
func TestLateRowsOfTheEmulatorOverARestart(t *testing.T) {
	effort.Shared(t)
	for name, d := range map[string]emulator.Dialect{
		"documented": {}, "newest first": {NewestPageFirst: true}, "keeps unseen": {ReadKeepsUnseen: true},
		"localised": {Localised: true}, "disorder": {Disorder: true}, "numbers as text": {NumbersAsText: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lateOnEmulator(t, d) })
		})
	}
}

func lateOnEmulator(t *testing.T, d emulator.Dialect) {
	t.Helper()
	time.Sleep(10 * 365 * 24 * time.Hour) // bubbles begin in 2000, which is no time on the platform
	people := emulator.New(emulator.Config{Seed: 1, Dialect: d, Faults: emulator.Faults{}})
	shade := &curtain{Handler: people}
	pipe := emulator.NewPipe(shade)
	defer func() { _ = pipe.Close() }()
	w := build(t, pipe, people)
	cycles := func(d time.Duration) {
		for end := time.Now().Add(d); time.Now().Before(end); {
			time.Sleep(time.Until(w.poller.Next(time.Now())))
			if _, err := w.poller.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	cycles(time.Second)
	seq := people.Ledger().Len()
	shade.hide(people.Say(w.peers[0], w.account, "first"), w.peers[1])
	people.Like(w.peers[1], people.Post(w.account, "news"))
	people.Say(w.peers[0], w.account, "second")
	people.Like(w.peers[2], people.Post(w.account, "more news"))
	cycles(10 * time.Second)
	if got := len(w.memory.events); got != 2 {
		t.Fatalf("%d events, want the two that are shown", got)
	}
	w.start()
	cycles(5 * time.Second)
	shade.open()
	people.MarkSeen(w.account, w.peers[0])
	cycles(10 * time.Minute)
	if missed := w.missed(seq); len(missed) > 0 {
		t.Errorf("%d were missed: %+v", len(missed), missed)
	}
}
