package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const showHelp = `Show tells how a conversation stands, and what was said and done in it, oldest
first: what happened, what the bot made of it, and what it did.

With "account" in the place of a person it tells what the account did by itself:
by timers, at starts, and because somebody asked for it.`

func newShow(sh shell, f *deskFlags) *cobra.Command {
	limit := 50
	cmd := &cobra.Command{
		Use:     "show PERSON",
		Short:   "Show a conversation and what was said in it",
		Long:    showHelp,
		Example: "  nectar conversations show @ana\n  nectar conversations show 90 --limit 200 --json\n  nectar conversations show account",
		Args:    onePerson,
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, args []string) error {
			key, err := d.talkWith(ctx, args[0])
			if err != nil {
				return err
			}
			return d.show(ctx, key, limit)
		}),
	}
	cmd.Flags().Var((*number)(&limit), "limit", "at most this `number` of the last things that happened or were done")
	return cmd
}

// talkWith returns the conversation that a person means, the account's own with "account".
func (d *desk) talkWith(ctx context.Context, text string) (event.Key, error) {
	if isOwn(text) {
		return d.ownKey()
	}
	return d.find(ctx, text)
}

// moment is something that happened or was done in a conversation.
type moment struct {
	at     time.Time
	event  *record.EventRow
	action *deed
	turn   *record.TurnRow // of a person's decision, or of the account's own conversation
	cause  string          // what began a turn of the account's own; "" for others
	byHand *byHand
}

// byHand is a message that a person of ours wrote.
type byHand struct {
	ID   string `json:"id"`
	Text string `json:"text,omitempty"` // "" when it was not kept
}

