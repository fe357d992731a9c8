package bot

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/rival"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// An account of a bot never answers another one of it: they would talk to each other for ever. One that has gone is still one of
// ours, whoever has it now.

// self is who an account is on its platform.
type self struct {
	platform string // its base address, see canonicalBase
	id       platform.UserID
}

// restore lets the accounts be enrolled whose earlier incarnations have learnt who they are. Why a session cannot be read says
// the account's first call.
func (b *Bot) restore(ctx context.Context, accounts []*account) {
	for _, a := range accounts {
		_, _ = a.broker.Restore(ctx)
	}
}

// noteSelf notes who the account is. Its broker says that, before anybody else can learn it.
func (a *account) noteSelf(me platform.UserID) {
	if a.enrolled.Load() { //mutate:enrolled
		return
	}
	who := self{a.home, me}
	known, _ := a.bot.selves.LoadOrStore(who, a.name)
	if name, ok := known.(event.Account); ok && name != a.name {
		if other := a.bot.accounts.byName(name); other != nil {
			a.bot.oneOf(a, other)
		} else {
			a.bot.selves.Store(who, a.name)
		}
	}
	a.enrolled.Store(true)
	a.bot.directory.storeSelf(a.bot.store, who, a.name) //mutate:ourselves-kept
}

// oneOf sees to it that one of two accounts does nothing that are the same person on the platform: they would answer
// everything twice, and take each other for a person. The first one of the configuration works.
func (b *Bot) oneOf(first, second *account) {
	all := b.accounts.all()
	if slices.Index(all, first) > slices.Index(all, second) {
		first, second = second, first
	}
	second.rivals.StopForTwin(first.name)
	b.log.Error("two accounts are the same person on the platform: nothing leaves for the second one",
		"account", second.name, "same_as", first.name, "do", "remove one of the two, and start again")
}

// withoutTwin lets the account work that did nothing since another one, which has gone, is the same person on the platform.
func (a *account) withoutTwin(gone event.Account) {
	if !a.rivals.HasTwin(gone) {
		return
	}
	a.turn <- struct{}{} // it may be about to begin
	defer func() { <-a.turn }()
	a.rivals.ForgetTwin()
	a.enrolled.Store(false)
	a.noteSelf(a.broker.State().User)
}

// skipOurselves leaves a turn unanswered whose peer is an account of this bot; false when the peer is
// somebody else, or not known yet.
func (b *Bot) skipOurselves(_ context.Context, t *Turn) (bool, error) {
	key := t.Trigger.Key
	if _, ours := b.selves.Load(self{t.reader.account.home, key.Peer}); !ours { //mutate:ourselves
		return false, nil
	}
	t.rec.Outcome = OutcomeOurselves
	t.Note("the peer is an account of this bot")
	return true, nil
}

// canonicalBase returns the base address of a platform in the one spelling that reports whether two are the same.
func canonicalBase(base string) string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return base
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case u.Scheme == "http":
		port = "80"
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port) + strings.TrimRight(u.JoinPath().EscapedPath(), "/")
}

// directory is what is stored of who accounts are. Workers know one another's by it: an account of one never answers an account of another one
// either. And a start knows those that were removed before it.
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

// restoreSelves takes up who the accounts of the database are, also those that the bot does not have any more: the file of one process has no
// others.
func (b *Bot) restoreSelves(ctx context.Context) error {
	all, err := b.store.ReadSelves(ctx)
	b.noteSelves(all)
	return err
}

// readDirectory takes up who the accounts of other workers are.
func (b *Bot) readDirectory(ctx context.Context) error {
	d := &b.directory
	d.mu.Lock()
	since, asked := d.sinceLocked(), time.Now()
	d.mu.Unlock()
	all, newest, err := b.store.SelvesSince(ctx, since)
	b.noteSelves(all)
	d.mu.Lock()
	defer d.mu.Unlock()
	if newest.After(d.newest) {
		d.newest = newest
	}
	if err == nil || errors.Is(err, store.ErrBrokenSelf) {
		d.read = asked
	}
	return err // of one account: the others are known by now
}

// noteSelves notes who accounts are, as it is stored.
func (b *Bot) noteSelves(all []store.Self) {
	b.directory.mu.Lock()
	defer b.directory.mu.Unlock()
	for _, s := range all {
		who := self{s.Platform, s.User}
		b.directory.noteLocked(who, s.Account)
		b.selves.LoadOrStore(who, s.Account) //mutate:directory
	}
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

// Knower is a store, as far as it tells what is known of an account.
type Knower interface {
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
}

// RivalryOf returns how an account stands towards another bot that answers on it, as it is stored. The error is that of the store.
func RivalryOf(ctx context.Context, st Knower, account event.Account) (record.Rivalry, error) {
	return rival.Read(ctx, st.Known, account)
}

// watchRival lets the account watch for another bot on it.
func (a *account) watchRival(cfg *Account) {
	a.rivals = rival.New(rival.Config{
		Account: a.name, Store: a.bot.store, Log: a.bot.log, PollInterval: cfg.PollInterval, TakeoverFor: a.bot.cfg.TakeoverFor,
		Health: func() []event.SourceHealth { return a.poller.Health() }, Halt: a.outbox.HaltAll, GoOn: a.goOn, IsNameless: a.outbox.IsNameless,
		ReadSoon: func(peers []platform.UserID) {
			for _, p := range peers {
				a.poller.NoteTouched(p)
			}
			a.bot.schedule.MakeDue(a.poller)
		},
	})
}

// watchRivals does what is to be done about rivals, every now and then, until ctx is done.
func (b *Bot) watchRivals(ctx context.Context) {
	runEvery(ctx, rival.LookEvery, func() { b.eachAtWork(func(a *account) { a.rivals.LookAgain(ctx) }) })
}

// goOn lets actions leave again that a rival or a pause has kept back, unless the account is paused, or its term has not begun.
func (a *account) goOn() {
	p := a.currentPauses()
	switch {
	case a.term == nil:
	case p == nil || p.Account == nil: //mutate:paused-and-rival
		a.outbox.Resume(a.term)
	default:
		a.outbox.OnlyPaused()
	}
}

// NotePoll takes note of a poll.
func (a *account) NotePoll(r event.PollResult, err error) {
	if err == nil {
		a.rivals.NotePoll(r)
	}
	a.bot.cfg.Observe(a.name, r, err)
}

// save stores a turn about the account itself. What the store refuses is tried again.
func (a *account) save(turn *store.Turn) {
	a.bot.store.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
		if r.Err != nil && a.term.Err() == nil {
			time.AfterFunc(time.Second, func() { a.save(turn) })
		}
	}})
}
