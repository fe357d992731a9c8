// Package why says why the bot answered, did not, or left a slot of a campaign empty: by the records of its decisions.
//
//	id ─► findWhy: the stored turn ─► approvedOf: what people said ─► explain: the engine, once more ─► Told: sentences
//
// A turn is stored with the conversation before it, with all that it has read, and with the hash of the rules by which it decided. That is the
// whole input of the engine, so it can be decided again (replay.Explain) and say for each rule why it held or did not. Nothing is guessed from
// how things stand today.
//
// Read why.go for that way, find.go for what an id may be; then tell.go, state.go and end.go, which are the sentences. slot.go is a slot of a
// campaign, whose reason stands in the book; read.go says what a turn has read; json.go is for machines.
//
// What holds:
//
//   - It reads the rules of that time, not those in force: an edit since must not change why something was said. Where they are not kept any
//     more, it says so, and shows what the record has.
//   - What this version cannot decide again is not decided: rules that it does not take, and values that are sealed without a key. A reason that
//     is not there is said to be missing, never made up.
//   - A burst is one decision of several events: who asks about one of them is shown the turn that answered all.
//   - What people answered, and rules call private, is not repeated.
//
// The command nectar why tells it; nectar replay asks it when a turn was handled.
package why

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// TellWhy tells why.
func TellWhy(ctx context.Context, d *view.View, id whyID, all bool) error {
	if id.number {
		var err error
		if id, err = namedID(ctx, d, id); err != nil {
			return err
		}
	}
	r, asked, err := findWhy(ctx, d, id)
	if err != nil {
		return err
	}
	turns := []*whyTurn{{Recorded: r, asked: asked}}
	if err := approvedOf(ctx, d, turns[0]); err != nil {
		return err
	}
	if err := explainTurn(ctx, d, turns[0]); err != nil {
		return err
	}
	if r.Event != nil && view.IsGathered(r.Event) {
		if turns, err = withBurst(ctx, d, turns[0]); err != nil {
			return err
		}
	}
	if d.JSON {
		return whyForMachines(d, turns)
	}
	t := Told{Out: d.Out, Many: len(d.Meant) > 1, All: all}
	t.tellTurns(turns)
	return t.Err
}

// withBurst returns the turn of an event that was gathered with the one that answered it, if there is one.
func withBurst(ctx context.Context, d *view.View, t *whyTurn) ([]*whyTurn, error) {
	turns := []*whyTurn{t}
	burst, ok, err := burstOf(ctx, d, t.Event)
	if err != nil {
		return nil, err
	}
	if ok {
		turns = append(turns, &whyTurn{Recorded: burst})
		if err := approvedOf(ctx, d, turns[1]); err != nil {
			return turns, err
		}
		return turns, explainTurn(ctx, d, turns[1])
	}
	t.waits, _, err = d.Alarm(ctx, t.Event.Key(), view.TimerBurst)
	return turns, err
}

// whyTurn is a stored turn, and why it ended as it did.
type whyTurn struct {
	record.Recorded
	asked string // the key of the action that was asked about; "" for all

	waits record.TimerRow // the timer that answers what was gathered; zero when nothing waits

	explained replay.Explanation
	ok        bool                      // whether explained is there
	version   *rules.Version            // nil when it is not there
	loaded    time.Time                 // when the version was loaded last; zero when it is not kept any more
	approvals map[string]event.Approval // of its actions, by key
	requests  view.Waiting              // what people have asked for and no bot has done yet, where one of its actions waits for people
	became    string                    // what became of what it prepared; "" when nothing waited
	ruled     string                    // who decided about that, and when
	why       string                    // why explained is not there, although rules decided; "" otherwise
}

// approvedOf looks up what became of what a turn prepared.
func approvedOf(ctx context.Context, d *view.View, t *whyTurn) (err error) {
	keys := make([]string, len(t.Actions))
	for i := range t.Actions {
		keys[i] = t.Actions[i].Key
	}
	account := accountOf(&t.Recorded)
	if t.approvals, err = d.Approvals(ctx, account, keys); err != nil {
		return err
	}
	if slices.ContainsFunc(t.Actions, func(a event.Action) bool { return a.State == event.StateHeld }) {
		if t.requests, err = d.ReadWaiting(ctx); err != nil {
			return err
		}
	}
	if t.decisionRecord().Outcome == string(ruledecision.Prepared) {
		t.became, t.ruled, err = d.BecameText(ctx, account, t.Actions)
	}
	return err
}

// decisionRecord returns the turn's decision record.
func (t *whyTurn) decisionRecord() *event.DecisionRecord {
	if t.Event != nil {
		return &t.Event.Record
	}
	return &t.Turn.Record
}

// explainTurn runs the engine again on a stored turn.
func explainTurn(ctx context.Context, d *view.View, t *whyTurn) error {
	hash := t.decisionRecord().Version
	if hash == "" {
		return nil
	}
	content, found, err := d.Rules(ctx, hash)
	if err != nil {
		return err
	}
	if t.loaded, _, err = d.RulesLoaded(ctx, hash); err != nil {
		return err
	}
	if !found {
		t.why = "the rule files of that time are not kept any more"
		return nil
	}
	if d.Shut != "" {
		t.why = d.Shut
		return nil
	}
	src, err := rules.DecodeSources(content)
	if err != nil {
		return fmt.Errorf("read the rules %s: %w", hash, err)
	}
	// By the files of that time, with the engine of this one: where that has changed since, the explanation says what differs.
	v, report := rules.Compile(src)
	if v == nil {
		t.why = fmt.Sprintf("this version of nectar does not take the rule files of that time: %s", report.Problems.Errors()[0].Text)
		return nil
	}
	t.version = v
	t.explained, t.ok, err = replay.Explain(v, &t.Recorded)
	if err != nil {
		t.why = err.Error()
	}
	if t.ok && t.explained.Private {
		t.Event.Text = words.Private
	}
	return nil
}
