package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// TestEnginesAnswerAlike: whatever is asked of one engine, another one with the same memory answers the same.
func TestEnginesAnswerAlike(t *testing.T) {
	t.Parallel()
	var first map[string]any
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			w := newWorld(t, func(t *testing.T) database { t.Helper(); return e.fresh(t, way{}) })
			live(w)
			got := allAnswers(t, w)
			if first == nil {
				first = got
			}
			for question, want := range first {
				if d := cmp.Diff(want, got[question]); d != "" {
					t.Errorf("%s (-%s +%s):\n%s", question, engines[0].name, e.name, d)
				}
			}
		})
	}
}

// live is a life with something of everything.
func live(w *world) {
	w.Helper()
	seen := func(e event.Event, minutes int, user string) event.Event {
		e.SeenAt, e.User = noon.Add(time.Duration(minutes)*time.Minute), user
		return e
	}
	whole := everything()
	w.must(whole)
	for n := range int64(6) {
		peer := platform.UserID(20 + n%3)
		e := seen(message(peer, 100+n), int(n), fmt.Sprint("User_", peer))
		if n == 4 {
			e.ID.Source, e.Kind = event.Snapshots, event.KindMessage
		}
		turn := at(says(named(turnOf(e), n/3+1, fmt.Sprint("name ", n)), fmt.Sprint("reply ", n)), noon.Add(time.Duration(n)*time.Hour))
		turn.Record.Rule, turn.Record.Version, turn.Record.Note = fmt.Sprint("rule-", n%2), "hash", fmt.Sprint("note ", n)
		turn.Conversation.User, turn.Conversation.Owner, turn.Conversation.OwnerSince = e.User, []string{"", "team"}[n%2], noon
		turn.Actions[0].Position, turn.Actions[0].Rule = 100+n, turn.Record.Rule
		turn.Facts = []event.Fact{{Name: "seen", Value: raw(fmt.Sprint(n)), ReadAt: noon}}
		turn.Timers = []event.Timer{alarm(peer, "silence", n+1, noon.Add(time.Duration(n)*time.Minute))}
		w.must(turn)
		state := []event.State{event.StateDone, event.StateHeld, event.StateInDoubt, event.StateWithdrawn, event.StateRefused, event.StateSending}[n]
		m := mark(turn, state, 900+n)
		m.Reason, m.Position = []string{"", "", "", "the rule rule-1 is on watch", "no", ""}[n], 100+n
		w.same("error", nil, w.MarkNow(w.Context(), m))
	}
	w.QueueMarks(ageOf("message:102/test/0", 3*time.Second, "boot", time.Hour))
	post := says(turnOf(seen(message(30, 200), 1, "poster")), "a post", func(a *record.Action) { a.Verb, a.Key = event.VerbPost, event.NamedKey("spring/1") }, due(noon.Add(time.Hour)))
	back := says(turnOf(seen(message(30, 201), 2, "poster")), "", func(a *record.Action) { a.Verb, a.Post, a.Want, a.Position = event.VerbRepost, 77, false, 2 })
	w.must(post, back)
	w.quarantine(seen(message(31, 300), 3, "stuck"))
	if r := w.commit(store.Write{Pending: []event.Event{seen(message(32, 301), 4, "waits")}}); r.Err != nil {
		w.Fatal(r.Err)
	}
	own := turnBy(event.Trigger{Kind: event.ByNudge, Key: event.Own(ana), Nudge: &event.Nudge{Name: "started", Number: 1}})
	own.Values = []store.ValueUse{{Plugin: "plugin", Name: "value", Version: 5, Value: raw(`{"a":1}`)}}
	w.must(own)
	fired := byTimer(alarm(21, "silence", 5, noon.Add(4*time.Minute)))
	w.must(at(says(turnBy(fired), "in time", func(a *record.Action) { a.Position = 3 }), noon.Add(9*time.Hour))) // no two places are the same
	askedFor(w)
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 500, PolledAt: noon}, record.Cursor{Account: berk, Source: event.Notifs, Peer: 3, ID: 1, Mark: 1 << 63, PolledAt: noon})
	w.flush()
}

