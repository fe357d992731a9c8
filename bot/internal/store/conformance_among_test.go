package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// surveyor is what an inspector tells of many accounts at once.
type surveyor interface {
	Accounts(ctx context.Context) ([]event.Account, error)
	Knows(ctx context.Context, account event.Account) (bool, error)
	Among(ctx context.Context, accounts []event.Account, things ...record.Having) ([]event.Account, error)
	Heads(ctx context.Context, accounts []event.Account, q record.EventQuery) ([]record.Head, error)
	OldestOf(ctx context.Context, accounts []event.Account) (time.Time, error)
	DueLatest(ctx context.Context, accounts []event.Account, since, until time.Time, limit int) ([]event.Account, error)
	Numbered(ctx context.Context, accounts []event.Account, number string) ([]event.Account, error)
	Knowledge(ctx context.Context, accounts []event.Account) (record.Knowledge, error)
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
	RulesOf(ctx context.Context, accounts []event.Account) (map[event.Account]record.InForce, error)
	Polled(ctx context.Context, accounts []event.Account) (map[event.Account]time.Time, error)
	Tallies(ctx context.Context, account event.Account, since time.Time) ([]record.Tally, error)
	TalliesOf(ctx context.Context, accounts []event.Account, since time.Time) ([]record.Tally, error)
}

func (w *world) surveyor() surveyor {
	w.Helper()
	s, ok := w.inspector.(surveyor)
	if !ok {
		w.Fatalf("a desk of type %T", w.inspector)
	}
	return s
}

// of makes an event one of another account.
func of(account event.Account, e event.Event) event.Event {
	e.Account = account
	return e
}

// testAmong: of many accounts those are found that have something, whatever it is; they keep their order.
func testAmong(w *world) {
	others := []event.Account{"cem", "dil", "eda"}
	all := append([]event.Account{berk, ana}, others...)
	for i, account := range others { // they have dealt with other people, and have nothing open
		e := of(account, message(99, int64(9000+i)))
		e.User = "somebody"
		turn := turnOf(e)
		turn.At = noon.Add(-24 * time.Hour)
		w.must(turn)
	}
	w.abundant()
	w.flush()
	for account, known := range map[event.Account]bool{ana: true, "dil": false, "nobody": false} { // of dil nothing was polled
		is, err := w.surveyor().Knows(w.Context(), account)
		w.same("knows "+string(account), []any{known, nil}, []any{is, err})
	}
	accounts, err := w.surveyor().Accounts(w.Context())
	w.same("the accounts", []any{[]event.Account{ana}, nil}, []any{accounts, err})
	for name, thing := range map[string]record.Having{
		"an event": {Thing: record.HasEvent, Event: event.ID{Source: event.Messages, Number: 501}}, "events of a source": {Thing: record.HasEventsOf, Source: event.Notifs},
		"what is due": {Thing: record.HasActions, State: string(event.StateDue)}, "what is held": {Thing: record.HasActions, State: string(event.StateHeld)}, "what is unsure": {Thing: record.HasActions, State: string(event.StateInDoubt)},
		"an action": {Thing: record.HasAction, Text: "message:501/test/0"}, "the turn of an action": {Thing: record.HasTurn, Text: "message:501/test/0"},
		"a turn": {Thing: record.HasTurn, Text: "timer:7/silence/5/route/0"}, "a timer that had no turn": {Thing: record.HasTurn, Text: "timer:7/a/b/6"},
		"a timer": {Thing: record.HasTimer, Peer: 7, Text: "a/b"}, "timers aside": {Thing: record.HasTimersIn, State: record.TimerQuarantined},
		"what people have": {Thing: record.HasOwned, Text: ""}, "what a team has": {Thing: record.HasOwned, Text: "team"},
		"a name": {Thing: record.HasNamed, Text: "PEER_7"}, "a name of whom an event failed": {Thing: record.HasNamed, Text: "Stuck"}, "a name that was seen": {Thing: record.HasSeen, Text: "Stuck"},
		"a person": {Thing: record.HasPeer, Peer: 7}, "a person of a timer alone": {Thing: record.HasPeer, Peer: 70}, "anything of a person": {Thing: record.HasAnythingOf, Peer: 7},
		"a claim of a person": {Thing: record.HasAnythingOf, Peer: 71}, "entries": {Thing: record.HasEntries}, "entries on a list": {Thing: record.HasEntriesOn, List: "leads"},
		"an entry": {Thing: record.HasEntry, List: "leads", Text: "7"}, "whom it ignores": {Thing: record.HasIgnored}, "values": {Thing: record.HasValues, Text: "plugin"},
		"what was handled": {Thing: record.HasHandled, Since: noon.Add(-time.Hour)},
	} {
		those, err := w.surveyor().Among(w.Context(), all, thing)
		w.same("error", nil, err)
		w.same("who has "+name, []event.Account{ana}, those)
	}
	for name, thing := range map[string]record.Having{
		"another event": {Thing: record.HasEvent, Event: event.ID{Source: event.Notifs, Number: 501}}, "another action": {Thing: record.HasAction, Text: "message:501/test/9"},
		"another turn": {Thing: record.HasTurn, Text: "timer:9/silence/5"}, "another timer": {Thing: record.HasTimersIn, State: record.TimerOrphaned},
		"what another team has": {Thing: record.HasOwned, Text: "others"}, "another name": {Thing: record.HasNamed, Text: "peer_8"}, "another list": {Thing: record.HasEntriesOn, List: "lead"},
		"another entry": {Thing: record.HasEntry, List: "leads", Text: "8"}, "another person": {Thing: record.HasPeer, Peer: 700}, "nothing of a person": {Thing: record.HasAnythingOf, Peer: 700},
		"later": {Thing: record.HasHandled, Since: noon.Add(time.Hour)}, "what is on its way": {Thing: record.HasActions, State: string(event.StateSending)},
	} {
		those, err := w.surveyor().Among(w.Context(), all, thing)
		w.same("error", nil, err)
		w.same("who has "+name, []event.Account{}, those)
	}
	those, err := w.surveyor().Among(w.Context(), all, record.Having{Thing: record.HasEvent, Event: event.ID{Source: event.Messages, Number: 9001}}, record.Having{Thing: record.HasOwned, Text: ""})
	w.same("error", nil, err)
	w.same("who has one of two things", []event.Account{ana, "dil"}, those)
	many := []event.Account{ana}
	for i := range 2500 { // more than a statement looks at
		many = append(many, event.Account(fmt.Sprint("nobody-", i)))
	}
	many = append(many, "dil", berk)
	those, err = w.surveyor().Among(w.Context(), many, record.Having{Thing: record.HasEventsOf, Source: event.Messages})
	w.same("who of very many has something", []any{[]event.Account{ana, "dil"}, nil}, []any{those, err})
	heads, err := w.surveyor().Heads(w.Context(), many, record.EventQuery{})
	w.same("error", nil, err)
	w.same("who of very many has the newest", 2, len(heads))
}

