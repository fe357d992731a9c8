package campaigns

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// do does what was decided about a slot, and remembers it.
func (s *state) do(ctx context.Context, t *bot.Turn, f facts, v *campaigns.Verdict) error {
	c := s.campaignByID(v.Slot.ID.Campaign)
	if v.Void.Code != "" {
		if err := s.withdrawPrepared(ctx, t, v.Slot.ID, v.Void.String()); err != nil {
			return err
		}
		v.Held, v.Approved = false, false
	}
	switch {
	case v.Kind == campaigns.Wait:
		s.waits[v.Slot.ID] = v.At
		if v.Why.Reading() {
			s.waits[v.Slot.ID] = t.Now.Add(nextReading(v.Slot.Minute.Sub(t.Now)))
		}
		return s.putOff(ctx, t, v)
	case v.Kind == campaigns.Asks && v.Held: // it waits already
		s.waits[v.Slot.ID] = campaigns.LaterTime(v.Deadline.Add(time.Second), t.Now.Add(time.Minute))
		return nil
	case v.Early(t.Now): //mutate:slots-early
		s.waits[v.Slot.ID] = v.Wake()
		s.Uses = campaigns.Learn(s.Uses, *v)
		return nil
	case v.Kind == campaigns.Asks:
		return s.ask(ctx, t, c, f, v)
	case v.Kind == campaigns.Go:
		if err := s.publish(ctx, t, c, v); err != nil {
			return err
		}
	default:
		if err := s.withdrawAction(ctx, t, v.Slot.ID, v.Why.String()); err != nil {
			return err
		}
	}
	was := s.Memories[c.ID].Book[v.Slot.ID]
	s.Memories[c.ID], s.Uses = campaigns.Take(c, s.Memories[c.ID], s.Uses, *v)
	s.book(t, f, v, &was)
	s.tell(t, c, v)
	if v.Kind == campaigns.Stops {
		return s.close(ctx, t, c)
	}
	return nil
}

// ask prepares a slot for a person. What is approved does not leave by itself: it would come due when its slot is over. So nothing
// leaves, over any delay, but by what is decided at its slot, when the post has been read again: see publish.
func (s *state) ask(ctx context.Context, t *bot.Turn, c *campaigns.Campaign, f facts, v *campaigns.Verdict) error {
	_, n, err := s.actions(ctx, t, v.Slot.ID)
	if err != nil {
		return err
	}
	// A key of its own for each time that it is prepared: the one before was taken back, and the store takes a name once.
	key, err := nextActionName(v.Slot.ID, n)
	if err != nil {
		return err
	}
	s.act(t, c, v, v.Until, bot.Keyed(key), bot.Awaits(event.NeedsApproval, event.Approval{Expires: v.Deadline})) //mutate:slots-decided-first
	s.Memories[c.ID] = campaigns.Prepare(s.Memories[c.ID], *v, f.Posts[v.Post].Words, t.Now)
	s.Uses = campaigns.Learn(s.Uses, *v) //mutate:asks-learnt
	// Looked at again when nobody can approve it any more: silence is an answer, and the slot has to say so.
	s.waits[v.Slot.ID] = v.Deadline.Add(time.Second)
	decided := t.Decided()
	number := decided[len(decided)-1].Number()
	d := event.Details{
		Answer: slotText(c, v), Plain: true, Do: "nectar outbox approve " + number,
		Ask: fmt.Sprintf("The campaign %s has prepared it for %s, until %s. Let it leave, or: nectar outbox refuse %s", cmp.Or(c.Name, c.ID),
			v.At.In(c.Zone).Format("Mon 2 January 15:04"), v.Deadline.In(c.Zone).Format("Mon 15:04"), number),
	}
	t.Notify(event.Notice{
		Who: cmp.Or(c.Team, event.Everybody), Kind: notify.KindApproval, Details: d.Encode(),
		Text: fmt.Sprintf("%s: %s waits for approval until %s: nectar outbox approve %s", v.Slot.ID, slotText(c, v), v.Deadline.In(c.Zone).Format("Mon 2 January 15:04"), number),
	})
	return nil
}

