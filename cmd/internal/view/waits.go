package view

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
)

// waitsLine is somebody who waits for a person of ours.
type waitsLine struct {
	Account event.Account `json:"account,omitempty"`
	Since   time.Time     `json:"since"`
	Said    time.Time     `json:"said,omitzero"` // when the last words were said
	Who     string        `json:"who"`
	Why     string        `json:"why"`
	Code    event.Reason  `json:"code"`
	Text    string        `json:"text,omitempty"`
	Do      string        `json:"do"` // the command that shows it, or deals with it
}

// waitLines tells who waits, in their order.
func (v *View) waitLines(ctx context.Context, those []inspect.Waiting) ([]waitsLine, error) {
	deeds := make([]Deed, 0, len(those))
	for i := range those {
		if a := those[i].Action; a != nil {
			deeds = append(deeds, Deed{Action: *a})
		}
	}
	// All at once: a question for each person who waits would make the morning's summary slow where it is long.
	if err := v.name(ctx, deeds); err != nil {
		return nil, err
	}
	lines := make([]waitsLine, len(those))
	for i := range those {
		w, l := &those[i], &lines[i]
		*l = waitsLine{Account: w.Key.Account, Since: w.Since, Said: w.Said, Code: w.Why, Why: whyWaits(w.Why)}
		switch {
		case w.Action != nil:
			v.heldLine(l, &deeds[0])
			deeds = deeds[1:]
		case w.Why.Code() == record.WaitsQuarantined:
			e := w.Event
			l.Who, l.Why, l.Do = print.PersonName(e.User, int64(e.Peer)), "it failed too often: "+e.Record.Note, "nectar events retry "+e.ID.String()
		default:
			l.Who = print.PersonName("", int64(w.Key.Peer))
			if w.Conversation != nil {
				l.Who = print.PersonName(w.Conversation.User, int64(w.Key.Peer))
			}
			l.Do = "nectar conversations show " + l.Who
		}
		if w.Event != nil {
			l.Text = HappenedText(w.Event, 60)
		}
	}
	return lines, nil
}

// heldLine tells of an action that is held.
func (v *View) heldLine(l *waitsLine, x *Deed) {
	l.Do = "nectar outbox --held"
	switch h := x.holdReason(); h.For {
	case inspect.HeldForApproval:
		l.Do = "nectar outbox approve " + x.shortNumber()
	case inspect.HeldForResume:
		l.Do = "nectar resume " + h.Rule
	}
	l.Who, l.Why, l.Text = print.PersonName(x.user, int64(x.Peer)), x.Reason, x.DoesText(v.Private, 60)
}

// unansweredSaid says why nobody answered, by how the turn ended.
var unansweredSaid = map[string]string{
	bot.OutcomeUnmatched:           "nothing answers this",
	bot.OutcomeLate:                "it was too old to be answered when it was read",
	string(ruledecision.HeldBack):  "what would answer it was held back",
	string(ruledecision.OnPause):   "what would answer it is paused",
	string(ruledecision.Watched):   "what would answer it is on watch",
	string(ruledecision.Acted):     "a rule saw it, and said nothing",
	string(ruledecision.Prepared):  "a rule on ask saw it, and would say nothing",
	string(ruledecision.LeftAlone): "it was left to one of you",
}

// whyWaits says why somebody waits, for people.
func whyWaits(why event.Reason) string {
	switch why.Code() {
	case record.WaitsUnanswered:
		outcome := why.Param("outcome")
		if said, ok := unansweredSaid[outcome]; ok {
			return said
		}
		return "nobody answered: " + outcome
	case record.WaitsOwned:
		if owner := why.Param("owner"); owner != bot.OwnedByPerson && owner != "" {
			return owner + " has the conversation, and has not written since"
		}
		return "one of you has the conversation, and has not written since"
	case record.WaitsCalled:
		if rule := why.Param("rule"); rule != "stop_words" {
			return "the rule " + rule + " leaves it to one of you"
		}
		return "has asked for silence, and wrote"
	case record.WaitsFailed:
		return "the answer did not come about: " + why.Param("state")
	default:
		return string(why)
	}
}

// WaitingList is who waits for a person of ours.
type WaitingList struct{ Limit int }

// Print lists who waits, those who have waited longest first.
func (l *WaitingList) Print(ctx context.Context, d *View) error {
	those, counts, err := inspect.WhoWaits(ctx, d.Inspector, l.Limit, d.Meant...)
	if err != nil {
		return err
	}
	n := 0
	for _, of := range counts {
		n += of
	}
	lines, err := d.waitLines(ctx, those[:min(len(those), l.Limit)])
	if err != nil {
		return err
	}
	if d.JSON {
		return print.WriteLines(d.Out, lines, func(l *waitsLine) any { return l })
	}
	return d.tellWaits(lines, n, len(d.Meant) > 1)
}

const howToEndWaits = "Whoever one of you writes to is off this list. Or: nectar conversations done PERSON, or later PERSON 2h."

// tellWaits prints who waits.
func (v *View) tellWaits(lines []waitsLine, all int, accounts bool) error {
	if _, err := fmt.Fprintf(v.Out, "who waits for you: %d\n", all); err != nil || all == 0 {
		return err
	}
	t := print.Table{Head: []string{"SINCE", "ACCOUNT", "WHO", "WHY", "WHAT", "DO"}}
	said := false
	for i := range lines {
		w := &lines[i]
		account := ""
		if accounts {
			account = string(w.Account)
		}
		t.Add(print.TimeText(w.Since), account, w.Who, print.PlainText(w.Why, 100), w.Text, w.Do)
		said = said || w.Code.Code() != record.WaitsHeld && w.Code.Code() != record.WaitsQuarantined
	}
	t.DropEmpty("ACCOUNT")
	if err := t.Print(v.Out, ""); err != nil {
		return err
	}
	if err := moreThan(v, all-len(lines)); err != nil || !said {
		return err
	}
	return print.SayLine(v.Out, "%s", howToEndWaits)
}
