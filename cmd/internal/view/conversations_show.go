package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
)

// TalkWith returns the conversation that a person means, the account's own with "account".
func (v *View) TalkWith(ctx context.Context, text string) (event.Key, error) {
	if isOwn(text) {
		return v.OwnKey()
	}
	return v.Find(ctx, text)
}

// moment is something that happened or was done in a conversation.
type moment struct {
	at     time.Time
	event  *record.EventRow
	action *Deed
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
func (v *View) moments(ctx context.Context, key event.Key, limit int) ([]moment, error) {
	if key.Own() {
		return v.ownMoments(ctx, key.Account, limit)
	}
	events, err := v.Events(ctx, record.EventQuery{Account: key.Account, Peer: key.Peer, Limit: limit})
	if err != nil {
		return nil, err
	}
	actions, err := v.Actions(ctx, record.ActionQuery{Account: key.Account, Peer: key.Peer, Limit: limit})
	if err != nil {
		return nil, err
	}
	if err := v.addGathered(ctx, events); err != nil {
		return nil, err
	}
	deeds, err := v.readDeeds(ctx, actions)
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
		// Where it was said, not where it was decided: an answer that waited stands behind what was written meanwhile.
		if a.State == event.StateDone && a.EndedAt.After(m.at) {
			m.at = a.EndedAt
		}
		all = append(all, m)
	}
	turns, err := v.Decisions(ctx, key, limit)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(turns) {
		all = append(all, moment{at: turns[i].HandledAt, turn: &turns[i]})
	}
	ours, err := v.Takeovers(ctx, key, limit)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(ours) {
		t := ours[i].Turn
		all = append(all, moment{at: t.HandledAt, byHand: &byHand{"message:" + t.ID[strings.LastIndexByte(t.ID, '/')+1:], bot.SaidByHand(ours[i].Facts)}})
	}
	// Stable: of one moment, what was written stands before what it led to.
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	return all[max(0, len(all)-limit):], nil
}

// ShowConversation writes the newest moments of a conversation.
func (v *View) ShowConversation(ctx context.Context, key event.Key, limit int) error {
	moments, err := v.moments(ctx, key, limit)
	if err != nil {
		return err
	}
	rows, err := v.Conversations(ctx, key.Account, []platform.UserID{key.Peer})
	if err != nil {
		return err
	}
	c := inspect.Conversation{}
	c.Key = key
	if len(rows) > 0 {
		c.ConversationRow = rows[0]
	}
	if c.Until, err = v.Timer(ctx, key, bot.TakebackTimer); err != nil {
		return err
	}
	asked, err := v.ReadWaiting(ctx)
	if err != nil {
		return err
	}
	if v.JSON {
		return v.showForMachines(&c, moments, asked)
	}
	if err := v.head(&c, asked.askedAboutOwner(key)); err != nil {
		return err
	}
	t := print.Table{Head: []string{"WHEN", "WHO", "WHAT", "STATE", "RULE", "NAME", "WHY"}}
	for _, m := range moments {
		if e := m.event; e != nil {
			t.Add(print.TimeText(m.at), print.PersonName(e.User, int64(e.Peer)), HappenedText(e, 60), standsText(e), print.PlainText(e.Record.Rule, 32), e.ID.String(),
				print.JoinTwo(eventNote(e), asked.askedAboutEvent(&e.Event).String()))
			continue
		}
		if m.cause != "" {
			t.Add(ownRow(&m)...)
			continue
		}
		if x := m.turn; x != nil {
			t.Add(print.TimeText(m.at), "  "+cmp.Or(print.PlainText(x.Record.By, 24), "somebody"), "decided", print.PlainText(x.Record.Outcome, 20), "", print.PlainText(x.ID, 0), print.PlainText(x.Record.Note, 100))
			continue
		}
		if h := m.byHand; h != nil {
			t.Add(print.TimeText(m.at), "  you →", "message "+print.QuotePlain(h.Text, 60), "", "", h.ID, "")
			continue
		}
		x := m.action
		t.Add(print.TimeText(m.at), "  bot →", x.DoesText(v.Private, 60), x.State.String(), print.PlainText(x.Rule, 32), print.PlainText(x.Key, 0),
			print.JoinTwo(print.JoinTwo(print.PlainText(x.Reason, 100), RuledText(&x.Approval)), asked.AskedAboutAction(&x.Action).String()))
	}
	t.DropEmpty("RULE", "WHY")
	none := "nothing was said"
	if key.Own() {
		none = "the account has done nothing by itself"
	}
	return t.Print(v.Out, none)
}

