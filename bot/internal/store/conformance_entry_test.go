package store_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

func testEntries(w *world) {
	entry := func(list, key string, text string) event.Entry {
		return event.Entry{Account: ana, List: list, Key: key, Peer: 7, Trigger: "message:1", Text: text, Data: raw(`{"a":1}`), At: noon}
	}
	lead, other := entry("leads", "7", "first"), entry("leads", "8", "other")
	other.Peer, other.Data = 8, nil
	t := turnOf(message(7, 1))
	t.Entries = []event.Entry{other, lead, entry("leads", "7", "second"), entry("stop", "7", "")}
	w.must(t)
	again := turnOf(message(7, 2))
	again.Entries = []event.Entry{entry("leads", "7", "third")}
	w.must(again)
	w.restart()
	got, err := w.Entries(w.Context(), ana, "leads", "", 10)
	w.same("leads", []event.Entry{lead, other}, got)
	w.same("error", nil, err)
	got, err = w.Entries(w.Context(), ana, "leads", "7", 10)
	w.same("behind 7", []event.Entry{other}, got)
	w.same("error", nil, err)
	for _, c := range []struct {
		account event.Account
		peer    platform.UserID
		list    string
		want    bool
	}{{ana, 7, "leads", true}, {ana, 8, "leads", true}, {ana, 8, "stop", false}, {ana, 9, "leads", false}, {berk, 7, "leads", false}} {
		listed, err := w.Listed(w.Context(), event.Key{Account: c.account, Peer: c.peer}, c.list)
		if err != nil || listed != c.want {
			w.Errorf("%v: listed %v, %v", c, listed, err)
		}
	}
	for key, want := range map[string]bool{"7": true, "8": true, "9": false} {
		if has, err := w.HasEntry(w.Context(), ana, "leads", key); err != nil || has != want {
			w.Errorf("%s: %v, %v", key, has, err)
		}
	}
	w.byHand(lead)
	dropped := turnOf(message(7, 3))
	dropped.DropLists, dropped.Entries = []string{"leads"}, []event.Entry{lead}
	w.must(dropped)
	got, err = w.Entries(w.Context(), ana, "leads", "", 10)
	w.same("a list that was dropped", []event.Entry{lead}, got)
	w.same("error", nil, err)
	if has, err := w.HasEntry(w.Context(), ana, "stop", "7"); err != nil || !has {
		w.Errorf("another list was dropped, too: %v", err)
	}
}

// byHand adds and removes entries as people do, beside the store.
func (w *world) byHand(lead event.Entry) {
	w.Helper()
	by := lead
	by.Key, by.Trigger, by.Data = "9", "", nil
	for _, c := range []struct {
		do   func() (bool, error)
		want bool
	}{
		{func() (bool, error) { return w.inspector.AddEntry(w.Context(), lead) }, false},
		{func() (bool, error) { return w.inspector.AddEntry(w.Context(), by) }, true},
		{func() (bool, error) { return w.inspector.AddEntry(w.Context(), by) }, false},
		{func() (bool, error) { return w.inspector.RemoveEntry(w.Context(), ana, "leads", "7") }, true},
		{func() (bool, error) { return w.inspector.RemoveEntry(w.Context(), ana, "leads", "7") }, false},
		{func() (bool, error) { return w.inspector.RemoveEntry(w.Context(), berk, "leads", "8") }, false},
	} {
		if did, err := c.do(); did != c.want || err != nil {
			w.Errorf("%v, want %v; %v", did, c.want, err)
		}
	}
	got, err := w.Entries(w.Context(), ana, "leads", "8", 10)
	w.same("by hand", []event.Entry{by}, got)
	w.same("error", nil, err)
	lists, err := w.inspector.Lists(w.Context(), ana)
	w.same("lists", []record.ListCount{{List: "leads", Entries: 2}, {List: "stop", Entries: 1}}, lists)
	w.same("error", nil, err)
}

func testNotices(w *world) {
	notice := func(id, text string, at time.Time) event.Notice {
		return event.Notice{Account: ana, ID: id, Who: "the team", Text: text, Peer: 7, At: at}
	}
	first, second, third := notice("a/0", "one", noon), notice("b/0", "two", noon.Add(time.Second)), notice("a/1", "three", noon.Add(time.Minute))
	t := turnOf(message(7, 1))
	second.Private = true
	t.Notices = []event.Notice{third, first, second, notice("a/0", "once more", noon)}
	w.must(t)
	unsent := func() []event.Notice {
		notices, err := w.Unsent(w.Context(), 2)
		w.same("error", nil, err)
		return notices
	}
	w.same("unsent", []event.Notice{first, second}, unsent())
	w.same("error", nil, w.Told(w.Context(), sent(first, second), nil))
	w.restart()
	w.same("unsent", []event.Notice{third}, unsent())
	w.same("error", nil, w.Told(w.Context(), sent(first, third), nil))
	w.same("unsent", []event.Notice(nil), unsent())
}

