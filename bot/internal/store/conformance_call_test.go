package store_test

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// testCalls: what no turn tells is stored with its alarm, once, and is there after a restart.
func testCalls(w *world) {
	d := event.Details{Ask: "Mend it:", Do: "nectar doctor"}
	n := event.Notice{ID: "call:deaf/1", Who: event.Everybody, Kind: "deaf", Text: "not heard", At: noon, Details: d.Encode()}
	a := event.Alarm{Account: ana, Kind: "deaf", Subject: "message", Since: noon}
	for range 2 {
		w.same("error", nil, w.Tell(w.Context(), []event.Notice{n}, []event.Alarm{a, {Kind: "disk", Since: noon}}, nil))
	}
	w.restart()
	got, err := w.Unsent(w.Context(), 9)
	w.same("notices", []event.Notice{n}, got)
	w.same("error", nil, err)
	w.same("details", d, got[0].Detailed())
	alarms, err := w.Alarms(w.Context())
	w.same("alarms", 2, len(alarms))
	w.same("error", nil, err)
	w.same("error", nil, w.Tell(w.Context(), nil, nil, []event.Alarm{a}))
	alarms, err = w.Alarms(w.Context())
	w.same("alarms", []event.Alarm{{Kind: "disk", Since: noon}}, alarms)
	w.same("error", nil, err)
}

// testReached: what became of a notice at each address is kept; once it is sent, that does not change.
func testReached(w *world) {
	n := event.Notice{Account: ana, ID: "a/0", Who: "team", At: noon}
	w.same("error", nil, w.Tell(w.Context(), []event.Notice{n}, nil, nil))
	n.Reached = []byte(`{"x":{}}`)
	pace := map[string]json.RawMessage{"x": json.RawMessage(`{"rings":1}`)}
	w.same("error", nil, w.Told(w.Context(), []event.Notice{n}, pace))
	w.restart()
	got, err := w.Unsent(w.Context(), 9)
	w.same("unsent", []event.Notice{n}, got)
	w.same("error", nil, err)
	paces, err := w.Addresses(w.Context())
	w.same("addresses", pace, paces)
	w.same("error", nil, err)
	n.SentAt = noon.Add(time.Minute)
	w.same("error", nil, w.Told(w.Context(), []event.Notice{n}, nil))
	late := n
	late.Reached, late.SentAt = nil, noon.Add(time.Hour)
	w.same("error", nil, w.Told(w.Context(), []event.Notice{late}, nil))
	got, err = w.inspector.Notices(w.Context(), record.NoticeQuery{Since: noon, Limit: 9})
	w.same("all", []event.Notice{n}, got)
	w.same("error", nil, err)
	got, err = w.inspector.Notices(w.Context(), record.NoticeQuery{Account: berk, Since: noon, Limit: 9})
	w.same("of others", []event.Notice(nil), got)
	w.same("error", nil, err)
	w.same("no fault", time.Time{}, w.Faulty())
}

// testAttended: what a person asked for, and her own words, count; what the bot decides by itself does not.
func testAttended(w *world) {
	at := func() time.Time {
		t, err := w.Attended(w.Context(), ana)
		w.same("error", nil, err)
		return t
	}
	w.same("never", time.Time{}, at())
	decided := func(choice string, when time.Time) *store.Turn {
		return &store.Turn{Trigger: event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: ana, Peer: 7}, Choice: choice}, At: when, Record: event.DecisionRecord{Outcome: "handled"}}
	}
	w.must(decided("rival/1/5", noon.Add(time.Hour)), decided("refused/x", noon.Add(time.Hour)))
	w.same("not by itself", time.Time{}, at())
	w.must(decided("takeover/9", noon.Add(time.Minute)))
	w.same("her own words", noon.Add(time.Minute), at())
	w.must(decided("request/0000000000000001", noon.Add(2*time.Minute)))
	w.same("a command", noon.Add(2*time.Minute), at())
}

// testHeldBefore: what has waited long enough is found, the oldest first.
func testHeldBefore(w *world) {
	t := turnOf(message(7, 1))
	for i, at := range []time.Time{noon.Add(2 * time.Minute), noon.Add(time.Minute), noon.Add(time.Hour)} {
		x := record.Action{Action: event.Action{
			Account: ana, Key: "message:1/rules/" + string(rune('0'+i)), Peer: 7, Verb: event.VerbMessage, State: event.StateHeld, DecidedAt: at, Position: at.UnixMicro(),
			Reason: "needs approval", Text: "secret",
		}}
		t.Actions = append(t.Actions, x)
	}
	w.must(t)
	held, err := w.HeldBefore(w.Context(), ana, noon.Add(10*time.Minute), 9)
	w.same("error", nil, err)
	w.same("held", 2, len(held))
	if len(held) == 2 {
		w.same("the oldest", "message:1/rules/1", held[0].Key)
		w.same("its reason", "needs approval", held[0].Reason)
	}
}
