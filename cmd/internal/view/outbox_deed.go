package view

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Deed is an action with what people want to know about it.
type Deed struct {
	event.Action
	Rule       string // what decided it; "" when no rule did
	user, name string // of the person

	event.Approval           // what it waits for, or waited; zero when that was never said
	wrote          time.Time // when somebody of ours last wrote in its conversation, for what is held
	question       string    // what it answers, for what is held and shown
	below          string    // the post that it is about, for what is held and shown; "" where nobody has read it
}

// readDeeds looks up which rules decided about actions.
func (v *View) readDeeds(ctx context.Context, actions []event.Action) ([]Deed, error) {
	deeds := make([]Deed, len(actions))
	approvals, err := v.readApprovals(ctx, actions)
	if err != nil {
		return nil, err
	}
	wrote, err := v.wroteWhere(ctx, actions)
	if err != nil {
		return nil, err
	}
	turns := map[string]*decidedTurn{}
	for i := range actions {
		a := &actions[i]
		deeds[i].wrote = wrote[a.Conversation()]
		deeds[i].Approval = approvals[a.Account][a.Key]
		if deeds[i].Action, err = v.AtItsMinute(ctx, a); err != nil {
			return nil, err
		}
		if deeds[i].Rule = a.Rule; a.Rule != "" { // those of earlier versions have none
			continue
		}
		if why := reason.OfAction(a); why.Code() == reason.RuleOnWatch {
			deeds[i].Rule = why.Param("rule")
			continue
		}
		id := string(a.Account) + " " + beforeSlash(a.Key)
		if turns[id] == nil {
			t, err := v.turnOf(ctx, a)
			if err != nil {
				return nil, err
			}
			turns[id] = &t
		}
		deeds[i].Rule = replay.RuleOf(&turns[id].rec, turns[id].facts, a.Key)
	}
	return deeds, nil
}

// wroteWhere returns when somebody of ours last wrote in the conversations of actions that are held.
func (v *View) wroteWhere(ctx context.Context, actions []event.Action) (map[event.Key]time.Time, error) {
	var keys []event.Key
	for i := range actions {
		if actions[i].State == event.StateHeld {
			keys = append(keys, actions[i].Conversation())
		}
	}
	wrote := map[event.Key]time.Time{}
	return wrote, v.eachConversation(ctx, keys, func(c *record.ConversationRow) { wrote[c.Key] = c.OwnerWrote })
}

