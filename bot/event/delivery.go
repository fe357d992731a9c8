package event

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
)

// Delivery is an event that no platform tells of, such as a payment, a form, or a word from another conversation. It begins a turn in a conversation, in
// the order of what happens there, for the route that bot.Delivered matches. Of two with one Name and ID in an account the second is dropped, for as long
// as the first is kept.
type Delivery struct {
	To   Key    // the conversation; that of Own is the account's own
	Name string // what its route is for, such as "shop/paid": it begins with the plugin's name and has no spaces. 1 to 200 bytes
	ID   string // the sender's name for it, such as the number of a payment. 1 to 200 bytes
	Data any    // is JSON for the handler, up to 64 KiB; nil for null. Of a stored delivery it is a json.RawMessage
	Hops int    // how many deliveries led to it, each in a turn of the one before; the bot counts them
}

const (
	mostDeliveryName = 200      // bytes of a Name, and of an ID
	mostDeliveryData = 64 << 10 // bytes
)

// envelope is what is stored as the text of a delivery's event.
type envelope struct {
	ID   string          `json:"id"`
	Hops int             `json:"hops,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Event returns the delivery as the event that is stored. The error says what is wrong with it, and what to write instead.
func (d Delivery) Event(at time.Time) (Event, error) {
	if err := d.validate(); err != nil {
		return Event{}, err
	}
	data, err := json.Marshal(d.Data)
	switch {
	case err != nil:
		return Event{}, fmt.Errorf("the data of the delivery %s %q cannot be JSON: %w", d.Name, d.ID, err)
	case len(data) > mostDeliveryData:
		return Event{}, fmt.Errorf("the data of the delivery %s %q has %d bytes, and may have %d: deliver where it can be read", d.Name, d.ID, len(data), mostDeliveryData)
	}
	text, err := json.Marshal(envelope{d.ID, d.Hops, data})
	if err != nil {
		return Event{}, fmt.Errorf("encode the delivery %s %q: %w", d.Name, d.ID, err)
	}
	return Event{
		Account: d.To.Account, ID: d.EventID(), Kind: KindDelivery, Peer: d.To.Peer, Text: string(text), Subject: platform.Subject(d.Name),
		SeenAt: at, NotBefore: at,
	}, nil
}

// EventID returns the id of the delivery's event: 62 bits of a hash of its name and id.
func (d Delivery) EventID() ID {
	sum := sha256.Sum256([]byte(d.Name + "\x00" + d.ID))
	return ID{Deliveries, int64(binary.BigEndian.Uint64(sum[:]) >> 2)}
}

func (d Delivery) validate() error {
	for _, x := range [...]struct{ a, what, text, like string }{{"a", "name", d.Name, "shop/paid"}, {"an", "id", d.ID, "payment-4711"}} {
		switch {
		case x.text == "":
			return fmt.Errorf("a delivery needs %s %s, like %s", x.a, x.what, x.like)
		case len(x.text) > mostDeliveryName:
			return fmt.Errorf("the %s of a delivery has %d bytes, and may have %d: %.20q…", x.what, len(x.text), mostDeliveryName, x.text)
		case !utf8.ValidString(x.text) || strings.ContainsFunc(x.text, isControl):
			return fmt.Errorf("the %s of a delivery, %q, has signs that are no text", x.what, x.text)
		}
	}
	if strings.Contains(d.Name, " ") {
		return fmt.Errorf("the name of a delivery, %q, has spaces: write it like shop/paid", d.Name)
	}
	if d.To.Account == "" {
		return errors.New("a delivery needs an account")
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Delivery narrows the event; false when it is of another kind, or its person was forgotten since.
func (e Event) Delivery() (Delivery, bool) {
	var x envelope
	if e.Kind != KindDelivery || json.Unmarshal([]byte(e.Text), &x) != nil {
		return Delivery{}, false
	}
	return Delivery{To: e.Key(), Name: string(e.Subject), ID: x.ID, Data: x.Data, Hops: x.Hops}, true
}