// abundant lets ana have one of each thing.
func (w *world) abundant() {
	w.Helper()
	in := func(state event.State, place int64) func(*record.Action) {
		return func(a *record.Action) { a.State, a.Position = state, place }
	}
	full := says(says(says(turnOf(message(7, 501)), "done", in(event.StateInDoubt, 1)), "later", due(noon.Add(time.Hour))), "held", in(event.StateHeld, 3))
	full.Conversation = &conversation.State{Key: event.Key{Account: ana, Peer: 7}, Version: 1, Name: "Peer", User: "peer_7", Owner: "team", OwnerSince: noon}
	full.Timers = []event.Timer{alarm(7, "a/b", 6, noon.Add(-time.Hour)), alarm(8, "stuck", 1, noon), alarm(7, "silence", 5, noon), alarm(70, "silence", 6, noon)}
	full.Entries = []event.Entry{{Account: ana, List: "leads", Key: "7", Peer: 7, At: noon}}
	full.Known = []event.Fact{{Name: "pause", Value: json.RawMessage(`{"rules":{}}`), ReadAt: noon}, {Name: "rival", Value: json.RawMessage(`{}`), ReadAt: noon}}
	full.LimitUses = []event.LimitUse{{Limit: "once", Scope: "peer:71", Max: 1}}
	full.Values = []store.ValueUse{{Plugin: "plugin", Name: "value", Value: json.RawMessage(`1`), Version: w.NextPosition()}}
	ignore := true
	full.Ignore = &ignore
	w.must(full, turnBy(byTimer(alarm(7, "silence", 5, noon))), says(turnBy(byTimer(alarm(70, "silence", 6, noon))), "of a timer", in(event.StateDone, 4)))
	w.commit(triesTimer(alarm(8, "stuck", 1, noon), 5, true))
	failing := message(30, 502)
	failing.User = "stuck"
	notice := message(31, 77)
	notice.ID.Source = event.Notifs
	w.must(turnOf(notice))
	w.commit(store.Write{Pending: []event.Event{failing}, Cursors: []record.Cursor{{Account: ana, Source: event.Messages, ID: 502, PolledAt: noon}}})
}