// readApprovals returns what actions wait for, or waited.
func (v *View) readApprovals(ctx context.Context, actions []event.Action) (map[event.Account]map[string]event.Approval, error) {
	keys := map[event.Account][]string{}
	for i := range actions {
		keys[actions[i].Account] = append(keys[actions[i].Account], actions[i].Key)
	}
	all := map[event.Account]map[string]event.Approval{}
	for account, of := range keys {
		var err error
		if all[account], err = v.Approvals(ctx, account, of); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// decidedTurn is what the actions of a turn are told by.
type decidedTurn struct {
	rec   event.DecisionRecord
	facts []event.Fact
}

// turnOf returns the turn that decided an action. The key begins with what started it.
func (v *View) turnOf(ctx context.Context, a *event.Action) (t decidedTurn, err error) {
	trigger, _, _ := strings.Cut(a.Key, "/")
	key := a.Key
	if named, err := v.TriggerOf(ctx, a.Account, key); err != nil {
		return t, err
	} else if named != "" {
		trigger, key = named, named+"/"
	}
	if id, no := event.ParseID(trigger); no == nil {
		var e record.EventRow
		e, _, err = v.Event(ctx, a.Account, id)
		t.rec = e.Record
	} else {
		for trigger = beforeSlash(key); trigger != ""; trigger = beforeSlash(trigger) {
			row, ok, err := v.Turn(ctx, a.Account, trigger)
			if err != nil {
				return t, err
			}
			if ok {
				t.rec = row.Record
				break
			}
		}
	}
	if err == nil && t.rec.Version != "" { // rules decided it, perhaps several
		t.facts, err = v.Facts(ctx, a.Account, trigger)
	}
	return t, err
}

// beforeSlash returns what stands before the last slash; "" when there is none.
func beforeSlash(text string) string {
	return text[:max(0, strings.LastIndexByte(text, '/'))]
}

// name fills in whom the actions are about.
func (v *View) name(ctx context.Context, deeds []Deed) error {
	keys := make([]event.Key, len(deeds))
	for i := range deeds {
		keys[i] = deeds[i].Conversation()
	}
	people, err := v.readPeople(ctx, keys)
	for i := range deeds {
		p := people[keys[i]]
		deeds[i].user, deeds[i].name = p.User, p.Name
	}
	return err
}

// readPeople returns who the people of conversations are.
func (v *View) readPeople(ctx context.Context, keys []event.Key) (map[event.Key]event.Peer, error) {
	people := map[event.Key]event.Peer{}
	return people, v.eachConversation(ctx, keys, func(c *record.ConversationRow) {
		people[c.Key] = event.Peer{ID: c.Key.Peer, Name: c.Name, User: c.User}
	})
}

// eachConversation shows conversations, as far as there are any.
func (v *View) eachConversation(ctx context.Context, keys []event.Key, show func(c *record.ConversationRow)) error {
	ids := map[event.Account][]platform.UserID{}
	for _, k := range keys {
		ids[k.Account] = append(ids[k.Account], k.Peer)
	}
	for account, ids := range ids {
		rows, err := v.Conversations(ctx, account, ids)
		if err != nil {
			return err
		}
		for i := range rows {
			show(&rows[i])
		}
	}
	return nil
}

// shortNumber is what people may write instead of the key of what is held; "" for others. It comes from the
// key: it stays the same when something else is decided, too.
func (d *Deed) shortNumber() string {
	if d.State != event.StateHeld && d.State != event.StateDue {
		return ""
	}
	return ShortNumber(&d.Action)
}

// ShortNumber returns the number by which a person names an action.
func ShortNumber(a *event.Action) string { return a.Number() }

// DoesText says what an action is to do, or has done, with at most n columns of its text.
func (d *Deed) DoesText(open bool, n int) string {
	a, text := &d.Action, words.Private
	if !a.Private || open {
		text = print.QuotePlain(a.Text, n)
	}
	verb := string(a.Verb)
	switch {
	case a.Verb == event.VerbMessage:
		return verb + " " + text
	case a.Verb == event.VerbPost && a.Post != 0:
		return fmt.Sprintf("reply to post %d %s", a.Post, text)
	case a.Verb == event.VerbPost:
		return verb + " " + text
	case a.Verb.Toggle() && !a.Want:
		verb = "un" + verb
	}
	switch a.Verb {
	case event.VerbFollow:
		return fmt.Sprintf("%s %d", verb, a.User)
	case event.VerbDeleteMessage:
		return fmt.Sprintf("delete message %d", a.Message)
	case event.VerbDeletePost:
		return fmt.Sprintf("delete post %d", a.Post)
	case event.VerbBooks:
		return "nothing on the platform"
	default:
		return fmt.Sprintf("%s post %d", verb, a.Post)
	}
}

// ActionJSON is an action for machines.
type ActionJSON struct {
	Account   event.Account   `json:"account"`
	Key       string          `json:"key"`
	Number    string          `json:"number,omitempty"`
	Peer      platform.UserID `json:"peer"`
	User      string          `json:"user,omitempty"`
	Name      string          `json:"name,omitempty"`
	Rule      string          `json:"rule,omitempty"`
	Verb      event.Verb      `json:"verb"`
	Text      string          `json:"text,omitempty"`
	Private   bool            `json:"private,omitempty"`
	Post      platform.PostID `json:"post,omitempty"`
	Target    int64           `json:"target,omitempty"`
	Want      bool            `json:"want,omitempty"`
	State     string          `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Why       event.Reason    `json:"why,omitempty"` // what Reason says, as a code
	Result    int64           `json:"result,omitempty"`
	Tries     int             `json:"tries,omitempty"`
	DecidedAt time.Time       `json:"decided_at"`
	DueAt     time.Time       `json:"due_at"`
	Until     time.Time       `json:"until,omitzero"` // it never leaves after that
	LeftAt    time.Time       `json:"left_at,omitzero"`
	EndedAt   time.Time       `json:"ended_at,omitzero"`
	Asked     *AskedJSON      `json:"asked,omitempty"` // what a person decided about it, and the bot has not done yet

	Question  string    `json:"question,omitempty"`   // what it answers, of what is held
	Together  string    `json:"together,omitempty"`   // the key of the first of those that are decided about together
	Expires   time.Time `json:"expires,omitzero"`     // until when it may be approved
	Expired   bool      `json:"expired,omitempty"`    // it is held, and that time is over, or that until which it may leave
	Overtaken bool      `json:"overtaken,omitempty"`  // it is held, and somebody of ours has written to the person since it was prepared
	With      []string  `json:"with,omitempty"`       // what happens beside it when it is approved
	Ruling    string    `json:"ruling,omitempty"`     // what was decided: released, edited, dropped, expired
	DecidedBy string    `json:"decided_by,omitempty"` // the person of ours who decided it
	RuledAt   time.Time `json:"ruled_at,omitzero"`

	Next inspect.Cursor `json:"next,omitempty"` // of the last one, where the list goes on
}

// DeedForMachines returns an action as other programs read it.
func (v *View) DeedForMachines(x *Deed, asked Waiting) ActionJSON {
	a := &x.Action
	text := a.Text
	if a.Private && !v.Private {
		text = words.Private
	}
	return ActionJSON{
		a.Account, a.Key, x.shortNumber(), a.Peer, x.user, x.name, x.Rule, a.Verb, text, a.Private, a.Post, a.Target(), a.Want,
		a.State.String(), a.Reason, reason.OfAction(a), a.Result, a.Tries,
		a.DecidedAt.UTC(), a.Due.UTC(), a.Until.UTC(), a.LeftAt.UTC(), a.EndedAt.UTC(), asked.AskedAboutAction(a).ForMachines(),
		x.question, x.Group, x.Expires.UTC(), x.holdReason().Over, x.holdReason().Overtaken, words.AlsoDone(&x.Effects, v.Private), string(x.Verdict.Ruling), x.Verdict.By, x.Verdict.At.UTC(), "",
	}
}

// lateWhy says why nobody may approve any more what is held.
func (d *Deed) lateWhy(now time.Time) string {
	switch {
	case !d.Expired(now):
		return "its time was over at " + print.TimeText(d.Until)
	case d.Within > 0:
		return "nobody approved it within " + words.TakesText(d.Within)
	}
	return "nobody approved it by " + print.TimeText(d.Expires)
}

// leavesText says when an action that is held would leave once it is approved; "" for at once, and at any time.
func (d *Deed) leavesText() string {
	var parts []string
	if d.Due.After(time.Now()) {
		parts = append(parts, "at "+print.TimeText(d.Due))
	}
	if !d.Until.IsZero() {
		parts = append(parts, "before "+print.TimeText(d.Until))
	}
	if len(parts) == 0 {
		return ""
	}
	return "leaves " + strings.Join(parts, ", and ")
}
