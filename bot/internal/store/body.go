package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
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
	Silent     int64                      `json:"silent,omitzero"`
	Untold     bool                       `json:"untold,omitempty"`
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
	if c.Flow.Active() || len(c.Values) > 0 || c.OwnerFor != 0 || !c.OwnerWrote.IsZero() || !c.TakenBack.IsZero() || !c.Attended.IsZero() || !c.Acked.IsZero() ||
		!c.Silence.Since.IsZero() {
		body, err := json.Marshal(bodyJSON{
			c.Flow, c.Values, c.OwnerFor, bind.ToMicros(c.OwnerWrote), c.OwnerSaid, bind.ToMicros(c.TakenBack), bind.ToMicros(c.Attended), bind.ToMicros(c.Acked),
			bind.ToMicros(c.Silence.Since), c.Silence.Untold,
		})
		if err != nil {
			return err
		}
		b.body = string(body)
	}
	return nil
}

func (b *conversationBody) decode(v *seal.Vault, c *conversation.State) (err error) {
	if b.body, err = b.stored.TextFrom(v, seal.ConversationValues.OfConversation(c.Key)); err != nil {
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
		c.Flow, c.Values, c.OwnerFor, c.OwnerWrote, c.OwnerSaid = body.Flow, body.Values, body.OwnerFor, bind.FromMicros(body.OwnerWrote), body.OwnerSaid
		c.TakenBack, c.Attended, c.Acked = bind.FromMicros(body.TakenBack), bind.FromMicros(body.Attended), bind.FromMicros(body.Acked)
		if c.Silence = (conversation.Silence{Since: bind.FromMicros(body.Silent), Untold: body.Untold}); c.Silence.Since.IsZero() {
			return carrySilence(c)
		}
	}
	return nil
}

// rulesMemory is where rules kept a silence before it was the conversation's own.
const rulesMemory = "rules/memory"

// carrySilence takes a silence out of the memory of rules, where earlier versions kept it.
func carrySilence(c *conversation.State) error {
	raw := c.Values[rulesMemory]
	if !bytes.Contains(raw, []byte(`"stopped":true`)) { //mutate:silence-carried
		return nil
	}
	var memory map[string]json.RawMessage
	var kept struct {
		Stopped   bool      `json:"stopped"`
		StoppedAt time.Time `json:"stopped_at"`
	}
	if err := errors.Join(json.Unmarshal(raw, &memory), json.Unmarshal(raw, &kept)); err != nil || !kept.Stopped {
		return err
	}
	c.Silence = conversation.Silence{Since: kept.StoppedAt, Untold: kept.StoppedAt.IsZero()}
	if c.Silence.Untold { // when they asked was not kept; what waited to be said was taken back with it
		c.Silence.Since = cmp.Or(c.TakenBack, time.UnixMicro(1).UTC())
	}
	delete(memory, "stopped")
	delete(memory, "stopped_at")
	raw, err := json.Marshal(memory)
	c.Values[rulesMemory] = raw
	return err
}
