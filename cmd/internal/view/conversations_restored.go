package view

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// restoredAtOnce is how many conversations are read at a time.
const restoredAtOnce = 500

// GiveBackAll gives back the conversations that were taken over by what was read after a copy of the database was put back, and by nothing else
// since. With look it only tells which ones those are.
func (v *View) GiveBackAll(ctx context.Context, since time.Time, look bool, wait time.Duration) error {
	var given []Decision
	for _, account := range v.Meant {
		some, err := v.takenByCopy(ctx, account, since)
		if err != nil {
			return err
		}
		given = append(given, some...)
	}
	if len(given) == 0 {
		_, err := fmt.Fprintln(v.Out, "no conversation was taken over by what was read after a copy was put back, or all were given back")
		return err
	}
	if !look {
		return v.AskDecisions(ctx, wait, given)
	}
	t := print.Table{Head: []string{"WHO", "ACCOUNT"}}
	for i := range given {
		t.Add(given[i].About, string(given[i].Key.Account))
	}
	return v.print(&t, "")
}

// takenByCopy returns what gives back the conversations of an account that were taken over so since a time.
func (v *View) takenByCopy(ctx context.Context, account event.Account, since time.Time) (given []Decision, err error) {
	for cursor := inspect.Cursor(""); ; {
		page, err := inspect.Conversations(ctx, v.Inspector, record.ConversationQuery{Account: account, Owner: bot.OwnedByPerson, Limit: restoredAtOnce}, cursor)
		if err != nil {
			return nil, badCursor(err)
		}
		for i := range page.Rows {
			c := &page.Rows[i]
			last, err := v.Takeovers(ctx, c.Key, 1)
			if err != nil {
				return nil, err
			}
			if len(last) == 0 || last[0].Turn.Record.Why.Code() != bot.WhyWritten || last[0].Turn.HandledAt.Before(since) { //mutate:give-back-copy
				continue
			}
			given = append(given, Decision{Request: event.Request{Key: c.Key, Wish: event.WishGiveBack}, About: print.PersonName(c.User, int64(c.Key.Peer))})
		}
		if cursor = page.Next; cursor == "" {
			return given, nil
		}
	}
}