// publish lets a slot leave at its minute, in the words that somebody has approved.
func (s *state) publish(ctx context.Context, t *bot.Turn, c *campaigns.Campaign, v *campaigns.Verdict) error {
	approved, n, err := s.actions(ctx, t, v.Slot.ID)
	if err != nil {
		return err
	}
	if approved.State == event.StateHeld || approved.State == event.StateDue {
		why := approvedSaid
		if !v.Approved {
			why = "no approval is needed any more"
		}
		// Ended by the turn that decides the next one: were it left, two actions of one slot could leave.
		if _, err := t.End(ctx, approved.Key, why); err != nil {
			return err
		}
	}
	key, err := nextActionName(v.Slot.ID, n)
	if err != nil {
		return err
	}
	if v.Approved && approved.Text != "" {
		// A copy: the item is the campaign's, and its other slots publish it as it is written.
		edited := *v.Item
		edited.Text = approved.Text
		v.Item = &edited
	}
	s.act(t, c, v, v.At, bot.Keyed(key))
	return nil
}

// approvedSaid is what becomes of what was approved when its slot is decided.
const approvedSaid = "approved: its slot lets it leave"

// act decides an action of a slot that may leave at a time.
func (s *state) act(t *bot.Turn, c *campaigns.Campaign, v *campaigns.Verdict, at time.Time, options ...bot.Option) {
	options = append([]bot.Option{engine.Decided(c.ID, time.Time{}), bot.In(max(at.Sub(t.Now), 0)), bot.Before(v.Until), bot.Apart(c.KeepApart)}, options...) //mutate:slots-latest
	if c.Do == campaigns.Publish {
		if err := t.Publish(v.Item.Text, options...); err != nil {
			t.Note("%s: %v", v.Slot.ID, err)
		}
		return
	}
	if v.Renew {
		t.Renew(v.Post, options...)
		return
	}
	t.Repost(v.Post, options...)
}

// slotText says what a slot does.
func slotText(c *campaigns.Campaign, v *campaigns.Verdict) string {
	switch {
	case c.Do == campaigns.Publish:
		return "publish " + v.Item.Name()
	case v.Renew:
		return fmt.Sprintf("take back and repost %d", v.Post)
	}
	return fmt.Sprintf("repost %d", v.Post)
}

// mostKeys is how often a slot may be prepared anew.
const mostKeys = 100

// actionKey is the name of a slot's action; one that is prepared anew has another.
func actionKey(id campaigns.SlotID, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s/%s/%d", group, id, n)
	}
	return group + "/" + id.String()
}

// lastAction returns the last action of a slot; false for none.
func (s *state) lastAction(ctx context.Context, t *bot.Turn, id campaigns.SlotID) (last event.Action, there bool, err error) {
	last, n, err := s.actions(ctx, t, id)
	return last, n > 0, err
}

// actions returns the last action of a slot, and how many it has had.
func (s *state) actions(ctx context.Context, t *bot.Turn, id campaigns.SlotID) (last event.Action, n int, err error) {
	// Names are given one after another, each by a turn that has found the one before: the first that is not there ends the search.
	for n < mostKeys {
		a, there, err := t.ActionState(ctx, event.NamedKey(actionKey(id, n+1)))
		if err != nil || !there {
			return last, n, err
		}
		last, n = a, n+1
	}
	return last, n, nil
}

// nextActionName returns the name of a slot's action after n others.
func nextActionName(id campaigns.SlotID, n int) (string, error) {
	if n >= mostKeys {
		return "", fmt.Errorf("the slot %s was prepared %d times", id, mostKeys)
	}
	return actionKey(id, n+1), nil
}

// withdrawAction takes back what waits for a slot, if anything does.
func (s *state) withdrawAction(ctx context.Context, t *bot.Turn, id campaigns.SlotID, why string) error {
	a, there, err := s.lastAction(ctx, t, id)
	if err != nil || !there || a.State != event.StateHeld && a.State != event.StateDue {
		return err
	}
	_, err = t.End(ctx, a.Key, why)
	return err
}

// putOff takes back what was approved for a slot that waits. What nobody has approved goes on waiting for that: who takes it back
// would have refused it.
func (s *state) putOff(ctx context.Context, t *bot.Turn, v *campaigns.Verdict) error {
	a, there, err := s.lastAction(ctx, t, v.Slot.ID)
	if err != nil || !there || a.State != event.StateDue {
		return err
	}
	_, err = t.End(ctx, a.Key, v.Why.String())
	return err
}