// head says how a conversation stands, and what was asked for about it.
func (v *View) head(c *inspect.Conversation, asked *asked) error {
	if c.Key.Own() {
		return print.SayLine(v.Out, "the own conversation of the account %s\n", c.Key.Account)
	}
	name := print.PersonName(c.User, int64(c.Key.Peer))
	if c.Name != "" {
		name += " (" + print.PlainText(c.Name, 40) + ")"
	}
	owner := has(c.Owner)
	if c.Owner != "" {
		owner += " since " + print.TimeText(c.OwnerSince)
		if c.Until.IsZero() {
			owner += ", until it is given back"
		} else {
			owner += ", until " + print.TimeText(c.Until)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, number %d, account %s\nowner: %s\n", name, c.Key.Peer, c.Key.Account, print.JoinTwo(print.JoinTwo(owner, silencedText(c)), asked.String()))
	if step := standsIn(c); step != "" {
		fmt.Fprintf(&b, "step: %s\n", step)
	}
	for _, a := range v.answersOf(c) {
		said := ""
		if a.Said != "" {
			said = " (" + print.QuotePlain(a.Said, 200) + ")"
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", print.PlainText(a.Name, 40), print.PlainText(a.Text, 200), said)
	}
	if len(c.Labels) > 0 {
		fmt.Fprintf(&b, "labels: %s\n", print.PlainText(strings.Join(c.Labels, ", "), 200))
	}
	return print.SayLine(v.Out, "%s", b.String())
}

// turnJSON is a person's decision, or a turn of the account's own, for machines.
type turnJSON struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Outcome   string    `json:"outcome"`
	Note      string    `json:"note,omitempty"`
	DecidedBy string    `json:"decided_by,omitempty"` // a person of ours
}

// showForMachines prints an object for the conversation, and one for each moment: an event or an action.
func (v *View) showForMachines(c *inspect.Conversation, moments []moment, asked Waiting) error {
	for _, m := range moments {
		if m.event != nil {
			c.LastSeen, c.User, c.Name = m.at, cmp.Or(c.User, m.event.User), cmp.Or(c.Name, m.event.Name)
		}
	}
	head := struct {
		Conversation conversationJSON `json:"conversation"`
	}{v.talkForMachines(c, asked)}
	if err := print.WriteLine(v.Out, head); err != nil {
		return err
	}
	for _, m := range moments {
		line := struct {
			Event  *eventJSON  `json:"event,omitempty"`
			Action *ActionJSON `json:"action,omitempty"`
			ByHand *byHand     `json:"by_hand,omitempty"` // a person of ours wrote it

			Decision *turnJSON `json:"decision,omitempty"`
			Turn     *turnJSON `json:"turn,omitempty"` // of the account's own
		}{ByHand: m.byHand}
		if m.event != nil {
			e := eventForMachines(m.event, asked)
			line.Event = &e
		} else if x := m.turn; x != nil {
			t := &turnJSON{x.ID, x.HandledAt.UTC(), x.Record.Outcome, x.Record.Note, x.Record.By}
			if m.cause != "" {
				line.Turn = t
			} else {
				line.Decision = t
			}
		} else if m.byHand == nil {
			a := v.DeedForMachines(m.action, asked)
			line.Action = &a
		}
		if err := print.WriteLine(v.Out, line); err != nil {
			return err
		}
	}
	return nil
}