// askedFor is what people ask for, and what becomes of it.
func askedFor(w *world) {
	w.Helper()
	for i, wish := range []event.Wish{event.WishDrop, event.WishTakeOver, event.WishRetry} {
		q := asking(ana, platform.UserID(21), wish)
		q.By = "Ines"
		asked := w.ask(q)[0]
		turn := at(turnBy(asked.Trigger()), noon.Add(time.Duration(10+i)*time.Hour))
		turn.Record.By, turn.Record.Note = "Ines", fmt.Sprint("decision ", i)
		if wish == event.WishDrop {
			a, ok, err := w.Action(w.Context(), ana, "message:101/test/0")
			if !ok || err != nil {
				w.Fatal(ok, err)
			}
			a.State, a.Reason = event.StateWithdrawn, "dropped"
			turn.Actions = []record.Action{{Action: a, Held: true}}
		}
		if wish != event.WishRetry { // which waits
			w.must(turn)
		}
	}
}

// allAnswers asks everything.
func allAnswers(t *testing.T, w *world) map[string]any {
	t.Helper()
	d, ok := w.inspector.(interface {
		asker
		comparer
	})
	if !ok {
		t.Fatalf("a desk of type %T", w.inspector)
	}
	ctx, key, all := t.Context(), event.Key{Account: ana, Peer: 21}, map[string]any{}
	note := func(question string, answer any, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", question, err)
		}
		text, err := json.MarshalIndent(answer, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all[question] = numbersOfRequests(string(text))
	}
	person(ctx, note, d)
	for name, q := range map[string]record.EventQuery{
		"all": {}, "of one": {Peer: 21}, "quarantined": {State: record.EventQuarantined}, "of one that waits": {State: record.EventPending, Peer: 32},
		"by rule": {Rule: "rule-1"}, "by rule of one": {Rule: "rule-0", Peer: 20}, "by outcome": {Outcome: "Handled"}, "that wait": {Outcome: "PENDING"}, "since": {Since: noon.Add(2 * time.Minute)},
	} {
		q.Account, q.Limit = ana, 50
		x, err := d.Events(ctx, q)
		note("events "+name, x, err)
	}
	for _, state := range []event.State{"", event.StateDue, event.StateSending, event.StateInDoubt, event.StateHeld} {
		x, err := d.Actions(ctx, record.ActionQuery{Account: ana, Peer: 21, State: state, Limit: 50})
		note("actions "+string(state), x, err)
		if state != "" {
			x, err = d.Actions(ctx, record.ActionQuery{Account: ana, State: state, Limit: 50})
			note("actions of all "+string(state), x, err)
		}
	}
	for _, state := range []string{record.TimerWaiting, record.TimerQuarantined, record.TimerOrphaned} {
		for _, peer := range []platform.UserID{0, 22} {
			x, err := d.Timers(ctx, record.TimerQuery{Account: ana, Peer: peer, State: state, Until: noon.Add(time.Hour), Limit: 50})
			note(fmt.Sprint("timers ", state, peer), x, err)
		}
	}
	for name, q := range map[string]record.TurnQuery{
		"all": {Timer: "silence"}, "of one": {Timer: "silence", Peer: 21}, "by outcome": {Timer: "silence", Outcome: "HANDLED"}, "by rule": {Timer: "silence", Rule: "none"},
	} {
		q.Account, q.Limit = ana, 50
		x, err := d.Turns(ctx, q)
		note("turns "+name, x, err)
	}
	var recorded []record.Recorded
	err := d.Recorded(ctx, ana, noon.Add(-time.Hour), func(r record.Recorded) error { recorded = append(recorded, r); return nil })
	note("recorded", recorded, err)
	for _, id := range []string{"message:101", "message:101/test/0", "nudge:started/1", fired, event.NamedKey("spring/1"), "timer:22/silence/6"} {
		x, ok, err := d.Why(ctx, ana, id)
		note("why "+id, []any{x, ok}, err)
	}
	talks, err := d.Conversations(ctx, ana, []platform.UserID{20, 21, 22, 99})
	note("conversations", talks, err)
	owned, err := d.Owned(ctx, record.ConversationQuery{Account: ana, Owner: "team", Limit: 9})
	note("owned", owned, err)
	accounts, err := d.Accounts(ctx)
	note("accounts", accounts, err)
	for _, user := range []string{"user_21", "STUCK", "nobody"} {
		x, err := d.PeersNamed(ctx, ana, user)
		note("named "+user, x, err)
		y, err := d.PeersSeen(ctx, ana, user)
		note("seen "+user, y, err)
	}
	counts(ctx, note, d)
	from, to, err := w.TimesAround(ctx, ana, 901)
	note("around", []time.Time{from, to}, err)
	rest, err := w.RecentEvents(ctx, key, 9)
	note("recent", rest, err)
	return all
}

