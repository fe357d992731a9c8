package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	maxSent  = 100_000 // actions of the ledger that are compared
	messages = 50      // rows of a page
	idle     = 20      // chats in a row without news, where the list does not tell ages
)

// chats is what the messages are compared with.
type chats struct {
	polled time.Time
	from   platform.MessageID
	sent   map[platform.UserID]map[platform.MessageID]string // action keys by peer and message
	open   map[platform.UserID]int                           // messages that are not reconciled
	wrote  map[platform.UserID]bool                          // not read yet, and the ledger has sent messages there
	gone   []gone
}

// gone is a message that the ledger has sent and a chat does not show.
type gone struct {
	peer    platform.UserID
	name    string
	message int64
	key     string // of its action
}

// compareChats compares the chats.
func (a *audit) compareChats(ctx context.Context) error {
	cursor, begun, err := a.readCursor(ctx, event.Messages)
	switch {
	case err != nil:
		return err
	case !begun:
		a.noteFinding("the messages were not looked at: the bot has never polled them, or there is no get_messages")
		return nil
	}
	begin, err := a.startNumber(ctx, event.Messages, cursor.ID)
	if err != nil {
		return err
	}
	c := &chats{polled: cursor.PolledAt, from: platform.MessageID(begin)}
	if err := a.ledger(ctx, c); err != nil {
		return err
	}
	a.Progress(string(a.Account) + ": the chat list")
	rows, err := call(ctx, a, a.Client.Chats)
	cut := (*platform.Cut)(nil)
	if err != nil && !errors.As(err, &cut) {
		return fmt.Errorf("read the chat list: %w", err)
	}
	if err := a.chats(ctx, c, rows); err != nil {
		return err
	}
	if cut != nil {
		a.noteFinding("only the %d newest chats of the list arrived, cut by the %s: of the others, those were read that the bot knows", len(rows), cut.By)
		if err := a.known(ctx, c, rows); err != nil {
			return err
		}
	}
	began, done, all := time.Now(), 0, len(c.wrote)
	for peer := range c.wrote {
		a.Progress(fmt.Sprintf("%s: chat %d of %d that are read beside the list%s", a.Account, done+1, all, leftAfter(began, done, all)))
		done++
		if _, err := a.chat(ctx, c, peer, "", 0); err != nil {
			return err
		}
	}
	a.compared++
	return a.unshown(ctx, c.gone)
}

// chats compares the chats of the list, as far as something may have happened in them.
func (a *audit) chats(ctx context.Context, c *chats, rows []platform.Chat) error {
	read, quiet, began := 0, 0, time.Now()
	for i, r := range rows {
		age, _, known := poll.Age(r.Time)
		old := known && a.began.Add(-age).Before(a.Since) || !known && quiet >= idle
		if old && !c.wrote[r.Peer] {
			continue
		}
		if read++; read > a.Chats {
			a.noteFinding("%d chats were not read: the audit reads %d at most", len(rows)-i, a.Chats)
			break
		}
		a.Progress(fmt.Sprintf("%s: chat %d of %d%s", a.Account, i+1, len(rows), leftAfter(began, read-1, min(len(rows), a.Chats))))
		news, err := a.chat(ctx, c, r.Peer, r.Name, age)
		if err != nil {
			return err
		}
		if quiet++; news {
			quiet = 0
		}
	}
	return nil
}

// known adds chats that the list does not show, since it was cut, and in which the bot has read something since then.
func (a *audit) known(ctx context.Context, c *chats, rows []platform.Chat) error {
	listed := make(map[platform.UserID]bool, len(rows))
	for _, r := range rows {
		listed[r.Peer] = true
	}
	for after := platform.UserID(0); ; {
		page, err := a.Store.CursorsAfter(ctx, a.Account, event.Messages, after, a.Chats)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, cursor := range page {
			if after = cursor.Peer; !listed[after] && !cursor.PolledAt.Before(a.Since) && len(c.wrote) < a.Chats {
				c.wrote[after] = true
			}
		}
	}
}

