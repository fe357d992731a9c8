package bot

import (
	"context"
	"maps"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// Workers that share a database have no file that outlives one of them, and write nothing about whose code runs. So where an account was not handed
// over, since its last worker died, all that waits there is suspect until everything was read once. Before one runs alone that stands in the store, in the
// list of what was tried: whoever takes over next finds there which one it was. Those that have run alone before, and were not stored as decided, come
// last, with everybody else served before.

// clearFirst is that what is in doubt may become clear before one runs that has run alone before: with each change of hands that would begin anew.
const clearFirst = 40 * time.Second

// shared is what the suspects of a worker have besides. The lock of the suspects guards it.
type shared struct {
	taken map[event.Account]time.Time // accounts that were not handed over, by since when they are at work: what comes there is suspect
	shut  bool                        // no other handler begins
	quiet bool                        // none runs
	job   *job                        // that is admitted
	spent [2]time.Duration            // for which nobody else could begin: by those that have not run alone before, and by the others
	told  bool
	over  bool // others come into new suspects
}

// recoverSuspects counts of which triggers a worker has died, before any of them runs again. listed are those that were tried before, and left says that
// the last worker has ended without handing the account over.
func (a *account) recoverSuspects(ctx context.Context, listed []event.Fact, left bool) error {
	for i := range listed {
		s := store.SuspectOf(a.name, &listed[i])
		if s.Deaths == 0 && s.Rounds == 0 {
			continue
		}
		if s.Alone {
			if left { //mutate:suspect-left
				s.Deaths++
				a.bot.log.ErrorContext(ctx, "a worker died while one handler ran alone", "account", a.name, "trigger", s.Trigger, "times", s.Deaths)
			}
			s.Alone = false
			// From here on the next one does not count it.
			if err := a.keepSuspect(ctx, s); err != nil {
				return err
			}
		}
		a.noteTried(s.Trigger, s.Deaths)
		if a.solos == nil {
			a.solos = map[string]store.Suspect{}
		}
		a.solos[s.Trigger] = s
	}
	if left {
		a.bot.suspectAll(a.name) //mutate:suspect-all
	}
	return nil
}

// suspectAll makes what comes into the lanes of an account suspect, until everything was read.
func (b *Bot) suspectAll(account event.Account) {
	for {
		g := b.sharedSuspects()
		g.mu.Lock()
		if !g.shared.over {
			if len(g.shared.taken) == 0 {
				g.shared.spent = [2]time.Duration{}
			}
			g.shared.taken[account] = time.Time{}
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
	}
}

// sharedSuspects returns the suspects of this worker, and makes them where there are none.
func (b *Bot) sharedSuspects() *suspects {
	for {
		if g := b.suspects.Load(); g != nil {
			return g
		}
		g := &suspects{bot: b, waiting: map[*lane]*suspect{}, changed: make(chan struct{}, 1), shared: &shared{taken: map[event.Account]time.Time{}}}
		if b.suspects.CompareAndSwap(nil, g) {
			select {
			case b.suspicious <- struct{}{}:
			default:
			}
		}
	}
}

// comes notes that a trigger has come into its lane, which is locked.
func (a *account) comes(l *lane, it *job) {
	for {
		g := a.bot.suspects.Load()
		if g == nil {
			if len(a.solos) == 0 || !a.ranAlone(it) {
				return
			}
			g = a.bot.sharedSuspects()
		}
		if g.shared == nil {
			g.comes(l, it)
			return
		}
		if g.comesShared(l, it) {
			return
		}
	}
}

// ranAlone reports whether a trigger has run alone before, in an earlier term.
func (a *account) ranAlone(it *job) bool {
	_, is := a.solos[it.trigger.ID()]
	return is
}

// comesShared is comes where workers share a database; false when these suspects are over.
func (g *suspects) comesShared(l *lane, it *job) bool {
	if it.trigger.Kind == event.ByNudge || !it.runsCode() {
		return true
	}
	id := it.trigger.ID()
	stored, known := l.account.solos[id]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shared.over {
		return false
	}
	if _, taken := g.shared.taken[l.account.name]; !taken && !known {
		return true
	}
	stored.Account, stored.Trigger, stored.Deaths = l.account.name, id, it.died
	it.suspect = &suspect{of: g, account: l.account.name, id: id, lane: l, stored: stored, came: time.Now()}
	g.left = append(g.left, it.suspect)
	g.changes()
	return true
}

// admitsSharedLocked is admits where workers share a database.
func (g *suspects) admitsSharedLocked(l *lane) bool {
	it := l.queue[0]
	if g.admitted == l {
		if g.shared.job == it {
			return true
		}
		g.admitted, g.shared.job = nil, nil // something else has come before it
		g.changes()
	}
	if s := it.suspect; s != nil && !s.freed {
		g.waiting[l] = s
		g.changes()
		return false
	}
	return !g.shared.shut
}

// runShared lets suspects run as they come, each alone, until there are none.
func (g *suspects) runShared(ctx context.Context) {
	calm := false
	for ctx.Err() == nil && !g.retires(time.Now()) {
		l, s := g.chooseShared()
		switch {
		case l == nil:
			g.unshut()
			g.wait(ctx, suspectLook)
		case s.stored.Rounds > 0 && !calm: // what ends the process does not take with it what others are still to get
			g.deaths, calm = s.stored.Rounds, true
			g.unshut()
			g.whileAny(ctx, clearFirst, (*outbox.Account).InDoubt)
			g.letLeave(ctx)
		default:
			calm = calm && s.stored.Rounds > 0
			g.runAlone(ctx, l, s)
		}
	}
}

// chooseShared returns the suspect that is next, in its lane, which stays one that waits; nil for none. Those that have run alone before come when no others
// are left.
func (g *suspects) chooseShared() (l *lane, next *suspect) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.left {
		if g.waiting[s.lane] != s || s.stored.Rounds > 0 && len(g.shared.taken) > 0 {
			continue
		}
		if next == nil || s.stored.Rounds < next.stored.Rounds {
			l, next = s.lane, s
		}
	}
	return l, next
}

// retires ends suspects of which none are left, and none will come.
func (g *suspects) retires(now time.Time) bool {
	g.mu.Lock()
	taken := maps.Clone(g.shared.taken)
	g.mu.Unlock()
	maps.DeleteFunc(taken, func(account event.Account, since time.Time) bool { return !g.isRead(account, since, now) })
	g.mu.Lock()
	for account := range taken {
		delete(g.shared.taken, account)
	}
	freed := g.freeLocked(now)
	over := len(g.shared.taken) == 0 && len(g.left) == 0 && !g.shared.shut
	if over {
		g.shared.over = true
		g.bot.suspects.CompareAndSwap(g, nil)
	}
	g.mu.Unlock()
	if freed {
		g.bot.letAllRun()
	}
	return over
}

// isRead reports whether everything of an account was read since it was taken up, or has had its time.
func (g *suspects) isRead(account event.Account, since, now time.Time) bool {
	a := g.bot.accounts.of(account)
	switch {
	case a == nil || a.leaving.Load():
		return true
	case !a.atWork.Load():
		return false
	case since.IsZero():
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, is := g.shared.taken[account]; is {
			g.shared.taken[account] = now
		}
		return false
	case now.Sub(since) >= allAloneFor:
		return true
	case now.Sub(since) < suspectGrace || !a.poller.ReadAll():
		return false
	}
	for _, source := range []event.Source{event.Notifs, event.Mentions} {
		if a.poller.ReadsByID(source) && a.poller.HeardList(source).IsZero() {
			return false
		}
	}
	return true
}

// freeLocked lets those run beside the others whose kind has had its time, or that wait for something else; it reports whether there are any.
func (g *suspects) freeLocked(now time.Time) bool {
	most := 0
	for _, s := range g.left {
		most = max(most, min(s.stored.Rounds, mostDoubled))
	}
	all := allAloneFor << most
	var kept []*suspect
	for _, s := range g.left {
		if g.shared.spent[min(s.stored.Rounds, 1)] < all && (g.waiting[s.lane] == s || now.Sub(s.came) < all) {
			kept = append(kept, s)
			continue
		}
		s.freed = true
		if g.waiting[s.lane] == s {
			delete(g.waiting, s.lane)
		}
	}
	freed := len(kept) < len(g.left)
	if g.left = kept; g.shared.spent[0] >= all {
		clear(g.shared.taken)
	}
	return freed
}

// leaves forgets the suspects of an account that goes.
func (g *suspects) leaves(account event.Account) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.shared.taken, account)
	var kept []*suspect
	for _, s := range g.left {
		if s.account != account {
			kept = append(kept, s)
			continue
		}
		delete(g.waiting, s.lane)
		if g.running != nil && g.running.suspect == s {
			g.running = nil
		}
		if g.admitted == s.lane {
			g.admitted, g.shared.job = nil, nil
		}
	}
	g.left = kept
	g.changes()
}

// runShared lets suspects run whenever there are some, where workers share a database.
func (b *Bot) runShared(ctx context.Context) {
	for lifecycle.Wait(ctx, lifecycle.Forever, b.suspicious, nil) == lifecycle.Signalled {
		if g := b.suspects.Load(); g != nil {
			g.runShared(ctx)
		}
	}
}
