//go:build unix

package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/record"
)

// What lies beside a file into which an account has come is from before it lived elsewhere.
func TestTheRecorderSaysNothingOfWhoHasMovedIn(t *testing.T) {
	t.Parallel()
	if recorder.ThisMachine().Boot == "" {
		t.Skip("this system does not tell its boots apart")
	}
	elsewhere, here := newHome(t, "key"), newHome(t, "key")
	dwells := func(h home, account event.Account) (last *recorder.Report) {
		h.incarnations(func(w *world) {
			last = w.LastReport()
			w.Recorder().Begin(recorder.Served, string(account), "")
			w.QueueCursors(record.Cursor{Account: account, Source: event.Messages, Peer: 7, ID: 8})
			if err := w.MarkNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		return last
	}
	dwells(elsewhere, "main")
	dwells(here, "other")
	if dwells(here, "other") == nil {
		t.Fatal("it says nothing before, either")
	}
	here.moves(elsewhere)
	if last := dwells(here, "main"); last != nil {
		t.Errorf("it says %+v", last)
	}
}
