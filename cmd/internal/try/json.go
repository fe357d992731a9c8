package try

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
)

// Scene is what came of something, for machines.
type Scene struct {
	At           time.Time            `json:"at"`
	Who          string               `json:"who"`
	Event        event.Kind           `json:"event,omitempty"` // what the person did
	Text         string               `json:"text,omitempty"`
	Media        bool                 `json:"media,omitempty"` // a picture
	Timer        string               `json:"timer,omitempty"` // what came due
	Outcome      ruledecision.Outcome `json:"outcome"`
	Rule         string               `json:"rule,omitempty"`
	Reason       string               `json:"reason,omitempty"`
	Conversation string               `json:"conversation,omitempty"` // which the person stands in afterwards
	Step         string               `json:"step,omitempty"`         // which it came to
	Owner        string               `json:"owner,omitempty"`
	Labels       []string             `json:"labels,omitempty"`
	Actions      []tryAction          `json:"actions,omitempty"`
	Notices      []tryNotice          `json:"notices,omitempty"`
	Entries      []tryEntry           `json:"entries,omitempty"`
	Waits        []tryWaits           `json:"waits,omitempty"` // with --status file: what waits for an approval
	Tried        []tryTried           `json:"tried,omitempty"` // with --trace
}

type tryAction struct {
	Rule   string              `json:"rule"`
	Verb   event.Verb          `json:"verb"`
	Text   string              `json:"text,omitempty"`
	Post   platform.PostID     `json:"post,omitempty"`
	Due    time.Time           `json:"due"`
	Status ruledecision.Status `json:"status"`
}

// tryWaits is what waits for one approval.
type tryWaits struct {
	Rule    string    `json:"rule"`
	Actions []int     `json:"actions"` // which of them, counted from 0
	With    []string  `json:"with,omitempty"`
	Expires time.Time `json:"expires"`
}

type tryNotice struct {
	Who  string `json:"who"`
	Text string `json:"text"`
}

type tryEntry struct {
	List   string               `json:"list"`
	Text   string               `json:"text,omitempty"`
	Fields []ruledecision.Field `json:"fields,omitempty"`
}

type tryTried struct {
	Rule    string              `json:"rule"`
	File    string              `json:"file"`
	Line    int                 `json:"line"`
	Status  ruledecision.Status `json:"status"`
	Matched bool                `json:"matched"`
	Won     bool                `json:"won"`
	Why     string              `json:"why"`
}

// newTryScene returns a scene for machines, in the time zone that local gives.
func newTryScene(p *tryPerson, sc *rehearse.Scene, local func(time.Time) time.Time) Scene {
	d := &sc.Decision
	t := Scene{
		At: local(sc.At), Who: p.State.User, Outcome: d.Outcome, Rule: d.Rule, Reason: d.Reason, Step: d.Step,
		Owner: d.State.Owner, Labels: d.State.Labels,
	}
	if sc.Trigger.Kind == event.ByEvent {
		t.Event, t.Text, t.Media = sc.Trigger.Event.Kind, sc.Trigger.Event.Text, sc.Trigger.Event.Image != ""
	} else {
		t.Timer = sc.Trigger.Timer.Name
	}
	t.Conversation, _, _ = replay.Stands(&d.State)
	for i := range d.Actions {
		a := &d.Actions[i]
		t.Actions = append(t.Actions, tryAction{a.Rule, a.Verb, a.Text, a.Post, local(a.Due), a.Status})
	}
	for i := range d.Bundles {
		b := &d.Bundles[i]
		t.Waits = append(t.Waits, tryWaits{b.Rule, b.Actions, words.AlsoDone(&b.Effects, true), local(b.Expires)})
	}
	for _, n := range d.Notices {
		t.Notices = append(t.Notices, tryNotice{n.Who, n.Text})
	}
	for _, e := range d.Entries {
		t.Entries = append(t.Entries, tryEntry{e.List, e.Text, e.Fields})
	}
	for _, w := range d.Tried {
		t.Tried = append(t.Tried, tryTried{w.Rule, w.File, w.Line, w.Status, w.Matched, w.Won, w.Why})
	}
	return t
}
