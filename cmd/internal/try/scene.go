package try

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// showScenes puts what came of something into the transcript.
func (s *Session) showScenes(scenes []rehearse.Scene) {
	for i := range scenes {
		sc := &scenes[i]
		p := s.people[sc.Peer]
		s.scenes = append(s.scenes, newTryScene(p, sc, s.inZone))
		told := len(s.out)
		s.showScene(p, sc)
		switch d := &sc.Decision; {
		case d.Outcome == ruledecision.Gathering:
		case s.world.Explain:
			s.showExplanation(sc)
		case len(s.out) == told && sc.Prompted():
			s.addLine(tryAside, "silent: nothing is to be said")
		}
		if p.seen = sc.Decision.State; len(sc.Decision.Bundles) > 0 {
			p.seen = p.State // somebody has approved it
		}
	}
}

// showScene shows what is said and done.
func (s *Session) showScene(p *tryPerson, sc *rehearse.Scene) {
	d := &sc.Decision
	aside := func(said string) { s.aside(sc, said) }
	for i := range d.Actions {
		s.showAction(p, sc, &d.Actions[i])
	}
	for i := range d.Bundles {
		if d.Bundles[i].Effects.Handoff != nil {
			p.handed = sc.At
		}
		for _, what := range words.AlsoDone(&d.Bundles[i].Effects, true) {
			aside("waits for the same approval: " + what)
		}
	}
	if d.Step != "" {
		aside(stepped(p, d))
	}
	s.showLabels(p, sc)
	for i := range d.Entries {
		aside("list " + d.Entries[i].List + ": " + words.EnteredText(&d.Entries[i]))
	}
	for _, n := range d.Notices {
		aside("tells " + n.Who + ": " + n.Text)
	}
	for _, t := range d.Timers {
		if looked := &sc.Trigger.Timer; looked.Name == t.Name && words.AwaitedAt(t).Equal(words.AwaitedAt(*looked)) {
			continue // it has only looked whether it is time
		}
		if what := rehearse.Awaits(t); what != "" && (what != rehearse.AwaitsAnswer || s.world.Explain) {
			aside(s.clockText(words.AwaitedAt(t)) + ": " + what)
		}
	}
	if d.Handoff != nil {
		p.handed = sc.At
		aside(d.Handoff.To + " has the conversation now, the bot is silent")
	}
	switch d.Outcome {
	case ruledecision.HeldBack, ruledecision.OnPause, ruledecision.Unmatched, ruledecision.LeftAlone, ruledecision.Owned, ruledecision.Watched, ruledecision.Ignored:
		switch {
		case d.Outcome == ruledecision.LeftAlone && len(d.Actions) > 0:
			aside(d.Reason)
		case sc.Prompted():
			aside("silent: " + d.Reason + nearest(d))
		}
	case ruledecision.Answered, ruledecision.Acted, ruledecision.Prepared:
		for _, h := range d.Held {
			aside(h)
		}
	case ruledecision.Gathering:
	}
}

// showLabels shows which labels were put on and taken off.
func (s *Session) showLabels(p *tryPerson, sc *rehearse.Scene) {
	now := sc.Decision.State.Labels
	for _, l := range now {
		if !slices.Contains(p.seen.Labels, l) {
			s.aside(sc, "label "+l)
		}
	}
	for _, l := range p.seen.Labels {
		if !slices.Contains(now, l) {
			s.aside(sc, "label "+l+" is taken off")
		}
	}
}

// aside tells something that the person does not see, with its time when nobody prompted it.
func (s *Session) aside(sc *rehearse.Scene, said string) {
	l := Line{kind: tryAside, text: print.LegibleText(said)}
	if !sc.Prompted() {
		l.at = s.inZone(sc.At)
	}
	s.out = append(s.out, l)
}

// stepped says where a conversation stands, or that it is over.
func stepped(p *tryPerson, d *ruledecision.Decision) string {
	if talk, step, ok := replay.Stands(&d.State); ok {
		return talk + " is at " + step
	}
	if talk, _, ok := replay.Stands(&p.seen); ok {
		return talk + " is at " + d.Step + ", and over"
	}
	return d.Rule + " is at " + d.Step + ", and over"
}

