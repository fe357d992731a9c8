package replay

import (
	"io"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
)

// exchangeJSON is a change for machines.
type exchangeJSON struct {
	Change    replay.Change   `json:"change"`
	Account   event.Account   `json:"account"`
	Peer      platform.UserID `json:"peer"`
	User      string          `json:"user,omitempty"`
	At        time.Time       `json:"at"`
	Events    []saidToJSON    `json:"events"` // empty for what comes of silence
	RuleWas   string          `json:"rule_was,omitempty"`
	RuleNow   string          `json:"rule_now,omitempty"`
	ReasonWas string          `json:"reason_was,omitempty"`
	ReasonNow string          `json:"reason_now,omitempty"`
	Was       []saidJSON      `json:"was"`
	Now       []saidJSON      `json:"now"`
}

// saidToJSON is what happened.
type saidToJSON struct {
	ID   string          `json:"id"`
	Kind event.Kind      `json:"kind"`
	Text string          `json:"text,omitempty"`
	Post platform.PostID `json:"post,omitempty"`
}

// saidJSON is something that was decided.
type saidJSON struct {
	Verb  event.Verb      `json:"verb"`
	Text  string          `json:"text,omitempty"`
	Post  platform.PostID `json:"post,omitempty"`
	Watch bool            `json:"watch,omitempty"`
}

func saidForMachines(all []replay.Said) []saidJSON {
	out := make([]saidJSON, len(all))
	for i, s := range all {
		if s.Private {
			s.Text = words.Private
		}
		out[i] = saidJSON{s.Verb, s.Text, s.Post, s.Watch}
	}
	return out
}

// forMachines prints an object for each change, the worst first, and one for what it comes to.
func (p *Replayed) forMachines(out io.Writer) error {
	for _, x := range p.ShownChanges() {
		line := exchangeJSON{
			Change: x.Change, Account: x.Account, Peer: x.Peer, User: x.User, At: x.At.UTC(), Events: []saidToJSON{}, RuleWas: x.RuleThen,
			RuleNow: x.RuleNow, ReasonWas: x.ReasonThen, ReasonNow: x.ReasonNow, Was: saidForMachines(x.Then), Now: saidForMachines(x.Now),
		}
		for _, e := range x.Events {
			line.Events = append(line.Events, saidToJSON{e.ID.String(), e.Kind, e.Text, e.Post})
		}
		if err := print.WriteLine(out, line); err != nil {
			return err
		}
	}
	return print.WriteLine(out, struct {
		Summary replay.ReplayCount `json:"summary"`
	}{p.Count})
}
