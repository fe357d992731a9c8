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

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
)

// ConversationList is which conversations are wanted.
type ConversationList struct {
	Flags
	TakenOver bool
	Owner     string
	Limit     int
}

// talk is a conversation in a list.
type talk struct {
	record.ConversationRow
	last  time.Time // when something was last seen in it
	until time.Time // when the bot speaks again by itself; zero for never
}

// recently is how many of an account's last events are looked at for the people in them.
const recently = 1000

func (l *ConversationList) read(ctx context.Context, d *View) ([]talk, error) {
	all, err := l.all(ctx, d)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b talk) int {
		return cmp.Or(b.last.Compare(a.last), b.OwnerSince.Compare(a.OwnerSince))
	})
	all = all[:min(len(all), l.Limit)]
	for i := range all {
		if all[i].Owner == "" {
			continue
		}
		var err error
		if all[i].until, err = d.Timer(ctx, all[i].Key, bot.TakebackTimer); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// all returns those that may be wanted.
func (l *ConversationList) all(ctx context.Context, d *View) (all []talk, err error) {
	if !l.TakenOver && l.Owner == "" {
		return newestOf(ctx, d, record.EventQuery{Limit: l.Limit}, func(c *talk) time.Time { return c.last }, func(account event.Account) ([]talk, error) {
			return d.recent(ctx, account, l.Limit)
		})
	}
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasOwned, Text: l.Owner})
	if err != nil {
		return nil, err
	}
	for _, account := range those {
		talks, err := d.owned(ctx, account, l.Owner, l.Limit)
		if err != nil {
			return nil, err
		}
		all = append(all, talks...)
	}
	return all, nil
}

// owned returns the conversations that somebody has.
func (d *View) owned(ctx context.Context, account event.Account, owner string, limit int) ([]talk, error) {
	rows, err := d.Owned(ctx, account, owner, limit)
	talks := make([]talk, len(rows))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		talks[i].ConversationRow = rows[i]
		key := rows[i].Key
		last, err := d.Events(ctx, record.EventQuery{Account: key.Account, Peer: key.Peer, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(last) > 0 {
			talks[i].last = last[0].SeenAt
		}
	}
	return talks, nil
}

// recent returns the conversations in which something happened last.
func (d *View) recent(ctx context.Context, account event.Account, limit int) ([]talk, error) {
	events, err := d.Events(ctx, record.EventQuery{Account: account, Limit: recently})
	if err != nil {
		return nil, err
	}
	var talks []talk
	places := map[platform.UserID]int{}
	for i := range events {
		e := &events[i]
		if _, ok := places[e.Peer]; ok || len(talks) == limit {
			continue
		}
		places[e.Peer] = len(talks)
		t := talk{last: e.SeenAt}
		t.Key, t.Name, t.User = e.Key(), e.Name, e.User
		talks = append(talks, t)
	}
	peers := make([]platform.UserID, len(talks))
	for i := range talks {
		peers[i] = talks[i].Key.Peer
	}
	rows, err := d.Conversations(ctx, account, peers)
	for i := range rows {
		talks[places[rows[i].Key.Peer]].ConversationRow = rows[i]
	}
	return talks, err
}

// Print writes the list of conversations.
func (l *ConversationList) Print(ctx context.Context, d *View, _ []string) error {
	talks, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	asked, err := d.Waiting(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		for i := range talks {
			if err := print.Line(d.Out, d.talkForMachines(&talks[i], asked)); err != nil {
				return err
			}
		}
		return nil
	}
	t := print.Table{Head: []string{"WHO", "NUMBER", "NAME", "ACCOUNT", "LAST SEEN", "OWNER", "SINCE", "UNTIL", "STEP", "LABELS"}}
	for i := range talks {
		c := &talks[i]
		t.Add(print.Who(c.User, int64(c.Key.Peer)), strconv.FormatInt(int64(c.Key.Peer), 10), print.Plain(c.Name, 24), string(c.Key.Account),
			print.When(c.last), print.And(print.And(has(c.Owner), silenced(c)), asked.talk(c.Key).String()), print.When(c.OwnerSince), print.When(c.until), standsIn(c),
			print.Plain(strings.Join(c.Labels, ", "), 80))
	}
	t.Squeeze("STEP", "LABELS")
	none := "there is no conversation yet"
	switch {
	case l.Owner != "":
		none = print.Quoted(l.Owner, 0) + " has no conversation"
	case l.TakenOver:
		none = "the bot has all conversations"
	}
	return d.print(&t, none)
}

// has names the owner of a conversation.
func has(owner string) string { return print.Plain(cmp.Or(owner, "bot"), 24) }

// silenced says that the person has asked for silence; "" when not.
func silenced(c *talk) string {
	if replay.Silenced(c.Values) {
		return "asked for silence"
	}
	return ""
}

// standsIn says in which step of which flow a conversation stands; "" for none.
func standsIn(c *talk) string {
	if !c.Flow.Active() {
		return ""
	}
	return print.Plain(strings.TrimPrefix(c.Flow.Flow, rules.FlowPrefix)+" at "+c.Flow.State, 60)
}

// answer is what somebody answered to a question of a rule file.
type answer struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Said    string `json:"said,omitempty"` // when it is kept in other words
	Private bool   `json:"private,omitempty"`
}

// answers returns what was answered so far in the conversation with steps that c stands in, by name.
func (d *View) answers(c *talk) []answer {
	var p ruledecision.Progress
	if !strings.HasPrefix(c.Flow.Flow, rules.FlowPrefix) || json.Unmarshal(c.Flow.Data, &p) != nil {
		return nil // of a program, which has shapes of its own
	}
	var all []answer
	for _, name := range slices.Sorted(maps.Keys(p.Answers)) {
		a := answer{name, p.Answers[name].Text, p.Answers[name].Said, p.Answers[name].Private}
		if a.Private && !d.Private {
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
}

func (d *View) talkForMachines(c *talk, asked Waiting) conversationJSON {
	return conversationJSON{
		c.Key.Account, c.Key.Peer, c.User, c.Name, c.last.UTC(), c.Owner, c.OwnerSince.UTC(), c.until.UTC(),
		c.Flow.Flow, c.Flow.State, d.answers(c), c.Labels, replay.Silenced(c.Values), asked.talk(c.Key).ForMachines(),
	}
}