// showAction shows something that is done on the platform, and when.
func (s *Session) showAction(p *tryPerson, sc *rehearse.Scene, a *ruledecision.Action) {
	var said string
	switch a.Verb {
	case event.VerbMessage:
		said = a.Text
		if kind := sc.Trigger.Event.Kind; kind != "" && kind != event.KindMessage {
			said = "(in private) " + said
		}
	case event.VerbPost:
		said = "(in public) " + a.Text
	case event.VerbLike, event.VerbRepost, event.VerbRenew:
		said = fmt.Sprintf("(%ss the post)", a.Verb)
	case event.VerbFollow:
		said = "(follows them)"
	case event.VerbBooks:
		said = "(nothing on the platform)"
	case event.VerbDeleteMessage, event.VerbDeletePost:
		said = "(" + string(a.Verb) + ")"
	}
	switch a.Status {
	case ruledecision.Watch:
		s.aside(sc, "on watch, and not done: "+said)
		return
	case ruledecision.Ask:
		said += "  [waits for approval]"
	case ruledecision.Live, ruledecision.Paused:
	}
	if delay := a.Due.Sub(sc.At); delay >= time.Hour {
		said += "  [at " + s.clockText(a.Due) + "]"
	} else if delay > 0 {
		said += "  [after " + words.TakesText(delay) + "]"
	}
	who := "bot"
	if p != s.who {
		who += " to @" + print.PlainText(p.State.User, 0)
	}
	s.out = append(s.out, Line{kind: tryBot, at: s.inZone(sc.At), who: who, text: print.LegibleText(said)})
}

// clockText shows a time that lies ahead.
func (s *Session) clockText(t time.Time) string {
	t = s.inZone(t)
	if t.Sub(s.now()) > 6*24*time.Hour {
		return t.Format("2 January 15:04")
	}
	return t.Format(tryClock)
}

// nearest says which rule came nearest to answering; "" when none did, or nobody asked.
func nearest(d *ruledecision.Decision) string {
	for _, t := range d.Tried {
		if t.Nearest != "" && !t.Matched {
			return "; nearest: " + t.Rule + ", " + t.Nearest
		}
	}
	return ""
}

// mostTried is how many rules that did not match a trace shows.
const mostTried = 12

// showExplanation shows why it came so.
func (s *Session) showExplanation(sc *rehearse.Scene) {
	d := &sc.Decision
	if !sc.Prompted() {
		s.addLine(tryExplain, "at "+s.clockText(sc.At)+", timer "+sc.Trigger.Timer.Name)
	}
	passed := 0
	for i := range d.Tried {
		t := &d.Tried[i]
		if !t.Matched {
			if passed++; passed > mostTried {
				continue
			}
		}
		s.addLine(tryExplain, fmt.Sprintf("%s (%s:%d): %s: %s", t.Rule, t.File, t.Line, verdictWord(t), t.Why))
	}
	if passed > mostTried {
		s.addLine(tryExplain, fmt.Sprintf("and %d more did not match", passed-mostTried))
	}
	for _, l := range d.Led {
		s.addLine(tryExplain, print.QuotePlain(sc.Text(l.Event), 0)+" led to "+l.Rule)
	}
	for _, c := range d.LimitUses {
		s.addLine(tryExplain, "counts for the limit "+strings.TrimPrefix(c.Limit, "rules/")+": "+words.LimitOf(c))
	}
	result := string(d.Outcome)
	if d.Rule != "" {
		result += " by " + d.Rule
	}
	if d.Reason != "" && d.Step == "" && !sc.Prompted() {
		result += ": " + d.Reason
	}
	s.addLine(tryExplain, "→ "+result)
}

func verdictWord(t *ruledecision.Tried) string {
	switch {
	case t.Won:
		return "answers"
	case t.Matched:
		return "matched"
	default:
		return "no"
	}
}