const fired = "timer:21/silence/5"

var askedNumber = regexp.MustCompile(`"Number": \d{12}`)

// numbersOfRequests takes out of a text what depends on when it was asked.
func numbersOfRequests(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.Contains(line, "decision:request/") || askedNumber.MatchString(line) || strings.Contains(line, `"AskedAt"`) {
			lines[i] = "(asked)"
		}
	}
	return strings.Join(lines, "\n")
}

// comparer is what an inspector answers.
type comparer interface {
	Events(ctx context.Context, q record.EventQuery) ([]record.EventRow, error)
	Actions(ctx context.Context, q record.ActionQuery) ([]event.Action, error)
	Timers(ctx context.Context, q record.TimerQuery) ([]record.TimerRow, error)
	Turns(ctx context.Context, q record.TurnQuery) ([]record.TurnRow, error)
	Recorded(ctx context.Context, account event.Account, since time.Time, f func(record.Recorded) error) error
	Why(ctx context.Context, account event.Account, id string) (record.Recorded, bool, error)
	Conversations(ctx context.Context, account event.Account, peers []platform.UserID) ([]record.ConversationRow, error)
	Owned(ctx context.Context, q record.ConversationQuery) ([]record.ConversationRow, error)
	Accounts(ctx context.Context) ([]event.Account, error)
	PeersNamed(ctx context.Context, account event.Account, user string) ([]event.Peer, error)
	PeersSeen(ctx context.Context, account event.Account, user string) ([]event.Peer, error)
	Person(ctx context.Context, key event.Key) (*record.Person, error)
	EventCounts(ctx context.Context, account event.Account, since time.Time) ([]record.EventCount, error)
	ActionCounts(ctx context.Context, account event.Account, since time.Time) ([]record.ActionCount, error)
	Tallies(ctx context.Context, account event.Account, since time.Time) ([]record.Tally, error)
	Decisions(ctx context.Context, key event.Key, limit int) ([]record.TurnRow, error)
	EditedActions(ctx context.Context, account event.Account) (map[string]bool, error)
	OwnTurns(ctx context.Context, account event.Account, limit int) ([]record.Recorded, error)
	Oldest(ctx context.Context, account event.Account) (time.Time, error)
	Takeovers(ctx context.Context, key event.Key, limit int) ([]record.Recorded, error)
	ActionsOf(ctx context.Context, account event.Account, trigger string) ([]event.Action, error)
	Before(ctx context.Context, account event.Account, source event.Source, at time.Time) (int64, error)
	States(ctx context.Context, account event.Account, source event.Source, numbers []int64) (map[int64]string, error)
	Deleted(ctx context.Context, account event.Account, messages []int64) (map[int64]bool, error)
	Sent(ctx context.Context, account event.Account, after platform.MessageID, limit int) ([]event.Action, error)
	Published(ctx context.Context, account event.Account, since time.Time) ([]event.Publication, error)
	TakenBack(ctx context.Context, account event.Account, post platform.PostID) (time.Time, error)
	AccountValues(ctx context.Context, account event.Account, plugin, after string, limit int) ([]record.AccountValue, error)
	CursorsAfter(ctx context.Context, account event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error)
	Ignored(ctx context.Context, account event.Account) ([]record.Ignored, error)
	HeldBefore(ctx context.Context, account event.Account, before time.Time, limit int) ([]event.Action, error)
	SaidSince(ctx context.Context, key event.Key, since time.Time) ([]store.Said, error)
	Standings(ctx context.Context) (map[event.Account]store.Standing, error)
	HeldActions(ctx context.Context, account event.Account, limit int) ([]event.Action, error)
}

