package view

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// forSlot names the slot of a campaign that an action is for; "" for none.
func forSlot(a *event.Action) string {
	id, is := plugin.SlotOf(a.Key)
	if !is {
		return ""
	}
	return " for " + id.String()
}

// AtItsMinute returns an action as people are shown it. What is prepared for a slot, approved or not, has the minute of the slot: until
// that is decided, its latest departure stands for its time.
func (v *View) AtItsMinute(ctx context.Context, a *event.Action) (event.Action, error) {
	shown := *a
	id, is := plugin.SlotOf(a.Key)
	if !is || a.State != event.StateHeld && a.State != event.StateDue || !a.Due.Equal(a.Until) { //mutate:outbox-minute
		return shown, nil
	}
	at, err := plugin.LeavesAt(ctx, v.Inspector, a.Account, id)
	if !at.IsZero() {
		shown.Due = at
	}
	return shown, err
}

// slotQuestion says for which slot an action is prepared, and what the post said when it was read.
func (v *View) slotQuestion(ctx context.Context, a *event.Action) (string, error) {
	said := "the slot" + forSlot(a)[len(" for"):]
	r, ok, err := v.Why(ctx, a.Account, a.Key)
	if err != nil || !ok {
		return said, err
	}
	for _, f := range r.Facts {
		if f.Name != fmt.Sprintf("thread:%d", a.Post) {
			continue
		}
		var thread platform.Thread
		if json.Unmarshal(f.Value, &thread) == nil {
			said += ", where the post says " + print.QuotePlain(thread.Post.Text, 0)
		}
	}
	return said, nil
}

// tellSlots says what people approve or refuse, where that is for slots of campaigns.
func (v *View) tellSlots(ctx context.Context, actions []event.Action) error {
	if v.JSON {
		return nil
	}
	for i := range actions {
		a := &actions[i]
		if forSlot(a) == "" {
			continue
		}
		said, err := v.slotQuestion(ctx, a)
		if err != nil {
			return err
		}
		shown, err := v.AtItsMinute(ctx, a)
		if err != nil {
			return err
		}
		x := Deed{Action: shown}
		line := x.DoesText(v.Private, 0)
		if leaves := x.leavesText(); leaves != "" {
			line += ", " + leaves
		}
		if _, err := fmt.Fprintf(v.Out, "%s: %s\n", print.PlainText(said, 0), line); err != nil {
			return err
		}
	}
	return nil
}
