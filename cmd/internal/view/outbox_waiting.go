package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
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
		if x.holdReason().For != inspect.HeldForApproval {
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

// isOvertaken reports whether somebody of ours has written to the person since the bundle was prepared.
func (b bundle) isOvertaken() bool {
	return slices.ContainsFunc(b, func(x Deed) bool { return x.holdReason().Overtaken })
}

// askedAbout returns what somebody has decided about a bundle, and the bot has not done yet; nil for nothing.
func (b bundle) askedAbout(w Waiting) *asked {
	for i := range b {
		if q := w.AskedAboutAction(&b[i].Action); q != nil {
			return q
		}
	}
	return nil
}

// printWaiting tells about what waits for one approval.
func (v *View) printWaiting(b *bundle, w Waiting) error {
	x := &(*b)[0]
	var s strings.Builder
	fmt.Fprintf(&s, "%s  since %s", print.ColourText("held", print.Alarming["held"], print.IsTerminal(v.Out)), print.TimeText(x.standsSince()))
	if x.Rule != "" && forSlot(&x.Action) == "" {
		fmt.Fprintf(&s, ", rule %s", print.PlainText(x.Rule, 0))
	}
	if len(v.Meant) > 1 {
		fmt.Fprintf(&s, ", account %s", print.PlainText(string(x.Account), 0))
	}
	s.WriteString(", needs approval")
	switch now := time.Now(); {
	case x.holdReason().Over:
		s.WriteString(", and is expired: " + x.lateWhy(now))
	case !x.Expires.IsZero():
		s.WriteString(" until " + print.TimeText(x.Expires))
	}
	overtaken := b.isOvertaken()
	if overtaken {
		s.WriteString(", overtaken: somebody of ours wrote to her " + print.TimeText(x.wrote))
	}
	if q := b.askedAbout(w); q != nil {
		s.WriteString("; " + q.String())
	}
	name := ""
	if x.name != "" {
		name = " (" + print.PlainText(x.name, 40) + ")"
	}
	fmt.Fprintf(&s, "\n        %s%s: %s\n", print.PersonName(x.user, int64(x.Peer)), name, print.PlainText(cmp.Or(x.question, "what it answers is not kept"), 0))
	also := []string(nil)
	for i := range *b {
		y := &(*b)[i]
		fmt.Fprintf(&s, "%s  → %s\n", y.shortNumber(), y.DoesText(v.Private, 0))
		if y.below != "" {
			fmt.Fprintf(&s, "        the post: %s\n", y.below)
		}
		if leaves := y.leavesText(); leaves != "" {
			fmt.Fprintf(&s, "        %s\n", leaves)
		}
		also = append(also, words.AlsoDone(&y.Effects, v.Private)...)
	}
	for _, what := range also {
		fmt.Fprintf(&s, "        + %s\n", what)
	}
	fmt.Fprintf(&s, "        key %s\n", print.PlainText(x.Key, 0))
	if overtaken {
		fmt.Fprintf(&s, "        nectar outbox refuse %[1]s takes it back; approve %[1]s --anyway sends it all the same\n", x.shortNumber())
	}
	s.WriteString("\n")
	_, err := v.Out.Write([]byte(s.String()))
	return err
}

// nextApproval says what to write next, about the first bundle that nobody has decided about.
func (v *View) nextApproval(bundles []bundle, w Waiting) error {
	for _, b := range bundles {
		if b.askedAbout(w) != nil || b.isOvertaken() {
			continue
		}
		_, err := fmt.Fprintf(v.Out, "nectar outbox approve %[1]s lets it leave; or edit %[1]s, refuse %[1]s, approve --all; nectar outbox review asks about each\n",
			b[0].shortNumber())
		return err
	}
	return nil
}

// addQuestions fills in what those that are held answer.
func (v *View) addQuestions(ctx context.Context, deeds []Deed) error {
	type told struct {
		question string
		facts    []event.Fact
	}
	known := map[string]told{}
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
			if forSlot(&x.Action) != "" {
				said.question, err = v.slotQuestion(ctx, &x.Action)
			} else {
				said.question, said.facts, err = v.questionText(ctx, &x.Action)
			}
			if err != nil {
				return err
			}
			known[turn] = said
		}
		x.question, x.below = said.question, wordsOf(said.facts, x.Post)
	}
	return nil
}

