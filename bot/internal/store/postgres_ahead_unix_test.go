//go:build unix

package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// carla has nothing.
const carla = event.Account("carla")

// beginning reads what a term may begin with. Whatever goes wrong is what it finds.
func beginning(ctx context.Context, s store.Store, account event.Account) map[string]any {
	found := map[string]any{}
	note := func(what string, got any, err error) {
		if err != nil {
			got = "an error"
		}
		found[what] = got
	}
	kept, err := s.Keeper(account).LoadSession(ctx)
	note("session", fmt.Sprintf("%#v", kept), err)
	for _, source := range []event.Source{event.Messages, event.Notifs, event.Mentions, event.Snapshots} {
		newest, err := s.Newest(ctx, account, source, 64)
		note(fmt.Sprint("newest of ", source), newest, err)
		for _, peer := range []platform.UserID{0, 7} {
			cursors, err := s.Cursors(ctx, account, source, []platform.UserID{peer})
			note(fmt.Sprint("cursors of ", source, peer), cursors, err)
		}
		after, err := s.CursorsAfter(ctx, account, source, 0, 100)
		note(fmt.Sprint("all cursors of ", source), after, err)
	}
	ignored, err := s.Ignored(ctx, account)
	note("ignored", ignored, err)
	for range 2 { // an answer serves as often as it was asked for
		facts, err := s.Facts(ctx, account, store.Tried)
		note("tried", facts, err)
	}
	known, ok, err := s.Known(ctx, account, "pause")
	note("known", fmt.Sprint(known, ok), err)
	asked, err := s.RequestsOf(ctx, account)
	note("requests", asked, err)
	outboxStart(ctx, s, account, note)
	pending, err := s.PendingEvents(ctx, account, 0, 1<<20)
	note("pending", pending, err)
	return found
}

// outboxStart reads what an outbox begins with.
func outboxStart(ctx context.Context, s outbox.Ledger, account event.Account, note func(string, any, error)) {
	open, err := s.Open(ctx, account)
	note("open", open, err)
	held, err := s.HeldActions(ctx, account, 4096)
	note("held", held, err)
	ahead, err := s.ActionsAhead(ctx, account, noon.Add(-24*time.Hour), 1024)
	note("ahead", ahead, err)
	late, err := s.LateActions(ctx, account, noon.Add(24*time.Hour), 256)
	note("late", late, err)
	until, err := s.NextUntil(ctx, account, noon.Add(-24*time.Hour))
	note("until", until.UTC(), err)
	next, err := s.NextDue(ctx, account)
	note("next", next.UTC(), err)
}

// aheadWorld is a database with something of everything, of a process that serves all shards.
func aheadWorld(t *testing.T) (w *world, url string) {
	t.Helper()
	url = pgServer(t).schema(t)
	w, _ = pgWorld(t, url)
	live(w)
	all := make([]int, event.Shards)
	for i := range all {
		all[i] = i
	}
	w.Serve(all)
	return w, url
}

// begin begins the terms of accounts at once.
func (w *world) begin(accounts ...event.Account) *store.Ahead {
	w.Helper()
	ahead, err := w.BeginAll(w.Context(), accounts, func(ctx context.Context, a event.Account) { beginning(ctx, w.Store, a) })
	if err != nil || ahead == nil {
		w.Fatalf("read ahead is %v: %v", ahead, err)
	}
	return ahead
}

// TestReadAhead: what is read of many accounts at once is what is read of each, and is given to each term once.
func TestReadAhead(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	w, _ := aheadWorld(t)
	want, accounts := map[event.Account]map[string]any{}, []event.Account{carla, ana, berk}
	for _, a := range accounts {
		want[a] = beginning(t.Context(), w.Store, a)
	}
	ahead := w.begin(accounts...)
	late := message(7, 990)
	w.must(turnOf(late)) // after it was read, which no beginning is to see
	for _, a := range accounts {
		ctx, done := ahead.WithAnswers(t.Context(), a)
		w.same("begin", nil, w.Begin(ctx, a))
		w.same("read ahead of "+string(a), want[a], beginning(ctx, w.Store, a))
		w.same("read again of "+string(a), beginning(t.Context(), w.Store, a), beginning(ctx, w.Store, a))
		done()
	}
	again := w.begin(accounts...)
	w.must(turnOf(message(7, 991)))
	ctx, done := again.WithAnswers(t.Context(), ana)
	done() // the term has begun, or will not
	w.same("read when the term has begun", beginning(t.Context(), w.Store, ana), beginning(ctx, w.Store, ana))
	ctx, done = again.WithAnswers(t.Context(), "dora")
	defer done()
	w.same("read of another account", beginning(t.Context(), w.Store, "dora"), beginning(ctx, w.Store, "dora"))
}

// TestReadAheadOfTheBroken: what cannot be read of one account is its own trouble.
func TestReadAheadOfTheBroken(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	w, url := aheadWorld(t)
	for i, a := range []event.Account{ana, berk} {
		w.QueueCursors(record.Cursor{Account: a, Source: event.Messages, ID: int64(10 + i), PolledAt: noon})
	}
	w.flush()
	sqlOn(t, url, `UPDATE event SET text = '\x02ff' WHERE account = 'ana' RETURNING 1`)
	want := map[event.Account]map[string]any{ana: beginning(t.Context(), w.Store, ana), berk: beginning(t.Context(), w.Store, berk)}
	if want[ana]["newest of message"] != "an error" {
		t.Fatalf("what is broken can be read: %v", want[ana])
	}
	ahead := w.begin(ana, berk)
	for a := range want {
		ctx, done := ahead.WithAnswers(t.Context(), a)
		w.same("read ahead of "+string(a), want[a], beginning(ctx, w.Store, a))
		done()
	}
}

// TestFileReadsNothingAhead: who is alone with a file has no trips to save.
func TestFileReadsNothingAhead(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Serve([]int{ana.Shard()})
	ahead, err := s.BeginAll(t.Context(), []event.Account{ana}, func(context.Context, event.Account) { t.Error("something is read") })
	if ahead != nil || err != nil {
		t.Errorf("read ahead is %v: %v", ahead, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