// ledger reads what the bot has sent.
func (a *audit) ledger(ctx context.Context, c *chats) error {
	c.sent = map[platform.UserID]map[platform.MessageID]string{}
	c.open, c.wrote = map[platform.UserID]int{}, map[platform.UserID]bool{}
	sent, err := a.Store.Sent(ctx, a.Account, c.from, maxSent)
	if err != nil {
		return err
	}
	if len(sent) == maxSent {
		a.noteFinding("the bot sent more than %d messages: of the later ones nothing is said when they are gone", maxSent)
	}
	for _, s := range sent {
		if s.Result == 0 || !s.EndedAt.Before(a.began) && !s.EndedAt.After(time.Now()) { // or it arrived by a clock that was ahead
			continue
		}
		if c.sent[s.Peer] == nil {
			c.sent[s.Peer] = map[platform.MessageID]string{}
			c.wrote[s.Peer] = true
		}
		c.sent[s.Peer][platform.MessageID(s.Result)] = s.Key
	}
	open, err := a.Store.Open(ctx, a.Account)
	for _, o := range open {
		if o.Verb == event.VerbMessage {
			c.open[o.Peer]++
		}
	}
	return err
}

// chat compares the messages with one person, and reports whether there were any.
func (a *audit) chat(ctx context.Context, c *chats, peer platform.UserID, name string, age time.Duration) (bool, error) {
	delete(c.wrote, peer)
	found, low, err := a.read(ctx, peer, c.from)
	if platform.Final(err) {
		a.unread++
		a.noteFinding("the chat with %d was not read: %v", peer, err)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the messages with %d: %w", peer, err)
	}
	stored, err := a.Store.Cursors(ctx, a.Account, event.Messages, []platform.UserID{peer})
	if err != nil {
		return false, err
	}
	var cursor record.Cursor
	for _, cursor = range stored {
		break
	}
	var theirs []shownEvent
	var own []int64
	for _, m := range found {
		if m.Own || m.From != 0 && m.From != peer {
			own = append(own, int64(m.ID))
			continue
		}
		theirs = append(theirs, shownEvent{int64(m.ID), peer, name, age})
	}
	if err := a.compare(ctx, event.Messages, theirs, cursor, c.polled); err != nil {
		return false, err
	}
	for id, key := range c.sent[peer] {
		if id >= low && !slices.Contains(own, int64(id)) {
			c.gone = append(c.gone, gone{peer, name, int64(id), key})
		}
	}
	return len(found) > 0, a.own(ctx, c, peer, name, own)
}

// own compares messages of the account with the ledger.
func (a *audit) own(ctx context.Context, c *chats, peer platform.UserID, name string, ids []int64) error {
	known, err := a.Store.Results(ctx, a.Account, event.VerbMessage, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		conversation := a.conversationWith(peer, name)
		switch {
		case known[id]:
			conversation.Sent++
		case c.open[peer] > 0:
			c.open[peer]--
			conversation.InDoubt++
		default:
			conversation.Person++
		}
	}
	return nil
}

// unshown counts messages that are gone, except for those that the bot took back itself. What it took
// back until now counts: it may have done so since the chat was read.
func (a *audit) unshown(ctx context.Context, all []gone) error {
	if len(all) == 0 {
		return nil
	}
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].message
	}
	deleted, err := a.Store.Deleted(ctx, a.Account, ids)
	if err != nil {
		return err
	}
	for _, g := range all {
		if deleted[g.message] {
			continue
		}
		conversation := a.conversationWith(g.peer, g.name)
		conversation.Unshown++
		conversation.UnshownActions = append(conversation.UnshownActions, g.key)
	}
	return nil
}

// read reads the messages with one person above from, the newest page first. Below low nothing was read; low
// is 0 when the whole chat was read.
func (a *audit) read(ctx context.Context, peer platform.UserID, from platform.MessageID) (all []platform.Message, low platform.MessageID, err error) {
	for range a.Pages {
		page, err := call(ctx, a, func(ctx context.Context) ([]platform.Message, error) {
			return a.Client.Messages(ctx, platform.MessagesParams{Peer: peer, Before: low, PageSize: messages})
		})
		if err != nil || len(page) == 0 || low != 0 && page[0].ID >= low {
			return all, 0, err
		}
		low = page[0].ID
		for _, m := range page {
			if m.ID > from {
				all = append(all, m)
			}
		}
		if low <= from {
			return all, 0, nil
		}
	}
	a.noteFinding("of the chat with %d, %d pages were read only", peer, a.Pages)
	return all, low, nil
}
