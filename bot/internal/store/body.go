package store

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/platform"
)

// conversationBody is the part of a conversation that is stored as JSON.
type conversationBody struct {
	labels string     // a list
	body   string     // what no query asks for
	stored seal.Value // body, as it was read
}

type bodyJSON struct {
	Flow       conversation.Instance      `json:"flow,omitzero"`
	Values     map[string]json.RawMessage `json:"values,omitempty"`
	OwnerFor   time.Duration              `json:"owner_for,omitzero"` // nanoseconds
	OwnerWrote int64                      `json:"owner_wrote,omitzero"`
	OwnerSaid  platform.MessageID         `json:"owner_said,omitzero"`
	TakenBack  int64                      `json:"taken_back,omitzero"`
	Attended   int64                      `json:"attended,omitzero"`
	Acked      int64                      `json:"acked,omitzero"`
}

const noLabels = "[]"

func (b *conversationBody) encode(c *conversation.State) error {
	*b = conversationBody{labels: noLabels, body: seal.EmptyBody}
	if len(c.Labels) > 0 {
		labels, err := json.Marshal(c.Labels)
		if err != nil {
			return err
		}
		b.labels = string(labels)
	}
	if c.Flow.Active() || len(c.Values) > 0 || c.OwnerFor != 0 || !c.OwnerWrote.IsZero() || !c.TakenBack.IsZero() || !c.Attended.IsZero() || !c.Acked.IsZero() {
		body, err := json.Marshal(bodyJSON{c.Flow, c.Values, c.OwnerFor, bind.Micros(c.OwnerWrote), c.OwnerSaid, bind.Micros(c.TakenBack), bind.Micros(c.Attended), bind.Micros(c.Acked)})
		if err != nil {
			return err
		}
		b.body = string(body)
	}
	return nil
}

func (b *conversationBody) decode(v *seal.Vault, c *conversation.State) (err error) {
	if b.body, err = b.stored.From(v, seal.ConversationValues.OfConversation(c.Key)); err != nil {
		return err
	}
	if b.labels != noLabels {
		if err := json.Unmarshal([]byte(b.labels), &c.Labels); err != nil {
			return err
		}
	}
	if b.body != seal.EmptyBody {
		var body bodyJSON
		if err := json.Unmarshal([]byte(b.body), &body); err != nil {
			return err
		}
		c.Flow, c.Values, c.OwnerFor, c.OwnerWrote, c.OwnerSaid = body.Flow, body.Values, body.OwnerFor, bind.Moment(body.OwnerWrote), body.OwnerSaid
		c.TakenBack, c.Attended, c.Acked = bind.Moment(body.TakenBack), bind.Moment(body.Attended), bind.Moment(body.Acked)
	}
	return nil
}
