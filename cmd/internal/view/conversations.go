package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
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
		return print.WriteLines(d.Out, talks, func(c *inspect.Conversation) any {
			line := d.talkForMachines(c, asked)
			if c == &talks[len(talks)-1] {
				line.Next = l.next
			}
			return line
		})
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

// errOwn is what a command about a person says of the account's own conversation.
var errOwn = errors.New("\"account\" is nobody: it is the account's own conversation, which nectar conversations show account shows; a person of that name is written @account")

// isOwn reports whether a text means the account's own conversation.
func isOwn(text string) bool { return text == print.OwnName || text == "0" }

// OwnKey names the own conversation of the account that the command is about.
func (v *View) OwnKey() (event.Key, error) {
	if len(v.Meant) != 1 {
		return event.Key{}, fmt.Errorf("each account has a conversation of its own: say which one, with --account NAME; there %s", TheseAre(v.Meant))
	}
	return event.Own(v.Meant[0]), nil
}

// ownMoments returns the last things that the account did by itself, in the order of time.
func (v *View) ownMoments(ctx context.Context, account event.Account, limit int) ([]moment, error) {
	turns, err := v.OwnTurns(ctx, account, limit)
	if err != nil {
		return nil, err
	}
	var all []moment
	for _, r := range slices.Backward(turns) {
		m := moment{at: r.HandledAt(), event: r.Event, turn: r.Turn}
		if r.Turn != nil {
			m.cause = causeText(&r)
		}
		all = append(all, m)
		deeds, err := v.readDeeds(ctx, r.Actions)
		if err != nil {
			return nil, err
		}
		for i := range deeds {
			m := moment{at: deeds[i].DecidedAt, action: &deeds[i]}
			if deeds[i].State == event.StateDone && deeds[i].EndedAt.After(m.at) {
				m.at = deeds[i].EndedAt
			}
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	return all[max(0, len(all)-limit):], nil
}

// causeText says what began a turn of the account's own conversation.
func causeText(r *record.Recorded) string {
	id := r.Trigger()
	if t, err := event.ParseTimer(id); err == nil {
		return "timer " + print.QuotePlain(t.Name, 40)
	}
	if nudge, ok := strings.CutPrefix(id, "nudge:"); ok {
		return "nudge " + print.QuotePlain(beforeSlash(nudge), 40)
	}
	if told, ok := ToldOf(r.Facts); ok {
		return "asked for " + AsksFor(&told, 40)
	}
	return "decided"
}

// ToldOf returns what a person asked of the program, if the facts of a turn say so.
func ToldOf(facts []event.Fact) (told event.Told, ok bool) {
	i := slices.IndexFunc(facts, func(f event.Fact) bool { return f.Name == "told" })
	return told, i >= 0 && json.Unmarshal(facts[i].Value, &told) == nil && told.Subject != ""
}

// AsksFor says what a person asked of the program.
func AsksFor(told *event.Told, n int) string {
	if told.Text == "" {
		return print.PlainText(told.Subject, 80)
	}
	return print.PlainText(told.Subject, 80) + " " + print.QuotePlain(told.Text, n)
}

// ownRow is the row of a turn of the account's own conversation.
func ownRow(m *moment) []string {
	x := m.turn
	return []string{print.TimeText(m.at), "  " + cmp.Or(print.PlainText(x.Record.By, 24), print.OwnName), m.cause, print.PlainText(x.Record.Outcome, 20), print.PlainText(x.Record.Rule, 32), print.PlainText(x.ID, 0), print.PlainText(x.Record.Note, 100)}
}

// restoredAtOnce is how many conversations are read at a time.
const restoredAtOnce = 500

// GiveBackAll gives back the conversations that were taken over by what was read after a copy of the database was put back, and by nothing else
// since. With look it only tells which ones those are.
func (v *View) GiveBackAll(ctx context.Context, since time.Time, look bool, wait time.Duration) error {
	var given []Decision
	for _, account := range v.Meant {
		some, err := v.takenByCopy(ctx, account, since)
		if err != nil {
			return err
		}
		given = append(given, some...)
	}
	if len(given) == 0 {
		return print.SayLine(v.Out, "no conversation was taken over by what was read after a copy was put back, or all were given back")
	}
	if !look {
		return v.AskDecisions(ctx, wait, given)
	}
	t := print.Table{Head: []string{"WHO", "ACCOUNT"}}
	for i := range given {
		t.Add(given[i].About, string(given[i].Key.Account))
	}
	return v.print(&t, "")
}

// takenByCopy returns what gives back the conversations of an account that were taken over so since a time.
func (v *View) takenByCopy(ctx context.Context, account event.Account, since time.Time) (given []Decision, err error) {
	for cursor := inspect.Cursor(""); ; {
		page, err := inspect.Conversations(ctx, v.Inspector, record.ConversationQuery{Account: account, Owner: bot.OwnedByPerson, Limit: restoredAtOnce}, cursor)
		if err != nil {
			return nil, badCursor(err)
		}
		for i := range page.Rows {
			c := &page.Rows[i]
			last, err := v.Takeovers(ctx, c.Key, 1)
			if err != nil {
				return nil, err
			}
			if len(last) == 0 || last[0].Turn.Record.Why.Code() != bot.WhyWritten || last[0].Turn.HandledAt.Before(since) { //mutate:give-back-copy
				continue
			}
			given = append(given, Decision{Request: event.Request{Key: c.Key, Wish: event.WishGiveBack}, About: print.PersonName(c.User, int64(c.Key.Peer))})
		}
		if cursor = page.Next; cursor == "" {
			return given, nil
		}
	}
}

// DefaultOwner is who takes a conversation over unless somebody is named. A name of its own: a takeover
// by writing in the chat ends by itself.
const DefaultOwner = "team"
