package bot

import (
	"encoding/json"

	"github.com/nectar-bot/nectar/bot/event"
)

// factSaid is what a person of ours wrote, kept with the turn by which the conversation became theirs.
const factSaid = "said"

// keepSaid keeps what a person of ours wrote, for whoever looks at the conversation.
func (t *Turn) keepSaid() {
	text := t.Trigger.Event.Text
	if text == "" {
		return
	}
	value, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text always encodes
	}
	t.facts = append(t.facts, event.Fact{Name: factSaid, Value: value, ReadAt: t.Now})
}

// SaidByHand returns what a person of ours wrote, from the facts of the turn by which a conversation became theirs; "" when it
// is not kept.
func SaidByHand(facts []event.Fact) (text string) {
	for _, f := range facts {
		if f.Name == factSaid && json.Unmarshal(f.Value, &text) != nil {
			return ""
		}
	}
	return text
}
