package engine

import (
	"slices"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// introduceBot puts the introduction of the settings, which says who writes there, in front of the first message to a person. On ask it counts as said once
// a person of ours has approved it: somebody who gets two answers before may read it twice, and nobody is answered without it. The answer to a stop word
// has none.
func (d *decider) introduceBot() {
	intro := d.v.Folder.Settings.Introduce
	if intro.String() == "" || !d.state.Memory.Introduced.IsZero() {
		return
	}
	n := slices.IndexFunc(d.out.Actions, func(a decision.Action) bool {
		return a.Verb == event.VerbMessage && a.Status.Acts() && a.Rule != stopRule
	})
	if n < 0 {
		return
	}
	a := &d.out.Actions[n]
	front := intro.FillText(func(name string) string { return d.value(name, nil, d.now) }) + "\n"
	if utf8.RuneCountInString(front+a.Text) > bot.MaxMessage {
		return // the next message has room for it
	}
	a.Text, a.Variants = front+a.Text, slices.Clone(a.Variants)
	for i := range a.Variants {
		a.Variants[i] = front + a.Variants[i]
	}
	if a.Status == decision.Live {
		d.state.Memory.Introduced, d.changed = d.now, true
		return
	}
	for i := range d.out.Bundles {
		if b := &d.out.Bundles[i]; slices.Contains(b.Actions, n) {
			b.Effects.Stamps = append(b.Effects.Stamps, event.Stamp{Value: memoryValue, Path: []string{stampIntroduced}})
		}
	}
}
