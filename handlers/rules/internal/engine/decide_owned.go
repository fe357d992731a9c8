package engine

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// While one of our people has a conversation, the bot is silent there. Rules that ask for it by their condition
// still keep books about what happens: they put labels on it, keep lists and tell teams.

// looksOn reports whether the rule is for when one of our people has the conversation.
func (r *rule) looksOn() bool {
	return slices.ContainsFunc(r.conds, func(c cond) bool { return c.NeedsOwner() })
}

// LooksOn reports whether events of a kind are looked at while one of our people has the conversation: since there is
// a rule for that, since the person may ask to be left alone, or may say what a rule ignores.
func (v *Version) LooksOn(k event.Kind) bool {
	return v.looksOn || k == event.KindMessage && (len(v.stopWords) > 0 || v.ignores)
}

// lookOn lets rules keep books about an event, while a person of ours has the conversation. A stop word counts also
// then, and no rule looks at it.
func (d *decider) lookOn() {
	// Set before any rule is tried: no answer of a rule leaves while somebody of ours has the conversation.
	d.mute = true
	d.takeText(d.event.Text)
	if d.asksForSilence() { //mutate:stop-word
		why := d.leaveAlone()
		d.leaveConversation()
		d.owner = ownedBy(&d.state)
		d.end(decision.Owned, "%s%s", why, d.silenceEnd())
		return
	}
	// What ends a silence is heard, too. It changes what is remembered, and asks for nothing.
	if d.isSilenced() {
		d.keepUnanswered()
	}
	if d.asksNothing = d.isIgnored() || d.begins; len(d.out.Needs) > 0 { //mutate:start-word-owned
		return
	}
	for _, r := range d.tryableRules(d.when) {
		if !r.looksOn() {
			d.noteRule(r, false, ownedBy(&d.state)+", and it does not ask for that")
			continue
		}
		if d.tryRule(r); len(d.out.Needs) > 0 {
			return
		}
	}
	why := ""
	if d.stayed != nil && !d.acted {
		d.out.Rule = d.stayed.id
		why = d.heldSentence(d.stayed, d.staying)
	}
	d.owner = ownedBy(&d.state)
	d.end(decision.Owned, "%s", joinReasons(why, d.alsoWatched()))
}

// ownedBy says who of ours has a conversation; "" when the bot has it.
func ownedBy(s *decision.State) string {
	if s.Owner == "" {
		return ""
	}
	return s.Owner + " has the conversation"
}
