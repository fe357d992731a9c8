package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// A platform may number its messages anew, upwards or downwards. Then all that was said looks like news: the bot's own words, and what was
// answered long ago. What tells is that a message of the bot's stands there under another number, and no more under its own.

// hasRenumbered finds out whether own messages that the ledger does not know are its messages under other numbers, and lets the account be
// careful from then on. events are what was read with them.
func (a *account) hasRenumbered(ctx context.Context, peer platform.UserID, own []platform.Message, events []event.Event) error {
	if len(own) == 0 || a.careful.isRenumbered() {
		return nil
	}
	key := event.Key{Account: a.name, Peer: peer}
	said, err := a.bot.store.SaidSince(ctx, key, time.Time{})
	if err != nil {
		return err
	}
	was, as, rows := platform.MessageID(0), platform.MessageID(0), 0
	for i := range own {
		if x := saidAs(said, &own[i]); x != nil {
			was, as, rows = platform.MessageID(x.Result), own[i].ID, rows+1
		}
	}
	if rows == 0 {
		return nil
	}
	there, err := a.client.Messages(ctx, platform.MessagesParams{Peer: peer, Before: was + 1})
	if err != nil {
		return fmt.Errorf("look whether message %d is still there: %w", was, err)
	}
	for i := range there {
		if there[i].ID == was {
			return nil // another bot, or somebody with the bot's words
		}
	}
	if as > was {
		if len(there) > 0 { //mutate:renumbered-up
			return nil // one row shows an absurd id
		}
		return a.countsAnew(ctx)
	}
	if _, believed := a.believedMessageID(was); !believed {
		recent, err := a.bot.store.RecentEvents(ctx, key, lastRecent)
		if err != nil {
			return err
		}
		rows += heardAs(recent, events)
	} else {
		rows++
	}
	if rows < 2 {
		return nil // its number was absurd
	}
	return a.countsAnew(ctx)
}

// saidAs returns the message of the ledger that has the words of another one; nil for none.
func saidAs(said []store.Said, m *platform.Message) *store.Said {
	for i := range said {
		x := &said[i]
		if x.State == event.StateDone && x.Result > 0 && x.Result != int64(m.ID) && outbox.SameText(x.Text, m.Text) {
			return x
		}
	}
	return nil
}

// heardAs counts events of a reading that are known under higher numbers.
func heardAs(recent, events []event.Event) (n int) {
	for i := range events {
		for j := range recent {
			if e, x := &events[i], &recent[j]; x.ID.Source == event.Messages && x.ID.Number > e.ID.Number && x.Text == e.Text && x.Image == e.Image {
				n++
				break
			}
		}
	}
	return n
}

// countsAnew begins to be careful, since the platform has numbered its messages anew.
func (a *account) countsAnew(ctx context.Context) error {
	now := time.Now()
	k, r := &a.careful, &a.rivals
	back, _ := a.bot.store.LastRestored()
	k.mu.Lock()
	if k.start.Sign == record.CarefulRenumbered && k.on.Load() { // two chats may be read at once
		k.mu.Unlock()
		return nil
	}
	c := CarefulStart{Mark: back.At, Sign: record.CarefulRenumbered, From: now.Round(0), Began: now.Round(0)}
	k.start, k.spoken = c, nil
	k.read.Store(false)
	k.on.Store(true)
	k.mu.Unlock()
	r.mu.Lock()
	r.began, r.evidence = now.Round(0), nil
	r.mu.Unlock()
	a.hearAnew(now)
	// Whoever finds it after a crash before this is stored, finds it anew.
	return a.knowCareful(ctx, &c)
}

// isRenumbered reports whether that was found already.
func (c *careful) isRenumbered() bool {
	if !c.on.Load() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.start.Sign == record.CarefulRenumbered
}

// hasSaid reports whether a message has words that the ledger has said in the same conversation, where the platform has numbered messages anew.
func (a *account) hasSaid(ctx context.Context, peer platform.UserID, m *platform.Message) bool {
	if !a.careful.isRenumbered() {
		return false
	}
	said, err := a.bot.store.SaidSince(ctx, event.Key{Account: a.name, Peer: peer}, time.Time{})
	return err == nil && saidAs(said, m) != nil
}
