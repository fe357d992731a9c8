package why

import (
	"cmp"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
)

// JSON is why a turn ended as it did, for machines.
type JSON struct {
	Account     event.Account     `json:"account"`
	ID          string            `json:"id"`
	Peer        platform.UserID   `json:"peer"`
	Kind        event.Kind        `json:"kind,omitempty"`
	User        string            `json:"user,omitempty"`
	Name        string            `json:"name,omitempty"`
	Text        string            `json:"text,omitempty"`
	SeenAt      time.Time         `json:"seen_at,omitzero"` // when a timer was due
	HandledAt   time.Time         `json:"handled_at,omitzero"`
	State       string            `json:"state,omitempty"` // of the event: pending, handled, quarantined; of a timer that has had no turn
	Outcome     string            `json:"outcome"`
	Route       string            `json:"route,omitempty"`
	Note        string            `json:"note,omitempty"`
	Became      string            `json:"became,omitempty"`     // of what was prepared: waiting, approved, sent, done, refused, expired, withdrawn
	DecidedBy   string            `json:"decided_by,omitempty"` // the person of ours who asked for it
	Told        string            `json:"told"`                 // the sentence for people
	Rule        string            `json:"rule,omitempty"`
	File        string            `json:"file,omitempty"`
	Line        int               `json:"line,omitempty"`
	Version     string            `json:"version,omitempty"`
	Loaded      time.Time         `json:"loaded,omitzero"`       // when the version was loaded last: it may have been before, too
	Unexplained string            `json:"unexplained,omitempty"` // why the rules cannot be told
	Differs     []string          `json:"differs,omitempty"`     // what was decided otherwise at the time
	Masked      bool              `json:"masked,omitempty"`
	Led         []ledJSON         `json:"led,omitempty"` // of a burst with several answers
	Tried       []triedJSON       `json:"tried,omitempty"`
	Nearest     string            `json:"nearest,omitempty"` // the rule
	Before      *stateJSON        `json:"before,omitempty"`
	After       *stateJSON        `json:"after,omitempty"`
	Limits      []limitJSON       `json:"limits,omitempty"`
	Waits       []waitJSON        `json:"waits,omitempty"`
	Actions     []view.ActionJSON `json:"actions,omitempty"`
	AnsweredBy  *JSON             `json:"answered_by,omitempty"` // the turn that answered it together with others
}

type triedJSON struct {
	Rule    string              `json:"rule"`
	File    string              `json:"file"`
	Line    int                 `json:"line"`
	Status  ruledecision.Status `json:"status"`
	Matched bool                `json:"matched"`
	Won     bool                `json:"won,omitempty"`
	Why     string              `json:"why"`
}

// ledJSON says which rule a text of a burst has led to.
type ledJSON struct {
	Event string `json:"event"`
	Rule  string `json:"rule"`
}

type stateJSON struct {
	Owner        string   `json:"owner,omitempty"`
	Conversation string   `json:"conversation,omitempty"`
	Step         string   `json:"step,omitempty"`
	Labels       []string `json:"labels,omitempty"`
}

type limitJSON struct {
	Limit  string `json:"limit"`
	Max    int    `json:"max"`
	Within string `json:"within,omitempty"` // "" is ever
	Before *int   `json:"before,omitempty"` // uses before this one
	Later  bool   `json:"later,omitempty"`  // counted when a person approves
}

type waitJSON struct {
	Until time.Time `json:"until"`
	What  string    `json:"what"`
}

// whyForMachines prints one object.
func whyForMachines(d *view.View, turns []*whyTurn) error {
	w := turnForMachines(d, turns[0])
	if len(turns) > 1 {
		by := turnForMachines(d, turns[1])
		w.AnsweredBy, w.Told = &by, by.Told
	}
	return print.WriteLine(d.Out, w)
}

func turnForMachines(d *view.View, t *whyTurn) JSON {
	rec := t.decisionRecord()
	w := JSON{
		Account: accountOf(&t.Recorded), ID: t.Trigger(), HandledAt: HandledAt(&t.Recorded).UTC(), Outcome: rec.Outcome, Route: rec.Route,
		Note: rec.Note, Became: t.became, DecidedBy: rec.By, Told: endedText(t), Rule: rec.Rule, Version: rec.Version, Unexplained: t.why, Loaded: t.loaded.UTC(),
	}
	if e := t.Event; e != nil {
		w.Peer, w.Kind, w.User, w.Name, w.Text, w.SeenAt, w.State = e.Peer, e.Kind, e.User, e.Name, e.Text, e.SeenAt.UTC(), e.State
	} else {
		w.Peer = t.Turn.Peer
		if x := t.Turn.Timer; x != nil {
			w.Kind, w.SeenAt, w.State, w.User = view.KindTimer, x.Due.UTC(), view.TimerStands(x), x.User
		}
	}
	if t.version != nil {
		at, _, _ := rehearse.Origin(t.version, rec.Rule)
		w.File, w.Line = at.File, at.Line
	}
	for i := range t.Actions {
		w.Actions = append(w.Actions, d.DeedForMachines(&view.Deed{Action: t.Actions[i], Approval: t.approvals[t.Actions[i].Key], Rule: replay.RuleOf(rec, t.Facts, t.Actions[i].Key)}, view.Waiting{}))
	}
	if t.ok {
		w.explain(&t.explained)
	}
	return w
}

func (j *JSON) explain(x *replay.Explanation) {
	j.Text = cmp.Or(x.Said, j.Text)
	j.Differs, j.Masked = x.Differs, x.Masked
	for _, l := range x.Decision.Led {
		j.Led = append(j.Led, ledJSON{l.Event.String(), l.Rule})
	}
	for i := range x.Decision.Tried {
		r := &x.Decision.Tried[i]
		j.Tried = append(j.Tried, triedJSON{r.Rule, r.File, r.Line, r.Status, r.Matched, r.Won, r.Why})
	}
	if x.Nearest != nil {
		j.Nearest = x.Nearest.Rule
	}
	j.Before, j.After = stateForMachines(&x.Input.State), stateForMachines(&x.Decision.State)
	for i := range x.Limits {
		u := &x.Limits[i]
		l := limitJSON{Limit: u.Name(), Max: u.Max, Later: u.Later}
		if u.Within > 0 {
			l.Within = words.AsWritten(u.Within)
		}
		if u.Known {
			l.Before = &u.Before
		}
		j.Limits = append(j.Limits, l)
	}
	for _, timer := range x.Decision.Timers {
		if what := rehearse.Awaits(timer); what != "" {
			j.Waits = append(j.Waits, waitJSON{words.AwaitedAt(timer).UTC(), what})
		}
	}
}

func stateForMachines(s *ruledecision.State) *stateJSON {
	talk, step, _ := replay.Stands(s)
	return &stateJSON{s.Owner, talk, step, s.Labels}
}
