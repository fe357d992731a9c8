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

// ReadWaiting returns what was asked for and is not done yet.
func (v *View) ReadWaiting(ctx context.Context) (Waiting, error) {
	return v.Requests(ctx, event.Request{}, maxWaiting)
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

// AskedAboutAction returns what was asked for about an action.
func (w Waiting) AskedAboutAction(a *event.Action) *asked {
	return w.Find(a.Conversation(), func(q *event.Request) bool { return q.Action != "" && q.Action == a.Key })
}

// pause reports whether a pause of a rule waits.
func (w Waiting) pause(account event.Account, rule string) bool {
	q := w.Find(event.Key{Account: account}, func(q *event.Request) bool {
		return q.Action == rule && (q.Wish == event.WishPause || q.Wish == event.WishGoOn)
	})
	return q != nil && q.Wish == event.WishPause
}

// askedAboutEvent returns what was asked for about an event.
func (w Waiting) askedAboutEvent(e *event.Event) *asked {
	return w.askedRetry(e.Key(), e.ID.String())
}

// askedRetry returns what was asked for about an event or a timer, by its id.
func (w Waiting) askedRetry(key event.Key, id string) *asked {
	return w.Find(key, func(q *event.Request) bool { return q.Retries(id) })
}

// askedAboutOwner returns what was asked for about who has a conversation.
func (w Waiting) askedAboutOwner(key event.Key) *asked {
	return w.Find(key, func(q *event.Request) bool { return q.Wish == event.WishTakeOver || q.Wish == event.WishGiveBack })
}

// asked is a decision that waits for the bot; nil when there is none.
type asked event.Request

// String says it to people.
func (a *asked) String() string {
	if a == nil {
		return ""
	}
	what := string(a.Wish)
	if a.Wish == event.WishTakeOver {
		what += " by " + print.PlainText(a.Owner, 24)
	}
	if a.By != "" && a.Wish != event.WishTakeOver {
		what += " by " + print.PlainText(a.By, 40)
	}
	return what + " asked for " + print.TimeText(a.AskedAt) + ", waits for the bot"
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

func (a *asked) ForMachines() *AskedJSON {
	if a == nil {
		return nil
	}
	return &AskedJSON{a.Wish, a.Text, a.Owner, a.Until.UTC(), a.AskedAt.UTC(), a.By}
}
