package rules

import (
	"slices"

	"github.com/nectar-bot/nectar/bot"
)

// owner checks who has to have the conversation. t is the conversation with steps that the condition is part of, nil
// in a rule.
func (c *checker) owner(conv *ConversationCondition, t *plan) {
	switch {
	case conv.Owner == ownerNobody:
	case t != nil && conv.Owner != "":
		c.notInSteps(conv)
	case conv.Owner == bot.OwnedByPerson: // as the commands say
		c.add(conv.At, "owner: for a conversation that one of your people has, write anybody")
	case conv.Owner == "bot":
		c.add(conv.At, "owner: for a conversation that the bot has, write nobody")
	case conv.Owner != ownerAnybody:
		c.team(conv.At, "owner: ", conv.Owner)
	}
}

// notInSteps refuses a condition of a conversation with steps that never holds.
func (c *checker) notInSteps(conv *ConversationCondition) {
	c.add(conv.At, "owner: %s never holds here: the bot asks nothing while a person has the conversation. Leave it out, or write a rule that labels, lists or notifies", conv.Owner)
}

// lookingOn checks that a rule for when one of our people has the conversation only keeps books.
func (c *checker) lookingOn(r *Rule) {
	owner := ""
	for i := range r.If {
		if r.If[i].needsOwner() {
			owner = r.If[i].Conversation.Owner
		}
	}
	if owner != ownerAnybody && !slices.Contains(c.folder.settings.Who.Keys, owner) {
		return
	}
	for _, w := range r.When {
		if w == OnNoMatch || w == OnSilence || w == OnHeldBack {
			c.add(r.At, "when: %s never happens while a person has the conversation (owner: %s): write message, with notify: { if_waiting: 30m } if it is about silence", w, owner)
		}
	}
	for i := range r.Then {
		a := &r.Then[i]
		if len(a.Label)+len(a.Unlabel) > 0 || a.List != "" || a.Notify != nil {
			continue
		}
		for _, key := range a.keys() {
			c.add(a.At, "%s: the bot does nothing on the platform while a person has the conversation (owner: %s). Write label, list or notify here, or owner: nobody above", key, owner)
		}
	}
}
