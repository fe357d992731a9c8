package checker

import (
	"slices"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// checkOwner checks who has to have the conversation. t is the conversation with steps that the condition is part of, nil
// in a rule.
func (c *checker) checkOwner(conv *grammar.ConversationCondition, t *plan) {
	switch {
	case conv.Owner == grammar.OwnerNobody:
	case t != nil && conv.Owner != "":
		c.notInSteps(conv)
	case conv.Owner == bot.OwnedByPerson: // as the commands say
		c.add(conv.At, "owner: for a conversation that one of your people has, write anybody")
	case conv.Owner == "bot":
		c.add(conv.At, "owner: for a conversation that the bot has, write nobody")
	case conv.Owner != grammar.OwnerAnybody:
		c.checkTeam(conv.At, "owner: ", conv.Owner)
	}
}

// notInSteps refuses a condition of a conversation with steps that never holds.
func (c *checker) notInSteps(conv *grammar.ConversationCondition) {
	c.add(conv.At, "owner: %s never holds here: the bot asks nothing while a person has the conversation. Leave it out, or write a rule that labels, lists or notifies", conv.Owner)
}

// lookingOn checks that a rule for when one of our people has the conversation only keeps books.
func (c *checker) lookingOn(r *grammar.Rule) {
	owner := ""
	for i := range r.If {
		if r.If[i].NeedsOwner() {
			owner = r.If[i].Conversation.Owner
		}
	}
	if owner != grammar.OwnerAnybody && !slices.Contains(c.Settings.Who.Keys, owner) {
		return
	}
	for _, w := range r.When {
		if w == grammar.OnNoMatch || w == grammar.OnSilence || w == grammar.OnHeldBack {
			c.add(r.At, "when: %s never happens while a person has the conversation (owner: %s): write message, with notify: { if_waiting: 30m } if it is about silence", w, owner)
		}
	}
	for i := range r.Then {
		a := &r.Then[i]
		if len(a.Label)+len(a.Unlabel) > 0 || a.List != "" || a.Notify != nil {
			continue
		}
		for _, key := range a.Keys() {
			c.add(a.At, "%s: the bot does nothing on the platform while a person has the conversation (owner: %s). Write label, list or notify here, or owner: nobody above", key, owner)
		}
	}
}