// moments returns the last things that happened or were done in a conversation, in the order of time.
func (d *desk) moments(ctx context.Context, key event.Key, limit int) ([]moment, error) {
	if key.Own() {
		return d.ownMoments(ctx, key.Account, limit)
	}
	events, err := d.Events(ctx, record.EventQuery{Account: key.Account, Peer: key.Peer, Limit: limit})
	if err != nil {
		return nil, err
	}
	actions, err := d.Actions(ctx, record.ActionQuery{Account: key.Account, Peer: key.Peer, Limit: limit})
	if err != nil {
		return nil, err
	}
	if err := d.gathered(ctx, events); err != nil {
		return nil, err
	}
	deeds, err := d.deeds(ctx, actions)
	if err != nil {
		return nil, err
	}
	var all []moment
	for i := range slices.Backward(events) {
		all = append(all, moment{at: events[i].SeenAt, event: &events[i]})
	}
	for i := range slices.Backward(deeds) {
		a := &deeds[i]
		m := moment{at: a.DecidedAt, action: a}
		if a.State == event.StateDone && a.EndedAt.After(m.at) {
			m.at = a.EndedAt
		}
		all = append(all, m)
	}
	turns, err := d.Decisions(ctx, key, limit)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(turns) {
		all = append(all, moment{at: turns[i].HandledAt, turn: &turns[i]})
	}
	ours, err := d.Takeovers(ctx, key, limit)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(ours) {
		t := ours[i].Turn
		all = append(all, moment{at: t.HandledAt, byHand: &byHand{"message:" + t.ID[strings.LastIndexByte(t.ID, '/')+1:], bot.SaidByHand(ours[i].Facts)}})
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	return all[max(0, len(all)-limit):], nil
}

func (d *desk) show(ctx context.Context, key event.Key, limit int) error {
	moments, err := d.moments(ctx, key, limit)
	if err != nil {
		return err
	}
	rows, err := d.Conversations(ctx, key.Account, []platform.UserID{key.Peer})
	if err != nil {
		return err
	}
	c := talk{}
	c.Key = key
	if len(rows) > 0 {
		c.ConversationRow = rows[0]
	}
	if c.until, err = d.Timer(ctx, key, bot.TakebackTimer); err != nil {
		return err
	}
	asked, err := d.waiting(ctx)
	if err != nil {
		return err
	}
	if d.json {
		return d.showForMachines(&c, moments, asked)
	}
	if err := d.head(&c, asked.talk(key)); err != nil {
		return err
	}
	t := table{head: []string{"WHEN", "WHO", "WHAT", "STATE", "RULE", "NAME", "WHY"}}
	for _, m := range moments {
		if e := m.event; e != nil {
			t.add(when(m.at), who(e.User, int64(e.Peer)), happened(e, 60), stands(e), plain(e.Trace.Rule, 32), e.ID.String(),
				and(reason(e), asked.event(&e.Event).String()))
			continue
		}
		if m.cause != "" {
			t.add(ownRow(&m)...)
			continue
		}
		if x := m.turn; x != nil {
			t.add(when(m.at), "  "+cmp.Or(plain(x.Trace.By, 24), "somebody"), "decided", plain(x.Trace.Outcome, 20), "", plain(x.ID, 0), plain(x.Trace.Note, 100))
			continue
		}
		if h := m.byHand; h != nil {
			t.add(when(m.at), "  you →", "message "+quoted(h.Text, 60), "", "", h.ID, "")
			continue
		}
		x := m.action
		t.add(when(m.at), "  bot →", x.does(d.private, 60), string(x.State), plain(x.rule, 32), plain(x.Key, 0),
			and(and(plain(x.Reason, 100), ruled(&x.Approval)), asked.action(&x.Action).String()))
	}
	t.squeeze("RULE", "WHY")
	none := "nothing was said"
	if key.Own() {
		none = "the account has done nothing by itself"
	}
	return t.print(d.out, none)
}

// head says how a conversation stands, and what was asked for about it.
func (d *desk) head(c *talk, asked *asked) error {
	if c.Key.Own() {
		_, err := fmt.Fprintf(d.out, "the own conversation of the account %s\n\n", c.Key.Account)
		return err
	}
	name := who(c.User, int64(c.Key.Peer))
	if c.Name != "" {
		name += " (" + plain(c.Name, 40) + ")"
	}
	owner := has(c.Owner)
	if c.Owner != "" {
		owner += " since " + when(c.OwnerSince)
		if c.until.IsZero() {
			owner += ", until it is given back"
		} else {
			owner += ", until " + when(c.until)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, number %d, account %s\nowner: %s\n", name, c.Key.Peer, c.Key.Account, and(and(owner, silenced(c)), asked.String()))
	if step := standsIn(c); step != "" {
		fmt.Fprintf(&b, "step: %s\n", step)
	}
	for _, a := range d.answers(c) {
		said := ""
		if a.Said != "" {
			said = " (" + quoted(a.Said, 200) + ")"
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", plain(a.Name, 40), plain(a.Text, 200), said)
	}
	if len(c.Labels) > 0 {
		fmt.Fprintf(&b, "labels: %s\n", plain(strings.Join(c.Labels, ", "), 200))
	}
	_, err := fmt.Fprintln(d.out, b.String())
	return err
}

// turnJSON is a person's decision, or a turn of the account's own, for machines.
type turnJSON struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Outcome string    `json:"outcome"`
	Note    string    `json:"note,omitempty"`
	By      string    `json:"decided_by,omitempty"`
}

// showForMachines prints an object for the conversation, and one for each moment: an event or an action.
func (d *desk) showForMachines(c *talk, moments []moment, asked waiting) error {
	for _, m := range moments {
		if m.event != nil {
			c.last, c.User, c.Name = m.at, cmp.Or(c.User, m.event.User), cmp.Or(c.Name, m.event.Name)
		}
	}
	head := struct {
		Conversation conversationJSON `json:"conversation"`
	}{d.talkForMachines(c, asked)}
	if err := printLine(d.out, head); err != nil {
		return err
	}
	for _, m := range moments {
		line := struct {
			Event  *eventJSON  `json:"event,omitempty"`
			Action *actionJSON `json:"action,omitempty"`
			ByHand *byHand     `json:"by_hand,omitempty"` // a person of ours wrote it

			Decision *turnJSON `json:"decision,omitempty"`
			Turn     *turnJSON `json:"turn,omitempty"` // of the account's own
		}{ByHand: m.byHand}
		if m.event != nil {
			e := eventForMachines(m.event, asked)
			line.Event = &e
		} else if x := m.turn; x != nil {
			t := &turnJSON{x.ID, x.HandledAt.UTC(), x.Trace.Outcome, x.Trace.Note, x.Trace.By}
			if m.cause != "" {
				line.Turn = t
			} else {
				line.Decision = t
			}
		} else if m.byHand == nil {
			a := d.deedForMachines(m.action, asked)
			line.Action = &a
		}
		if err := printLine(d.out, line); err != nil {
			return err
		}
	}
	return nil
}
