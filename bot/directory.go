package bot

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// directory is what workers know of one another's accounts: an account of one never answers an account of another one either.
type directory struct {
	failed bool // followDirectory's: it could not be read, and that was told

	mu     sync.Mutex // guards the fields below
	stored map[self]event.Account
	newest time.Time // of what is stored
	read   time.Time // when it was read last
}

const (
	directoryEvery = time.Second
	// directoryOverlap is how far back is read again: clocks of workers differ, and what was queued first may be stored late.
	directoryOverlap = 2 * time.Minute
)

// storeSelf stores who an account is, unless that is stored already.
func (d *directory) storeSelf(st store.Store, who self, name event.Account) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stored[who] == name {
		return
	}
	st.StoreSelf(store.Self{Account: name, Platform: who.platform, User: who.id})
	d.noteLocked(who, name)
}

// noteLocked notes what is stored.
func (d *directory) noteLocked(who self, name event.Account) {
	if d.stored == nil {
		d.stored = map[self]event.Account{}
	}
	d.stored[who] = name
}

// sinceLocked returns from when on it is to be read. What was stored in a burst is read again for as long as something of that time may come late,
// and not for ever.
func (d *directory) sinceLocked() time.Time {
	if d.newest.IsZero() {
		return d.newest
	}
	since, late := d.newest.Add(-directoryOverlap), d.read.Add(-directoryOverlap)
	if late.After(since) { //mutate:directory-since
		since = late
	}
	if since.After(d.newest) {
		since = d.newest
	}
	return since
}

// readDirectory takes up who the accounts of other workers are.
func (b *Bot) readDirectory(ctx context.Context) error {
	d := &b.directory
	d.mu.Lock()
	since, asked := d.sinceLocked(), time.Now()
	d.mu.Unlock()
	all, newest, err := b.store.SelvesSince(ctx, since)
	d.mu.Lock()
	defer d.mu.Unlock()
	if newest.After(d.newest) {
		d.newest = newest
	}
	if err == nil || errors.Is(err, store.ErrBrokenSelf) {
		d.read = asked
	}
	for _, s := range all {
		who := self{s.Platform, s.User}
		d.noteLocked(who, s.Account)
		b.selves.LoadOrStore(who, s.Account) //mutate:directory
	}
	return err // of one account: the others are known by now
}

// followDirectory reads who the accounts of other workers are, again and again, until ctx ends.
func (b *Bot) followDirectory(ctx context.Context) {
	runEvery(ctx, directoryEvery, func() {
		err := b.readDirectory(ctx)
		if err != nil && !b.directory.failed && ctx.Err() == nil {
			b.log.WarnContext(ctx, "who the accounts of other workers are cannot be read; trying again", "err", err)
		}
		b.directory.failed = err != nil
	})
}
