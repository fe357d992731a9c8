package demo

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// editor is a person who changes campaigns while the bot runs: in their file, and by what nectar campaigns apply and move ask for.
type editor struct {
	st        *stage
	inspector inspect.Inspector
	is        map[*Edited]bool          // the file says what it is to say
	asked     map[*Edited]event.Request // what was asked for last
	moved     map[*Edited]int           // how many of its moves are in force
}

// editCampaigns changes what is to be changed, and returns when all of that is in force, or too late.
func (st *stage) editCampaigns(ctx context.Context) error {
	defer close(st.editing)
	if len(st.edited) == 0 {
		return nil
	}
	inspector, err := inspect.Open(ctx, st.databasePath(), st.botSettings().key())
	if err != nil {
		return err
	}
	defer func() { _ = inspector.Close() }()
	ed := &editor{st, inspector, map[*Edited]bool{}, map[*Edited]event.Request{}, map[*Edited]int{}}
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for open := slices.Clone(st.edited); len(open) > 0; {
		select {
		case <-ctx.Done():
			return nil // the demo is over, and says why
		case <-tick.C:
		}
		for _, e := range open {
			if err := ed.change(ctx, e); err != nil {
				return err
			}
		}
		open = slices.DeleteFunc(open, func(e *Edited) bool { return !e.Changed.IsZero() || time.Now().After(e.Until) })
	}
	return nil
}

// change does what is next for a campaign.
func (ed *editor) change(ctx context.Context, e *Edited) error {
	if time.Now().Before(e.Acts) || e.AfterIt && len(ed.st.readWords(e)) == 0 {
		return nil
	}
	if len(e.Moves) == 0 && !ed.is[e] {
		ed.is[e] = true
		return ed.st.writeEdited(ed.is)
	}
	if q, asked := ed.asked[e]; asked {
		if _, answered, err := ed.inspector.Answer(ctx, q); err != nil || !answered {
			return err
		}
	}
	is, err := plugin.Read(ctx, ed.inspector, e.Account)
	if err != nil {
		return err
	}
	switch now := time.Now(); {
	case ed.moved[e] < len(e.Moves):
		to := e.Moves[ed.moved[e]]
		if !e.isMoved(&is, to) {
			return ed.ask(ctx, e, "campaigns/move", e.name(e.Was.Slots[0])+" "+to)
		}
		if ed.moved[e]++; ed.moved[e] == len(e.Moves) {
			e.Changed = now
		}
	case len(e.Moves) > 0:
	case !e.Applies && is.Waiting != nil, e.isInForce(&is):
		e.Changed = now
	case e.Applies && is.Waiting != nil:
		return ed.ask(ctx, e, "campaigns/apply", is.Waiting.Sum)
	}
	return nil
}

// ask asks the bot for something, as the commands do.
func (ed *editor) ask(ctx context.Context, e *Edited, what, text string) error {
	asked, err := ed.inspector.Ask(ctx, event.Request{Key: event.Own(e.Account), Wish: event.WishTell, Subject: what, Text: text, By: "demo"})
	if err == nil {
		ed.asked[e] = asked[0]
	}
	return err
}

// isInForce reports whether what the file is to say is in force.
func (e *Edited) isInForce(is *plugin.Stored) bool {
	c := campaigns.ByID(is.Campaigns, e.ID)
	if c == nil || len(c.Lines) != len(e.Is.Slots)+editedDays || len(c.Items) != len(e.Is.Texts) {
		return false
	}
	for i := range c.Items {
		if c.Items[i].Text != e.Is.Texts[i] {
			return false
		}
	}
	return true
}

// isMoved reports whether the slot is moved there.
func (e *Edited) isMoved(is *plugin.Stored, to string) bool {
	id, err := campaigns.ParseSlotID(e.name(e.Was.Slots[0]))
	if err != nil {
		return false
	}
	at, moved := is.Memories[e.ID].Rescheduled[id]
	if !moved {
		return to == "back"
	}
	return e.clockText(at.To) == to
}

// readWords returns what the account of an edited campaign has published, as the platform has it.
func (st *stage) readWords(e *Edited) (all []Coming) {
	for entry := range st.platform.Ledger().After(0) {
		if entry.Kind == emulator.Published && entry.From == st.shops[e.Account] {
			all = append(all, Coming{entry.At, entry.Text})
		}
	}
	return all
}