// testNoticeOfEntry: a notice about an entry is told when the entry is new, whoever else records it at once.
func testNoticeOfEntry(w *world) {
	turn := func(number int64, key string) *store.Turn {
		t := turnOf(message(platform.UserID(number), number))
		t.Entries = []event.Entry{{Account: ana, List: "paused", Key: key, Peer: 7, At: noon}}
		t.Notices = []event.Notice{{Account: ana, ID: fmt.Sprint(number), Who: "team", At: noon, List: "paused", Key: key}}
		return t
	}
	w.must(turn(1, "a"), turn(2, "a"), turn(3, "b"))
	w.restart()
	w.must(turn(4, "a"))
	_, err := w.inspector.RemoveEntry(w.Context(), ana, "paused", "a")
	w.same("error", nil, err)
	w.must(turn(5, "a"))
	notices, err := w.Unsent(w.Context(), 10)
	var ids []string
	for _, n := range notices {
		ids = append(ids, n.ID)
	}
	slices.Sort(ids)
	w.same("told", []string{"1", "3", "5"}, ids)
	w.same("error", nil, err)
}

func (w *world) event(number int64) record.EventRow {
	w.Helper()
	e, ok, err := w.inspector.Event(w.Context(), ana, event.ID{Source: event.Messages, Number: number})
	if err != nil || !ok {
		w.Fatalf("there is no event %d, %v", number, err)
	}
	return e
}

// testMasks: what was said is replaced, in the turn's own event and in earlier ones, and why it was decided
// stays.
func testMasks(w *world) {
	if r := w.commit(store.Write{Pending: []event.Event{message(7, 1), message(7, 2)}}); r.Err != nil {
		w.Fatal(r.Err)
	}
	w.must(turnOf(message(7, 1)))
	t := turnOf(message(7, 2))
	t.Trigger.Event.Text = "(private)"
	t.Masks = []store.Mask{{Event: event.ID{Source: event.Messages, Number: 1}, Text: "(too)"}, {Event: event.ID{Source: event.Notifs, Number: 2}, Text: "x"}}
	t.Record = event.DecisionRecord{Route: "rules", Outcome: "handled", Rule: "prices", Version: "abc", Before: []byte(`{"state":"ask"}`)}
	w.must(t)
	w.restart()
	w.same("text", "(too)", w.event(1).Text)
	w.same("text", "(private)", w.event(2).Text)
	w.same("trace", t.Record, w.event(2).Record)
	w.same("trace", event.DecisionRecord{Route: "test", Outcome: "handled"}, w.event(1).Record)
	timed := turnBy(byTimer(alarm(7, "t", 1, noon)))
	timed.Record = t.Record
	w.must(sets(3, timed.Trigger.Timer), timed)
	row, ok, err := w.inspector.Turn(w.Context(), ana, timed.Trigger.ID())
	w.same("turn", record.TurnRow{Account: ana, ID: timed.Trigger.ID(), Peer: 7, HandledAt: noon.Local(), Record: t.Record}, row)
	w.same("found and error", []any{true, nil}, []any{ok, err})
}

func testRules(w *world) {
	_, ok, err := w.Rules(w.Context(), "abc")
	w.same("found and error", []any{false, nil}, []any{ok, err})
	w.same("nothing is in force", []any{"", false}, w.inForce(ana))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "abc", Content: "id: one"}))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "abc", Content: "id: two"}))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "def", Content: "id: three"}))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "abc", Content: "id: one"}))
	w.restart()
	for _, account := range []event.Account{"", ana} {
		w.same("in force for all", []any{"abc id: one  of ", true}, w.inForce(account))
	}
	content, ok, err := w.Rules(w.Context(), "abc")
	w.same("rules", []any{"id: one", true, nil}, []any{content, ok, err})
}

// Each account has the rules that were stored for it last, and no others: nothing is in force for one that was not named.
func testRulesOfAccounts(w *world) {
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "old", Content: "old"}))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "abc", Content: "id: one", Folder: "rules/a", Accounts: []event.Account{ana, "bo"}}))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "def", Content: "id: two", Folder: "rules/b", Accounts: []event.Account{"cy"}}))
	w.same("error", nil, w.SaveRules(w.Context(), record.Rules{Hash: "ghi", Content: "id: three", Folder: "rules/a", Accounts: []event.Account{"bo"}}))
	w.restart()
	for account, want := range map[event.Account][]any{
		ana: {"abc id: one rules/a of ana", true}, "bo": {"ghi id: three rules/a of bo", true}, "cy": {"def id: two rules/b of cy", true},
		"di": {"", false}, "": {"ghi id: three rules/a of bo", true},
	} {
		w.same(string(account), want, w.inForce(account))
	}
}

// inForce returns what is in force for an account, and whether anything is.
func (w *world) inForce(account event.Account) []any {
	w.Helper()
	f, ok, err := w.RulesInForce(w.Context(), account)
	w.same("error", nil, err)
	if !ok {
		return []any{"", false}
	}
	if age := time.Since(f.Since); age < -time.Second || age > time.Hour {
		w.Errorf("in force since %s", f.Since)
	}
	return []any{fmt.Sprintf("%s %s %s of %s", f.Hash, f.Content, f.Folder, f.Account), true}
}

// sent returns notices that were sent now.
func sent(notices ...event.Notice) []event.Notice {
	for i := range notices {
		notices[i].SentAt = time.Now()
	}
	return notices
}