// testNewestOfMany: which of many accounts have the newest events is told for all of them, and what else is.
func testNewestOfMany(w *world) {
	s, ctx := w.surveyor(), w.Context()
	var all []event.Account
	for i := range 4 {
		account := event.Account(fmt.Sprintf("account%d", i))
		all = append(all, account)
		for n := range 2 { // the higher number was seen earlier
			e := of(account, message(7, int64(10*i+n+1)))
			e.SeenAt = noon.Add(time.Duration(10*i-n) * time.Minute)
			turn := turnOf(e)
			turn.Record.Rule, turn.Record.Outcome = fmt.Sprint("rule-", i%2), "answered"
			turn.Known = []event.Fact{{Name: "place", Value: json.RawMessage(fmt.Sprint(i)), ReadAt: noon}}
			if n == 0 {
				turn.Timers = []event.Timer{{Key: e.Key(), Name: "alarm", Occurrence: 1, Due: noon.Add(time.Duration(i) * time.Hour)}}
			}
			w.must(says(turn, "hello"))
		}
		w.commit(store.Write{Cursors: []record.Cursor{{Account: account, Source: event.Notifs, ID: 1, PolledAt: noon.Add(time.Duration(i) * time.Minute)}}})
	}
	w.flush()
	heads := func(q record.EventQuery) (names []event.Account) {
		got, err := s.Heads(ctx, all, q)
		w.same("error", nil, err)
		for _, h := range got {
			names = append(names, h.Account)
		}
		return names
	}
	w.same("newest first", []event.Account{"account3", "account2", "account1", "account0"}, heads(record.EventQuery{}))
	w.same("since", []event.Account{"account3", "account2"}, heads(record.EventQuery{Since: noon.Add(20 * time.Minute)}))
	w.same("by rule", []event.Account{"account3", "account1"}, heads(record.EventQuery{Rule: "rule-1"}))
	w.same("by outcome", []event.Account{"account3", "account2", "account1", "account0"}, heads(record.EventQuery{Outcome: "Answered"}))
	w.same("quarantined", []event.Account(nil), heads(record.EventQuery{State: record.EventQuarantined}))
	delivered, err := event.Delivery{To: event.Key{Account: "account0", Peer: 8}, Name: "shop/paid", ID: "1"}.Event(noon.Add(45 * time.Minute))
	w.same("error", nil, err)
	turn := turnOf(delivered)
	turn.Record.Outcome = "paid"
	w.must(turn)
	w.same("with a delivery", []event.Account{"account0", "account3", "account2", "account1"}, heads(record.EventQuery{}))
	w.same("a delivery by outcome", []event.Account{"account0"}, heads(record.EventQuery{Outcome: "paid"}))
	done, err := w.HasDone(ctx, event.Key{Account: "account0", Peer: 8})
	w.same("who was delivered to has done nothing", []any{false, nil}, []any{done, err})
	oldest, err := s.OldestOf(ctx, all[1:])
	w.same("oldest", []any{noon.Add(10 * time.Minute).UTC(), nil}, []any{oldest.UTC(), err})
	latest, err := s.DueLatest(ctx, all, time.Time{}, noon.Add(150*time.Minute), 2)
	w.same("due latest", []any{[]event.Account{"account1", "account2"}, nil}, []any{latest, err})
	number := (&event.Action{Account: "account2", Key: "message:22/test/0"}).Number()
	numbered, err := s.Numbered(ctx, all, number)
	w.same("numbered", []any{[]event.Account{"account2"}, nil}, []any{numbered, err})
	known, err := s.Knowledge(ctx, all[2:])
	w.same("error", nil, err)
	for i, account := range all {
		want, ok, err := s.Known(ctx, account, "place")
		w.same("error", nil, err)
		got, is, _ := known.Known(ctx, account, "place")
		if i < 2 {
			want, ok = event.Fact{}, false
		}
		w.same("known of "+string(account), []any{want, ok}, []any{got, is})
	}
	polled, err := s.Polled(ctx, all)
	w.same("polled", []any{noon.Add(3 * time.Minute).UTC(), 4, nil}, []any{polled["account3"].UTC(), len(polled), err})
	var each []record.Tally
	for _, account := range all[1:] {
		some, err := s.Tallies(ctx, account, noon.Add(-time.Hour))
		w.same("error", nil, err)
		each = append(each, some...)
	}
	together, err := s.TalliesOf(ctx, all[1:], noon.Add(-time.Hour))
	w.same("tallies", []any{sums(each), nil}, []any{sums(together), err})
}

func sums(all []record.Tally) map[string]int {
	n := map[string]int{}
	for _, t := range all {
		n[fmt.Sprint(t.Rule, t.Outcome, t.Hour.Unix())] += t.Count
	}
	return n
}

// testRulesOfMany: the rules of many accounts are those that each of them acts by.
func testRulesOfMany(w *world) {
	for _, r := range []record.Rules{
		{Hash: "one", Content: "rules one", Folder: "a", Accounts: []event.Account{ana}}, {Hash: "two", Content: "rules two", Folder: "b"},
	} {
		w.same("error", nil, w.SaveRules(w.Context(), r))
	}
	all := []event.Account{ana, berk, "cem"}
	got, err := w.surveyor().RulesOf(w.Context(), all)
	w.same("error", nil, err)
	for _, account := range all {
		want, ok, err := w.RulesInForce(w.Context(), account)
		w.same("error", nil, err)
		_, is := got[account]
		w.same("rules of "+string(account), []any{want, ok}, []any{got[account], is})
	}
}
