package view

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// PersonJSON is all that is kept of a person.
type PersonJSON struct {
	Account      event.Account   `json:"account"`
	Peer         platform.UserID `json:"peer"`
	User         string          `json:"user,omitempty"`
	Name         string          `json:"name,omitempty"`
	IgnoredSince time.Time       `json:"ignored_since,omitzero"`
	Conversation *talkKept       `json:"conversation,omitempty"`
	Events       []eventKept     `json:"events,omitempty"`
	Turns        []turnKept      `json:"turns,omitempty"`
	Actions      []ActionJSON    `json:"actions,omitempty"`
	Timers       []timerKept     `json:"timers,omitempty"`
	Entries      []entryKept     `json:"entries,omitempty"`
	Notices      []noticeKept    `json:"notices,omitempty"`
	Facts        []factKept      `json:"facts,omitempty"`
	LimitUses    []limitUseKept  `json:"limit_uses,omitempty"`
	Strays       []ActionJSON    `json:"strays,omitempty"` // copies of messages and posts that may be on the platform
	Requests     []AskedJSON     `json:"requests,omitempty"`
	Marks        int             `json:"marks"` // numbers of events and messages, without what was said: they stay
}

type talkKept struct {
	Owner            string                     `json:"owner,omitempty"`
	OwnerSince       time.Time                  `json:"owner_since,omitzero"`
	UnreachableUntil time.Time                  `json:"unreachable_until,omitzero"`
	Flow             string                     `json:"flow,omitempty"`
	FlowState        string                     `json:"flow_state,omitempty"`
	FlowData         json.RawMessage            `json:"flow_data,omitempty"`
	Labels           []string                   `json:"labels,omitempty"`
	Values           map[string]json.RawMessage `json:"values,omitempty"`
}

type eventKept struct {
	eventJSON
	Image  string          `json:"image,omitempty"`
	Before json.RawMessage `json:"before,omitempty"` // the conversation before its turn
}

type turnKept struct {
	ID        string          `json:"id"`
	HandledAt time.Time       `json:"handled_at"`
	Outcome   string          `json:"outcome"`
	Route     string          `json:"route,omitempty"`
	Rule      string          `json:"rule,omitempty"`
	Note      string          `json:"note,omitempty"`
	Before    json.RawMessage `json:"before,omitempty"`
	DecidedBy string          `json:"decided_by,omitempty"` // a person of ours
}

type timerKept struct {
	Name  string          `json:"name"`
	DueAt time.Time       `json:"due_at"`
	State string          `json:"state"`
	Tries int             `json:"tries,omitempty"`
	Note  string          `json:"note,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

type entryKept struct {
	List    string          `json:"list"`
	Key     string          `json:"key"`
	Text    string          `json:"text,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Trigger string          `json:"trigger,omitempty"`
	At      time.Time       `json:"at"`
}

type noticeKept struct {
	ID     string    `json:"id"`
	Who    string    `json:"who"`
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
	SentAt time.Time `json:"sent_at,omitzero"`

	Kind    string          `json:"kind,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

type factKept struct {
	Trigger string          `json:"trigger"`
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value,omitempty"`
	ReadAt  time.Time       `json:"read_at"`
}

type limitUseKept struct {
	Limit string    `json:"limit"`
	Scope string    `json:"scope,omitempty"`
	By    string    `json:"by"` // the key of an action, or the id of what started a turn
	At    time.Time `json:"at"`
}

// raw returns what is stored as JSON, or as a text what is none.
func raw(text []byte) json.RawMessage {
	if len(text) == 0 || json.Valid(text) {
		return text
	}
	quoted, err := json.Marshal(string(text))
	if err != nil {
		return nil
	}
	return quoted
}

// PersonForMachines returns all that is kept of a person, as other programs read it.
func (v *View) PersonForMachines(p *record.Person) PersonJSON {
	x := PersonJSON{Account: p.Key.Account, Peer: p.Key.Peer, IgnoredSince: p.Ignored.UTC(), Marks: p.Marks}
	x.Name, x.User = p.Names()
	if c := p.Conversation; c != nil {
		x.Conversation = &talkKept{
			c.Owner, c.OwnerSince.UTC(), c.Unreachable.UTC(), c.Flow.Flow, c.Flow.State, raw(c.Flow.Data), c.Labels, c.Values,
		}
	}
	for i := range p.Events {
		e := &p.Events[i]
		x.Events = append(x.Events, eventKept{eventForMachines(e, nil), e.Image, raw(e.Record.Before)})
	}
	for i := range p.Turns {
		t := &p.Turns[i]
		x.Turns = append(x.Turns, turnKept{t.ID, t.HandledAt.UTC(), t.Record.Outcome, t.Record.Route, t.Record.Rule, t.Record.Note, raw(t.Record.Before), t.Record.By})
	}
	approvals := map[string]event.Approval{}
	for i := range p.Approvals {
		approvals[p.Approvals[i].Key] = p.Approvals[i].Approval
	}
	for i := range p.Actions {
		x.Actions = append(x.Actions, v.DeedForMachines(&Deed{Action: p.Actions[i], Approval: approvals[p.Actions[i].Key]}, nil))
	}
	for i := range p.Strays {
		x.Strays = append(x.Strays, v.DeedForMachines(&Deed{Action: p.Strays[i]}, nil))
	}
	for i := range p.Timers {
		t := &p.Timers[i]
		x.Timers = append(x.Timers, timerKept{t.Name, t.Due.UTC(), t.State, t.Tries, t.Note, raw(t.Data)})
	}
	x.rest(p)
	return x
}

func (p *PersonJSON) rest(person *record.Person) {
	for _, e := range person.Entries {
		p.Entries = append(p.Entries, entryKept{e.List, e.Key, e.Text, raw(e.Data), e.Trigger, e.At.UTC()})
	}
	for i := range person.Notices {
		n := &person.Notices[i]
		p.Notices = append(p.Notices, noticeKept{n.ID, n.Who, n.Text, n.At.UTC(), n.SentAt.UTC(), n.Kind, raw(n.Details)})
	}
	for _, f := range person.Facts {
		p.Facts = append(p.Facts, factKept{f.Trigger, f.Name, raw(f.Value), f.ReadAt.UTC()})
	}
	for _, c := range person.LimitUses {
		p.LimitUses = append(p.LimitUses, limitUseKept{c.Limit, c.Scope, c.Claimant, c.At.UTC()})
	}
	for i := range person.Requests {
		p.Requests = append(p.Requests, *(*asked)(&person.Requests[i]).ForMachines())
	}
}
