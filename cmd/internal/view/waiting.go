package view

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Waiting is what people have asked for and no bot has done yet, in their order.
type Waiting []event.Request

// maxWaiting is how many requests are looked at.
const maxWaiting = 10_000

// Waiting returns what was asked for and is not done yet.
func (d *View) Waiting(ctx context.Context) (Waiting, error) {
	return d.Requests(ctx, event.Request{}, maxWaiting)
}

// Find returns what was asked for last about something; nil for nothing.
func (w Waiting) Find(key event.Key, about func(q *event.Request) bool) *asked {
	for _, q := range slices.Backward(w) {
		if q.Key == key && about(&q) {
			return (*asked)(&q)
		}
	}
	return nil
}

// Action returns what was asked for about an action.
func (w Waiting) Action(a *event.Action) *asked {
	return w.Find(a.Conversation(), func(q *event.Request) bool { return q.Action != "" && q.Action == a.Key })
}

// pause reports whether a pause of a rule waits.
func (w Waiting) pause(account event.Account, rule string) bool {
	q := w.Find(event.Key{Account: account}, func(q *event.Request) bool {
		return q.Action == rule && (q.Wish == event.WishPause || q.Wish == event.WishGoOn)
	})
	return q != nil && q.Wish == event.WishPause
}

// event returns what was asked for about an event.
func (w Waiting) event(e *event.Event) *asked {
	return w.retries(e.Key(), e.ID.String())
}

// retries returns what was asked for about an event or a timer, by its id.
func (w Waiting) retries(key event.Key, id string) *asked {
	return w.Find(key, func(q *event.Request) bool { return q.Retries(id) })
}

// talk returns what was asked for about who has a conversation.
func (w Waiting) talk(key event.Key) *asked {
	return w.Find(key, func(q *event.Request) bool { return q.Wish == event.WishTakeOver || q.Wish == event.WishGiveBack })
}

// asked is a decision that waits for the bot; nil when there is none.
type asked event.Request

// String says it to people.
func (q *asked) String() string {
	if q == nil {
		return ""
	}
	what := string(q.Wish)
	if q.Wish == event.WishTakeOver {
		what += " by " + print.Plain(q.Owner, 24)
	}
	if q.By != "" && q.Wish != event.WishTakeOver {
		what += " by " + print.Plain(q.By, 40)
	}
	return what + " asked for " + print.When(q.AskedAt) + ", waits for the bot"
}

// AskedJSON is a decision that waits, for machines.
type AskedJSON struct {
	Wish    event.Wish `json:"wish"`
	Text    string     `json:"text,omitempty"`
	Owner   string     `json:"owner,omitempty"`
	Until   time.Time  `json:"until,omitzero"`
	AskedAt time.Time  `json:"asked_at"`
	By      string     `json:"by,omitempty"`
}

func (q *asked) ForMachines() *AskedJSON {
	if q == nil {
		return nil
	}
	return &AskedJSON{q.Wish, q.Text, q.Owner, q.Until.UTC(), q.AskedAt.UTC(), q.By}
}