// questionText says what an action answers, "" when that is not kept, and what was read for it.
func (v *View) questionText(ctx context.Context, a *event.Action) (string, []event.Fact, error) {
	r, ok, err := v.Why(ctx, a.Account, a.Key)
	if err != nil || !ok {
		return "", nil, err
	}
	facts := r.Facts
	if r.Event != nil && r.Event.Text != "" { // the post whose words are told anyway
		facts = slices.DeleteFunc(slices.Clone(facts), func(f event.Fact) bool { return f.Name == factOf(r.Event.Post) })
	}
	in, explained, _ := replay.Restore(&r) // what cannot be read is not told
	switch {
	case explained && len(replay.SaidIn(&in)) > 0 && r.Event != nil:
		r.Event.Text = replay.SaidIn(&in)
		return HappenedText(r.Event, 0), facts, nil
	case explained && len(replay.SaidIn(&in)) > 0:
		return "message " + print.QuotePlain(replay.SaidIn(&in), 0), facts, nil
	case r.Event != nil:
		return HappenedText(r.Event, 0), facts, nil
	}
	return words.CameDue(r.Turn.ID), facts, nil
}

// factOf is the name under which a turn has read a post.
func factOf(id platform.PostID) string { return "post:" + strconv.FormatInt(int64(id), 10) }

// wordsOf returns what a post says, and whose it is; "" where it is not among what was read.
func wordsOf(facts []event.Fact, id platform.PostID) string {
	for _, f := range facts {
		var p platform.Post
		if id == 0 || f.Name != factOf(id) || json.Unmarshal(f.Value, &p) != nil || p.Text == "" {
			continue
		}
		return print.PersonName(p.Owner.Username, int64(cmp.Or(p.Owner.ID, p.UserID))) + ": " + print.QuotePlain(p.Text, 300)
	}
	return ""
}

// forSlot names the slot of a campaign that an action is for; "" for none.
func forSlot(a *event.Action) string {
	id, is := plugin.SlotOf(a.Key)
	if !is {
		return ""
	}
	return " for " + id.String()
}

// AtItsMinute returns an action as people are shown it. What is prepared for a slot, approved or not, has the minute of the slot: until
// that is decided, its latest departure stands for its time.
func (v *View) AtItsMinute(ctx context.Context, a *event.Action) (event.Action, error) {
	shown := *a
	id, is := plugin.SlotOf(a.Key)
	if !is || a.State != event.StateHeld && a.State != event.StateDue || !a.Due.Equal(a.Until) { //mutate:outbox-minute
		return shown, nil
	}
	at, err := plugin.LeavesAt(ctx, v.Inspector, a.Account, id)
	if !at.IsZero() {
		shown.Due = at
	}
	return shown, err
}

// slotQuestion says for which slot an action is prepared, and what the post said when it was read.
func (v *View) slotQuestion(ctx context.Context, a *event.Action) (string, error) {
	said := "the slot" + forSlot(a)[len(" for"):]
	r, ok, err := v.Why(ctx, a.Account, a.Key)
	if err != nil || !ok {
		return said, err
	}
	for _, f := range r.Facts {
		if f.Name != fmt.Sprintf("thread:%d", a.Post) {
			continue
		}
		var thread platform.Thread
		if json.Unmarshal(f.Value, &thread) == nil {
			said += ", where the post says " + print.QuotePlain(thread.Post.Text, 0)
		}
	}
	return said, nil
}

// tellSlots says what people approve or refuse, where that is for slots of campaigns.
func (v *View) tellSlots(ctx context.Context, actions []event.Action) error {
	if v.JSON {
		return nil
	}
	for i := range actions {
		a := &actions[i]
		if forSlot(a) == "" {
			continue
		}
		said, err := v.slotQuestion(ctx, a)
		if err != nil {
			return err
		}
		shown, err := v.AtItsMinute(ctx, a)
		if err != nil {
			return err
		}
		x := Deed{Action: shown}
		line := x.DoesText(v.Private, 0)
		if leaves := x.leavesText(); leaves != "" {
			line += ", " + leaves
		}
		if _, err := fmt.Fprintf(v.Out, "%s: %s\n", print.PlainText(said, 0), line); err != nil {
			return err
		}
	}
	return nil
}
