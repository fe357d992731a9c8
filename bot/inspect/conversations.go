package inspect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Conversation is a conversation as a list shows it. One that is not stored yet has the names of its last event.
type Conversation struct {
	record.ConversationRow
	LastSeen time.Time // when something was last seen in it; zero for never
	Until    time.Time // when a person's ends, and the bot speaks again by itself; zero for never
}

// Conversations returns a page of conversations: those in which something happened last, or with Owned or an Owner those that people of ours have,
// which come from page to page as they were taken over last. Of the first, a page looks at a thousand events, or on to somebody who is not on one
// yet: it may have fewer than the query's Limit. Somebody who writes while pages are turned keeps the place of the first page. On a page,
// that in which something was seen last comes first. The query's After is that of the page.
func Conversations(ctx context.Context, i Inspector, q record.ConversationQuery, after Cursor, accounts ...event.Account) (page Page[Conversation], err error) {
	filters := []any{"conversations", soleAccount(q.Account, accounts), q.Owned, q.Owner}
	q.Limit = pageLength(q.Limit)
	l := conversationList{i, q, listAccounts(q.Account, accounts)}
	if q.Owned || q.Owner != "" {
		page, err = paged(ctx, l.owned, after, filters)
	} else {
		page, err = paged(ctx, l.recentPage, after, filters)
	}
	if err != nil {
		return page, err
	}
	return page, l.complete(ctx, page.Rows)
}

// paged reads a page behind a cursor, by places of its own.
func paged[P any](ctx context.Context, read func(context.Context, P) ([]Conversation, *P, error), after Cursor, filters []any) (page Page[Conversation], err error) {
	place, err := placeOf[P](after, filters...)
	if err != nil {
		return page, err
	}
	rows, next, err := read(ctx, place)
	if err != nil {
		return page, err
	}
	if page.Rows = rows; next != nil {
		page.Next, err = cursorAt(next, filters...)
	}
	return page, err
}

// conversationList is a list of conversations of some accounts.
type conversationList struct {
	Inspector
	q        record.ConversationQuery
	accounts []event.Account
}

// complete says of conversations how long people have them, and puts them in the order of a page.
func (l *conversationList) complete(ctx context.Context, rows []Conversation) (err error) {
	slices.SortStableFunc(rows, func(a, b Conversation) int {
		return cmp.Or(b.LastSeen.Compare(a.LastSeen), b.OwnerSince.Compare(a.OwnerSince))
	})
	for n := range rows {
		if rows[n].Owner == "" {
			continue
		}
		if rows[n].Until, err = l.Timer(ctx, rows[n].Key, bot.TakebackTimer); err != nil {
			return err
		}
	}
	return nil
}

// ownedPlace is the place of a conversation among those that people have, of all accounts: by since when, and of one moment as their accounts
// are given.
type ownedPlace struct {
	Since   int64         `json:"since"` // in microseconds
	Account event.Account `json:"account"`
	Peer    int64         `json:"peer"`
}

func placeOfOwned(c *Conversation) *ownedPlace {
	return &ownedPlace{c.OwnerSince.UnixMicro(), c.Key.Account, int64(c.Key.Peer)}
}

// placeIn returns behind which conversation an account's stand that are behind the place; nil for the beginning.
func (p *ownedPlace) placeIn(account event.Account, places map[event.Account]int) *conversation.State {
	if p == nil {
		return nil
	}
	c := conversation.State{Key: event.Key{Account: account, Peer: platform.UserID(p.Peer)}, OwnerSince: time.UnixMicro(p.Since)}
	if account != p.Account {
		c.Key.Peer = peerBeside(places, account, p.Account)
	}
	return &c
}

// owned returns the conversations of a page that people have, and where it goes on; nil for nowhere.
func (l *conversationList) owned(ctx context.Context, after *ownedPlace) ([]Conversation, **ownedPlace, error) {
	those, err := l.accounts, error(nil)
	if len(those) > 1 {
		if those, err = l.Among(ctx, those, record.Having{Thing: record.HasOwned, Text: l.q.Owner}); err != nil {
			return nil, nil, err
		}
	}
	q, places := l.q, placesIn(l.accounts)
	q.Limit++
	var rows []record.ConversationRow
	for _, q.Account = range those {
		q.After = after.placeIn(q.Account, places)
		some, err := l.Owned(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, some...)
	}
	slices.SortStableFunc(rows, func(a, b record.ConversationRow) int { return b.OwnerSince.Compare(a.OwnerSince) })
	all := make([]Conversation, min(len(rows), l.q.Limit))
	for n := range all {
		all[n].ConversationRow = rows[n]
		key := rows[n].Key
		last, err := l.Events(ctx, record.EventQuery{Account: key.Account, Peer: key.Peer, Limit: 1})
		if err != nil {
			return nil, nil, err
		}
		if len(last) > 0 {
			all[n].LastSeen = last[0].SeenAt
		}
	}
	if len(rows) == len(all) {
		return all, nil, nil
	}
	next := placeOfOwned(&all[len(all)-1])
	return all, &next, nil
}