// withdrawPrepared takes back what is prepared for a slot, and forgets that it was.
func (s *state) withdrawPrepared(ctx context.Context, t *bot.Turn, id campaigns.SlotID, why string) error {
	if err := s.withdrawAction(ctx, t, id, why); err != nil {
		return err
	}
	s.Memories[id.Campaign] = campaigns.Withdraw(s.Memories[id.Campaign], id)
	return nil
}

// booked is a slot in the book of its campaign, which is never pruned.
type booked struct {
	Minute time.Time `json:"minute"`
	At     time.Time `json:"at,omitzero"`
	Item   string    `json:"item,omitempty"`
	Post   int64     `json:"post,omitempty"`
	Renew  bool      `json:"renew,omitempty"`

	Zone     string    `json:"zone,omitempty"` // of the campaign, which may be in no file any more when somebody reads this
	Address  string    `json:"address,omitempty"`
	Approved time.Time `json:"approved,omitzero"`
}

// bookOf is the list that a campaign's book is.
func bookOf(id string) string { return group + "/" + id }

// book writes what was decided into the book. was is what was prepared, with who has approved it.
func (s *state) book(t *bot.Turn, f facts, v *campaigns.Verdict, was *campaigns.Entry) {
	b := booked{Minute: v.Slot.Minute, Post: int64(v.Post), Renew: v.Renew, Zone: v.Slot.Minute.Location().String(), Address: f.Posts[v.Post].Address}
	if v.Item != nil {
		b.Item = v.Item.Key
	}
	if v.Kind == campaigns.Go {
		b.At = v.At
		if v.Approved {
			b.Approved = was.Approved.UTC()
			s.bookApprover(t, v.Slot.ID, was.By) //mutate:book-approver
		}
	}
	data, err := json.Marshal(b)
	if err != nil {
		panic(err) // texts and times always encode
	}
	text := verdictText(v)
	t.Note("%s: %s", v.Slot.ID, text)
	t.Record(event.Entry{List: bookOf(v.Slot.ID.Campaign), Key: v.Slot.ID.String(), Text: text, Data: data})
}

// verdictText says what was decided, and why not something else.
func verdictText(v *campaigns.Verdict) string {
	var b strings.Builder
	b.WriteString(string(v.Kind))
	if why := v.Why.String(); why != "" {
		b.WriteString(": " + why)
	}
	for _, o := range v.Others {
		fmt.Fprintf(&b, "; %s not: %s", o.Item.Name(), o.Why)
	}
	return b.String()
}

// tell calls people for what they have to know: a post that is out, what they were shown and does not come, a campaign that ends.
func (s *state) tell(t *bot.Turn, c *campaigns.Campaign, v *campaigns.Verdict) {
	for _, o := range v.Outs {
		tellTeam(t, c, "%s: %s is out: %s", c.ID, strings.TrimPrefix(o.Key, "post:"), outSays(o.Out))
	}
	for _, o := range v.Others {
		if o.Why.Code == campaigns.OtherPlatform {
			tellTeam(t, c, "%s: %s does not come: %s", c.ID, o.Item.Name(), o.Why)
		}
	}
	if code := v.Why.Code; code == campaigns.Reworded || code == campaigns.Bound { //mutate:given-told
		tellTeam(t, c, "%s stays empty: %s", v.Slot.ID, v.Why)
	}
	if v.Kind == campaigns.Stops {
		tellTeam(t, c, "The campaign %s has ended: %s", cmp.Or(c.Name, c.ID), v.Why)
	}
}

// tellTeam tells the team of a campaign something of it.
func tellTeam(t *bot.Turn, c *campaigns.Campaign, format string, args ...any) {
	t.Notify(event.Notice{Who: cmp.Or(c.Team, event.Everybody), Kind: notify.KindCampaign, Text: fmt.Sprintf(format, args...)})
}

func outSays(o campaigns.Out) string {
	switch o.Why {
	case campaigns.Gone:
		return "it was deleted"
	case campaigns.Undone:
		return "somebody took the repost back by hand; it stays out until you allow it"
	default:
		return "it cannot be seen; it is looked at again after a week"
	}
}