func person(ctx context.Context, note func(string, any, error), d comparer) {
	for _, peer := range []platform.UserID{7, 20, 21, 22, 30, 31} {
		p, err := d.Person(ctx, event.Key{Account: ana, Peer: peer})
		note(fmt.Sprint("person ", peer), p, err)
		said, err := d.SaidSince(ctx, event.Key{Account: ana, Peer: peer}, noon.Add(-time.Hour))
		note(fmt.Sprint("said to ", peer), said, err)
		decisions, err := d.Decisions(ctx, event.Key{Account: ana, Peer: peer}, 9)
		note(fmt.Sprint("decisions about ", peer), decisions, err)
		takeovers, err := d.Takeovers(ctx, event.Key{Account: ana, Peer: peer}, 9)
		note(fmt.Sprint("takeovers of ", peer), takeovers, err)
	}
}

func counts(ctx context.Context, note func(string, any, error), d comparer) {
	since := noon.Add(-time.Hour)
	events, err := d.EventCounts(ctx, ana, since)
	note("event counts", events, err)
	actions, err := d.ActionCounts(ctx, ana, since)
	note("action counts", actions, err)
	tallies, err := d.Tallies(ctx, ana, since)
	note("tallies", asSet(tallies), err)
	edited, err := d.EditedActions(ctx, ana)
	note("edited", edited, err)
	own, err := d.OwnTurns(ctx, ana, 9)
	note("own turns", own, err)
	oldest, err := d.Oldest(ctx, ana)
	note("oldest", oldest.UTC(), err)
	of, err := d.ActionsOf(ctx, ana, "message:103")
	note("actions of", of, err)
	before, err := d.Before(ctx, ana, event.Messages, noon.Add(3*time.Minute))
	note("before", before, err)
	states, err := d.States(ctx, ana, event.Messages, []int64{100, 300, 301, 999})
	note("states", states, err)
	deleted, err := d.Deleted(ctx, ana, []int64{1, 2})
	note("deleted", deleted, err)
	sent, err := d.Sent(ctx, ana, 0, 9)
	note("sent", sent, err)
	published, err := d.Published(ctx, ana, since)
	note("published", published, err)
	back, err := d.TakenBack(ctx, ana, 77)
	note("taken back", back, err)
	never, err := d.TakenBack(ctx, ana, 78)
	note("never taken back", never, err)
	values, err := d.AccountValues(ctx, ana, "plugin", "", 9)
	note("values", values, err)
	cursors, err := d.CursorsAfter(ctx, berk, event.Notifs, 0, 9)
	note("cursors", cursors, err)
	ignored, err := d.Ignored(ctx, ana)
	note("ignored", ignored, err)
	long, err := d.HeldBefore(ctx, ana, noon.Add(time.Hour), 9)
	note("held for long", long, err)
	standings, err := d.Standings(ctx)
	note("standings", standings, err)
	strays, err := d.HeldActions(ctx, ana, 9)
	note("held", strays, err)
}

// asSet counts what is in no order.
func asSet[T comparable](all []T) map[string]int {
	set := map[string]int{}
	for _, x := range all {
		set[fmt.Sprint(x)]++
	}
	return set
}
