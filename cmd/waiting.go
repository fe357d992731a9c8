package cmd

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// waiting is what people have asked for and no bot has done yet, in their order.
type waiting []event.Request

// maxWaiting is how many requests are looked at.
const maxWaiting = 10_000

func (d *desk) waiting(ctx context.Context) (waiting, error) {
	return d.Requests(ctx, event.Request{}, maxWaiting)
}

// find returns what was asked for last about something; nil for nothing.
func (w waiting) find(key event.Key, about func(q *event.Request) bool) *asked {
	for _, q := range slices.Backward(w) {
		if q.Key == key && about(&q) {
			return (*asked)(&q)
		}
	}
	return nil
}

// action returns what was asked for about an action.
func (w waiting) action(a *event.Action) *asked {
	return w.find(a.Conversation(), func(q *event.Request) bool { return q.Action != "" && q.Action == a.Key })
}

// pause tells whether a pause of a rule waits.
func (w waiting) pause(account event.Account, rule string) bool {
	q := w.find(event.Key{Account: account}, func(q *event.Request) bool {
		return q.Action == rule && (q.Wish == event.WishPause || q.Wish == event.WishGoOn)
	})
	return q != nil && q.Wish == event.WishPause
}

// event returns what was asked for about an event.
func (w waiting) event(e *event.Event) *asked {
	return w.retries(e.Key(), e.ID.String())
}

// retries returns what was asked for about an event or a timer, by its id.
func (w waiting) retries(key event.Key, id string) *asked {
	return w.find(key, func(q *event.Request) bool { return q.Retries(id) })
}

// talk returns what was asked for about who has a conversation.
func (w waiting) talk(key event.Key) *asked {
	return w.find(key, func(q *event.Request) bool { return q.Wish == event.WishTakeOver || q.Wish == event.WishGiveBack })
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
		what += " by " + plain(q.Owner, 24)
	}
	if q.By != "" && q.Wish != event.WishTakeOver {
		what += " by " + plain(q.By, 40)
	}
	return what + " asked for " + when(q.AskedAt) + ", waits for the bot"
}

// askedJSON is a decision that waits, for machines.
type askedJSON struct {
	Wish    event.Wish `json:"wish"`
	Text    string     `json:"text,omitempty"`
	Owner   string     `json:"owner,omitempty"`
	Until   time.Time  `json:"until,omitzero"`
	AskedAt time.Time  `json:"asked_at"`
	By      string     `json:"by,omitempty"`
}

func (q *asked) forMachines() *askedJSON {
	if q == nil {
		return nil
	}
	return &askedJSON{q.Wish, q.Text, q.Owner, q.Until.UTC(), q.AskedAt.UTC(), q.By}
}

// and joins what there is of two texts.
func and(one, two string) string {
	if one != "" && two != "" {
		return one + "; " + two
	}
	return one + two
}
