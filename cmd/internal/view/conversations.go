package view

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform"
)

// ConversationList is which conversations are wanted.
type ConversationList struct {
	Flags
	TakenOver bool
	Owner     string
	Limit     int

	Cursor inspect.Cursor // where it goes on; "" is its beginning
	next   inspect.Cursor // where it goes on behind what was read; "" for nowhere
}

// read returns the conversations behind the cursor.
func (l *ConversationList) read(ctx context.Context, d *View) ([]inspect.Conversation, error) {
	q, of := record.ConversationQuery{Owned: l.TakenOver, Owner: l.Owner, Limit: l.Limit}, d.Meant
	if len(of) == 1 {
		q.Account, of = of[0], nil
	} else if len(of) == 0 {
		return nil, nil
	}
	page, err := inspect.Conversations(ctx, d.Inspector, q, l.Cursor, of...)
	l.next = page.Next
	return page.Rows, badCursor(err)
}

// Print writes the list of conversations.
func (l *ConversationList) Print(ctx context.Context, d *View, _ []string) error {
	talks, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	asked, err := d.ReadWaiting(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		for i := range talks {
			line := d.talkForMachines(&talks[i], asked)
			if i == len(talks)-1 {
				line.Next = l.next
			}
			if err := print.WriteLine(d.Out, line); err != nil {
				return err
			}
		}
		return nil
	}
	t := print.Table{Head: []string{"WHO", "NUMBER", "NAME", "ACCOUNT", "LAST SEEN", "OWNER", "SINCE", "UNTIL", "STEP", "LABELS"}}
	for i := range talks {
		c := &talks[i]
		t.Add(print.PersonName(c.User, int64(c.Key.Peer)), strconv.FormatInt(int64(c.Key.Peer), 10), print.PlainText(c.Name, 24), string(c.Key.Account),
			print.TimeText(c.LastSeen), print.JoinTwo(print.JoinTwo(has(c.Owner), silencedText(c)), asked.askedAboutOwner(c.Key).String()), print.TimeText(c.OwnerSince), print.TimeText(c.Until), standsIn(c),
			print.PlainText(strings.Join(c.Labels, ", "), 80))
	}
	t.DropEmpty("STEP", "LABELS")
	none := "there is no conversation yet"
	switch {
	case l.Owner != "":
		none = print.QuotePlain(l.Owner, 0) + " has no conversation"
	case l.TakenOver:
		none = "the bot has all conversations"
	}
	if err := d.print(&t, none); err != nil || l.Cursor == "" {
		return err
	}
	return d.tellNext(l.next)
}

// has names the owner of a conversation.
func has(owner string) string { return print.PlainText(cmp.Or(owner, "bot"), 24) }

// silencedText says that the person has asked for silence; "" when not.
func silencedText(c *inspect.Conversation) string {
	if !c.Silence.Since.IsZero() {
		return "asked for silence"
	}
	return ""
}

// standsIn says in which step of which flow a conversation stands; "" for none.
func standsIn(c *inspect.Conversation) string {
	if !c.Flow.Active() {
		return ""
	}
	return print.PlainText(strings.TrimPrefix(c.Flow.Flow, rules.FlowPrefix)+" at "+c.Flow.State, 60)
}

// answer is what somebody answered to a question of a rule file.
type answer struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Said    string `json:"said,omitempty"` // when it is kept in other words
	Private bool   `json:"private,omitempty"`
}

// answersOf returns what was answered so far in the conversation with steps that c stands in, by name.
func (v *View) answersOf(c *inspect.Conversation) []answer {
	var p ruledecision.Progress
	if !strings.HasPrefix(c.Flow.Flow, rules.FlowPrefix) || json.Unmarshal(c.Flow.Data, &p) != nil {
		return nil // of a program, which has shapes of its own
	}
	var all []answer
	for _, name := range slices.Sorted(maps.Keys(p.Answers)) {
		a := answer{name, p.Answers[name].Text, p.Answers[name].Said, p.Answers[name].Private}
		if a.Private && !v.Private {
			a.Text, a.Said = words.Private, ""
		}
		all = append(all, a)
	}
	return all
}

// conversationJSON is a conversation for machines. An empty owner is the bot.
type conversationJSON struct {
	Account    event.Account   `json:"account"`
	Peer       platform.UserID `json:"peer"`
	User       string          `json:"user,omitempty"`
	Name       string          `json:"name,omitempty"`
	LastSeenAt time.Time       `json:"last_seen_at,omitzero"`
	Owner      string          `json:"owner"`
	OwnerSince time.Time       `json:"owner_since,omitzero"`
	OwnerUntil time.Time       `json:"owner_until,omitzero"`
	Flow       string          `json:"flow,omitempty"`
	FlowState  string          `json:"flow_state,omitempty"`
	Answers    []answer        `json:"answers,omitempty"`
	Labels     []string        `json:"labels,omitempty"`
	Silenced   bool            `json:"silenced,omitempty"` // the person has asked for silence, by a stop word
	Asked      *AskedJSON      `json:"asked,omitempty"`    // what a person decided about it, and the bot has not done yet
	Next       inspect.Cursor  `json:"next,omitempty"`     // of the last one, where the list goes on
}

func (v *View) talkForMachines(c *inspect.Conversation, asked Waiting) conversationJSON {
	return conversationJSON{
		c.Key.Account, c.Key.Peer, c.User, c.Name, c.LastSeen.UTC(), c.Owner, c.OwnerSince.UTC(), c.Until.UTC(),
		c.Flow.Flow, c.Flow.State, v.answersOf(c), c.Labels, !c.Silence.Since.IsZero(), asked.askedAboutOwner(c.Key).ForMachines(), "",
	}
}
