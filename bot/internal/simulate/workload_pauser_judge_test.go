package simulate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// span is a time in which something was paused: from is when it surely was, and until when somebody asked that it go on;
// asked is when the pause was asked for, gone when the turn of its end was, and over when that was seen.
type span struct{ asked, from, until, gone, over time.Time }

// spans returns when a rule, or with "" the account, was paused.
func (g *pauser) spans(rule string) (all []span) {
	for i := range g.wishes {
		w := &g.wishes[i]
		if w.Action != rule || w.Wish != event.WishPause {
			continue
		}
		for _, end := range g.wishes[i:] {
			if end.Action == rule && end.Wish == event.WishGoOn {
				all = append(all, span{asked: w.AskedAt, from: w.turn, until: end.AskedAt, gone: end.turn, over: end.effect})
				break
			}
		}
	}
	return all
}

// judge judges what arrived: nothing twice, and in the end what was decided to leave, and no more.
func (g *pauser) judge(mine []emulator.Entry) (wrong []string) {
	got := map[string]int{}
	for _, e := range ofKind(mine, emulator.Arrived) {
		if got[e.Text]++; got[e.Text] > 1 {
			wrong = append(wrong, fmt.Sprintf("doubled: %q", e.Text))
		}
	}
	if g.wanted == nil {
		return wrong
	}
	for _, text := range g.wanted {
		if got[text] == 0 {
			wrong = append(wrong, fmt.Sprintf("lost: %q", text))
		}
		delete(got, text)
	}
	for text := range got {
		wrong = append(wrong, fmt.Sprintf("not due: %q", text))
	}
	slices.Sort(wrong)
	return append(wrong, g.odd...)
}

// after lets everything go on, and looks what was decided meanwhile.
func (g *pauser) after(ctx context.Context) error {
	for _, rule := range pausedRules {
		if err := g.do(ctx, "go "+rule); err != nil {
			return err
		}
	}
	time.Sleep(5 * time.Minute)
	g.wanted = []string{}
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		if err := g.look(ctx, d); err != nil {
			return err
		}
		for i := range g.wishes {
			if w := &g.wishes[i]; w.effect.IsZero() {
				g.odd = append(g.odd, fmt.Sprintf("nobody has taken up the wish %s %q", w.Wish, w.Action))
			}
		}
		g.departures()
		return g.decided(ctx, d)
	})
}

// departures looks for what left of something that was paused.
func (g *pauser) departures() {
	for _, l := range g.left {
		rules := []string{""}
		if rule := l.text[strings.LastIndexByte(l.text, ' ')+1:]; slices.Contains(pausedRules, rule) {
			rules = append(rules, rule)
		}
		for _, rule := range rules {
			for _, p := range g.spans(rule) {
				if l.at.After(p.from) && l.at.Before(p.until) {
					g.odd = append(g.odd, fmt.Sprintf("%q leaves %v after %q was paused", l.text, l.at.Sub(p.from), rule))
				}
			}
		}
	}
}

// decided looks at what became of what people said.
func (g *pauser) decided(ctx context.Context, d inspect.Inspector) error {
	rows := map[string]record.EventRow{}
	for _, who := range g.who {
		events, err := d.Events(ctx, record.EventQuery{Account: pausedName, Peer: who, Limit: 1000})
		if err != nil {
			return err
		}
		for i := range events {
			rows[events[i].Text] = events[i]
		}
	}
	for _, e := range g.s.platform.Ledger().Since(0) {
		if e.Kind != emulator.Said || e.To != g.account {
			continue
		}
		row, ok := rows[e.Text]
		if !ok || row.State != "handled" {
			g.odd = append(g.odd, fmt.Sprintf("lost: %q, %q", e.Text, row.State))
			continue
		}
		actions, err := d.ActionsOf(ctx, pausedName, row.ID.String())
		if err != nil {
			return err
		}
		g.outcome(&row, actions)
	}
	return nil
}

// outcome looks at the turn about what somebody said.
func (g *pauser) outcome(row *record.EventRow, actions []event.Action) {
	account := g.spans("")
	surely := func(p span) bool { return row.SeenAt.After(p.from) && row.HandledAt.Before(p.until) }
	perhaps := func(p span) bool {
		// In doubt about its end it is paused, and until the disk has answered: others see what is stored before.
		over := g.s.doubts.over(p.over).Add(time.Duration(g.s.plan.rush * float64(slowestDisk)))
		return !row.HandledAt.Before(p.asked) && !row.HandledAt.After(over)
	}
	paused := row.Record.Outcome == bot.OutcomePaused
	switch {
	case !paused && slices.ContainsFunc(account, surely):
		g.odd = append(g.odd, fmt.Sprintf("%q came in a pause, and ended as %q", row.Text, row.Record.Outcome))
	case paused && !slices.ContainsFunc(account, perhaps):
		g.odd = append(g.odd, fmt.Sprintf("%q ended as paused, and nothing was", row.Text))
	case paused:
	case !strings.Contains(row.Text, " "):
		g.wanted = append(g.wanted, "nag "+row.Text)
	case len(actions) != 1:
		g.odd = append(g.odd, fmt.Sprintf("%q has %d answers", row.Text, len(actions)))
	default:
		g.action(row, &actions[0])
	}
}

// action looks at what became of an answer: it was sent, or it had become too late for it when a pause was over.
func (g *pauser) action(row *record.EventRow, a *event.Action) {
	due := row.HandledAt.Add(duration(strings.Fields(row.Text)[1]))
	late := func(p span) bool {
		return !a.Stale.IsZero() && a.Stale.Before(p.gone) && due.After(p.from) && due.Before(p.until)
	}
	switch rule, lapsed := g.lapsed(a); {
	case !lapsed && slices.ContainsFunc(g.spans(""), late):
		g.odd = append(g.odd, fmt.Sprintf("it had become too late for %q, and it is %s", a.Text, a.State))
	case !lapsed:
		g.wanted = append(g.wanted, a.Text)
	case !slices.ContainsFunc(g.spans(rule), func(p span) bool {
		gone := g.s.doubts.over(p.gone) // what goes on in doubt is paused until that is over
		return a.Stale.Before(gone) && row.HandledAt.Before(gone)
	}):
		g.odd = append(g.odd, fmt.Sprintf("it had not become too late for %q", a.Text))
	}
}

// lapsed reports whether an answer was withdrawn when a pause was over, and what was paused.
func (g *pauser) lapsed(a *event.Action) (rule string, ok bool) {
	for _, rule := range pausedRules {
		if a.State == event.StateWithdrawn && a.Why == reason.LapsedPause(rule) {
			return rule, true
		}
	}
	return "", false
}
