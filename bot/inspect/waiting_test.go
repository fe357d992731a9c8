package inspect_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/stored"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// messageOf is a message of a person, as it is stored.
func messageOf(account event.Account, number int64, at time.Time) event.Event {
	return event.Event{Account: account, ID: event.ID{Source: event.Messages, Number: number}, Kind: event.KindMessage, Peer: 7, User: "ana", Text: "hello", SeenAt: at}
}

// Who waits for a person stands in one list, whatever for: who has waited longest comes first, of whatever account.
func TestWhoWaits(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *shelf) {
		t.Helper()
		shop, cafe, idle := someAccount(), someAccount(), someAccount()
		asked := messageOf(shop, 1, noon.Add(2*time.Minute))
		turn := &stored.Turn{Trigger: event.Trigger{Kind: event.ByEvent, Key: asked.Key(), Event: asked}, At: noon, Record: event.DecisionRecord{Outcome: bot.OutcomeHandled}}
		turn.Actions = []record.Action{{Action: event.Action{
			Account: shop, Peer: 7, Key: "message:1/a/0", Verb: event.VerbMessage, User: 7, Text: "an offer", State: event.StateHeld, Reason: event.NeedsApproval, DecidedAt: noon.Add(3 * time.Minute),
		}}}
		failed := messageOf(cafe, 5, noon)
		said := messageOf(shop, 2, noon.Add(time.Minute))
		said.Peer = 8
		handed := &stored.Turn{
			Trigger: event.Trigger{Kind: event.ByEvent, Key: said.Key(), Event: said}, At: noon, Record: event.DecisionRecord{Outcome: bot.OutcomeOwned},
			Conversation: &conversation.State{Key: said.Key(), Version: 1, User: "bea", Owner: "ines"},
			Waits:        &record.Waiting{Words: said.ID, Since: said.SeenAt, Said: said.SeenAt, Why: "conversation.owned?owner=ines", Lasts: true},
		}
		s.put(t, stored.Write{Turn: turn}, stored.Write{Turn: handed}, stored.Write{Pending: []event.Event{failed, messageOf(idle, 9, noon)}},
			stored.Write{Attempt: &stored.Attempt{Event: failed, Tries: 5, Quarantined: true, At: noon}})
		have := func(limit int) (all []string) {
			waits, counts, err := inspect.WhoWaits(t.Context(), s, limit, shop, idle, cafe)
			if err != nil || counts[shop] > 2 || counts[idle] != 0 || counts[cafe] != 1 {
				t.Fatal(counts, err)
			}
			for _, w := range waits {
				what := w.Since.UTC().Format("15:04") + " " + string(w.Why.Code())
				switch {
				case w.Action != nil && w.Key.Account == shop:
					what += " " + w.Action.Key
				case w.Conversation != nil && w.Key.Account == shop:
					what += " @" + w.Conversation.User + " " + w.Event.ID.String()
				case w.Event != nil && w.Key.Account == cafe:
					what += " " + w.Event.ID.String()
				}
				all = append(all, what)
			}
			return all
		}
		if all := strings.Join(have(10), ", "); all != "12:00 event.quarantined message:5, 12:01 conversation.owned @bea message:2, 12:03 action.held message:1/a/0" {
			t.Error(all)
		}
		if all := strings.Join(have(1), ", "); all != "12:00 event.quarantined message:5, 12:01 conversation.owned @bea message:2" {
			t.Error(all)
		}
		wrote := requestTurn(said.Key(), 1)
		wrote.Conversation.Version, wrote.DealtWith = 2, 3
		s.put(t, stored.Write{Turn: wrote})
		if all := strings.Join(have(10), ", "); strings.Contains(all, "bea") {
			t.Error("somebody of ours has written:", all)
		}
	})
}

func TestHoldOf(t *testing.T) {
	t.Parallel()
	action := func(state event.State, reason string, until time.Time) *event.Action {
		return &event.Action{State: state, Reason: reason, DecidedAt: noon, Until: until}
	}
	says := func(reason string) *event.Action {
		a := action(event.StateHeld, reason, time.Time{})
		a.Verb = event.VerbMessage
		return a
	}
	before, after := noon.Add(-time.Second), noon.Add(time.Second)
	for name, c := range map[string]struct {
		action   *event.Action
		approval event.Approval
		want     inspect.Hold
		wrote    time.Time
	}{
		"due":              {action(event.StateDue, event.NeedsApproval, before), event.Approval{}, inspect.Hold{}, after},
		"for approval":     {action(event.StateHeld, event.NeedsApproval, after), event.Approval{Expires: after}, inspect.Hold{For: inspect.HeldForApproval, Since: noon}, before},
		"nobody approved":  {action(event.StateHeld, event.NeedsApproval, time.Time{}), event.Approval{Expires: before}, inspect.Hold{For: inspect.HeldForApproval, Since: noon, Over: true}, before},
		"its time is over": {action(event.StateHeld, event.NeedsApproval, before), event.Approval{}, inspect.Hold{For: inspect.HeldForApproval, Since: noon, Over: true}, before},
		"its rule is paused": {
			action(event.StateHeld, "the rule parking is paused", time.Time{}), event.Approval{}, inspect.Hold{For: inspect.HeldForResume, Rule: "parking", Since: noon}, after,
		},
		"nobody knows": {
			action(event.StateHeld, "no answer came", before), event.Approval{Verdict: event.Verdict{Ruling: event.Released}}, inspect.Hold{For: inspect.HeldForCheck, Since: noon}, after,
		},
		"somebody wrote since": {says("needs approval"), event.Approval{}, inspect.Hold{For: inspect.HeldForApproval, Since: noon, Overtaken: true}, after},
		"in words of a plugin": {says("the boss decides"), event.Approval{Group: "g"}, inspect.Hold{For: inspect.HeldForApproval, Since: noon, Overtaken: true}, after},
	} {
		if have := inspect.HoldOf(c.action, &c.approval, c.wrote, noon); have != c.want {
			t.Errorf("%s: %+v, want %+v", name, have, c.want)
		}
	}
}

func TestStandingOf(t *testing.T) {
	t.Parallel()
	fact := func(name, value string) event.Fact { return event.Fact{Name: name, Value: json.RawMessage(value)} }
	paused := fact("pause", `{"account":{"since":"2026-11-26T12:00:00Z","by":"ines"}}`)
	known := record.Knowledge{
		"paused": {paused}, "rules": {fact("pause", `{"rules":{"parking":{"since":"2026-11-26T12:00:00Z"}}}`)},
		"both": {paused, fact("rival", `{"stopped":"2026-11-26T13:00:00Z"}`)}, "torn": {paused, fact("rival", `{`)},
	}
	for account, want := range map[event.Account]struct {
		state string
		since time.Time
	}{
		"paused": {inspect.Paused, noon}, "rules": {inspect.Working, time.Time{}}, "both": {inspect.Stopped, noon.Add(time.Hour)}, "torn": {inspect.Paused, noon},
		"new": {inspect.Working, time.Time{}},
	} {
		s, err := inspect.StandingOf(t.Context(), known, account)
		if s.State != want.state || !s.Since.Equal(want.since) || (err != nil) != (account == "torn") {
			t.Errorf("%s: %+v, %v", account, s, err)
		}
	}
}
