package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// What waits for approval is told whole: what was asked, and all that is answered.

// bundle is what waits for one approval, in the order in which it would leave.
type bundle []Deed

// waitTogether parts what waits for approval, in bundles, from what does not. The order stays; slots of campaigns come first, by their
// minutes: that is the order in which they run out of time.
func waitTogether(deeds []Deed) (bundles []bundle, others []Deed) {
	at := map[string]int{}
	for i := range deeds {
		x := &deeds[i]
		if x.hold().For != inspect.HeldForApproval {
			others = append(others, *x)
			continue
		}
		of := string(x.Account) + " " + cmp.Or(x.Group, x.Key)
		n, ok := at[of]
		if !ok {
			n = len(bundles)
			at[of], bundles = n, append(bundles, nil)
		}
		bundles[n] = append(bundles[n], *x)
	}
	for _, b := range bundles {
		slices.SortFunc(b, func(x, y Deed) int {
			return cmp.Or(cmp.Compare(len(x.Key), len(y.Key)), cmp.Compare(x.Key, y.Key))
		})
	}
	slices.SortStableFunc(bundles, func(x, y bundle) int {
		isX, isY := forSlot(&x[0].Action) != "", forSlot(&y[0].Action) != ""
		switch {
		case isX && isY:
			return x[0].Due.Compare(y[0].Due)
		case isX:
			return -1
		case isY:
			return 1
		}
		return 0
	})
	return bundles, others
}

// asked returns what somebody has decided about a bundle, and the bot has not done yet; nil for nothing.
func (b bundle) asked(w Waiting) *asked {
	for i := range b {
		if q := w.Action(&b[i].Action); q != nil {
			return q
		}
	}
	return nil
}

// printWaiting tells about what waits for one approval.
func (d *View) printWaiting(b *bundle, w Waiting) error {
	x := &(*b)[0]
	var s strings.Builder
	fmt.Fprintf(&s, "%s  since %s", print.Coloured("held", print.Alarming["held"], print.IsTerminal(d.Out)), print.When(x.since()))
	if x.Rule != "" && forSlot(&x.Action) == "" {
		fmt.Fprintf(&s, ", rule %s", print.Plain(x.Rule, 0))
	}
	if len(d.Meant) > 1 {
		fmt.Fprintf(&s, ", account %s", print.Plain(string(x.Account), 0))
	}
	s.WriteString(", needs approval")
	switch now := time.Now(); {
	case x.hold().Over:
		s.WriteString(", and is expired: " + x.lateWhy(now))
	case !x.Expires.IsZero():
		s.WriteString(" until " + print.When(x.Expires))
	}
	if q := b.asked(w); q != nil {
		s.WriteString("; " + q.String())
	}
	name := ""
	if x.name != "" {
		name = " (" + print.Plain(x.name, 40) + ")"
	}
	fmt.Fprintf(&s, "\n        %s%s: %s\n", print.Who(x.user, int64(x.Peer)), name, print.Plain(cmp.Or(x.question, "what it answers is not kept"), 0))
	also := []string(nil)
	for i := range *b {
		y := &(*b)[i]
		fmt.Fprintf(&s, "%s  → %s\n", y.number(), y.Does(d.Private, 0))
		if leaves := y.leaves(); leaves != "" {
			fmt.Fprintf(&s, "        %s\n", leaves)
		}
		also = append(also, words.AlsoDone(&y.Effects, d.Private)...)
	}
	for _, what := range also {
		fmt.Fprintf(&s, "        + %s\n", what)
	}
	fmt.Fprintf(&s, "        key %s\n\n", print.Plain(x.Key, 0))
	_, err := d.Out.Write([]byte(s.String()))
	return err
}

// nextApproval says what to write next, about the first bundle that nobody has decided about.
func (d *View) nextApproval(bundles []bundle, w Waiting) error {
	for _, b := range bundles {
		if b.asked(w) != nil {
			continue
		}
		_, err := fmt.Fprintf(d.Out, "nectar outbox approve %[1]s lets it leave; or edit %[1]s, refuse %[1]s, approve --all; nectar outbox review asks about each\n",
			b[0].number())
		return err
	}
	return nil
}

// questions fills in what those that are held answer.
func (d *View) questions(ctx context.Context, deeds []Deed) error {
	known := map[string]string{}
	for i := range deeds {
		x := &deeds[i]
		if x.State != event.StateHeld {
			continue
		}
		turn := string(x.Account) + " " + beforeSlash(x.Key)
		if event.IsNamed(x.Key) {
			turn += x.Key
		}
		said, ok := known[turn]
		if !ok {
			var err error
			if said, err = d.question(ctx, &x.Action); err != nil {
				return err
			}
			known[turn] = said
		}
		x.question = said
	}
	return nil
}

// question says what an action answers; "" when that is not kept.
func (d *View) question(ctx context.Context, a *event.Action) (string, error) {
	if forSlot(a) != "" {
		return d.slotQuestion(ctx, a)
	}
	r, ok, err := d.Why(ctx, a.Account, a.Key)
	if err != nil || !ok {
		return "", err
	}
	in, explained, _ := replay.Restore(&r) // what cannot be read is not told
	switch {
	case explained && len(replay.SaidIn(&in)) > 0 && r.Event != nil:
		r.Event.Text = replay.SaidIn(&in)
		return Happened(r.Event, 0), nil
	case explained && len(replay.SaidIn(&in)) > 0:
		return "message " + print.Quoted(replay.SaidIn(&in), 0), nil
	case r.Event != nil:
		return Happened(r.Event, 0), nil
	}
	return words.CameDue(r.Turn.ID), nil
}
