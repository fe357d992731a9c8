package bot

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// Workers that share a database have no file that outlives one of them, and write nothing about whose code runs. So where an account was not handed
// over, since its last worker died, all that waits there is suspect until everything was read once. Before one runs alone that stands in the store, in the
// list of what was tried: the worker that takes over next finds there which one it was. Those that have run alone before, and were not stored as decided, come
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

// noteQueued notes that a trigger has come into its lane, which is locked.
func (a *account) noteQueued(l *lane, j *job) {
	for {
		g := a.bot.suspects.Load()
		if g == nil {
			if len(a.solos) == 0 || !a.ranAlone(j) {
				return
			}
			g = a.bot.sharedSuspects()
		}
		if g.shared == nil {
			g.noteQueued(l, j)
			return
		}
		if g.comesShared(l, j) {
			return
		}
	}
}

// ranAlone reports whether a trigger has run alone before, in an earlier term.
func (a *account) ranAlone(j *job) bool {
	_, is := a.solos[j.trigger.ID()]
	return is
}

// comesShared is noteQueued where workers share a database; false when these suspects are over.
func (ss *suspects) comesShared(l *lane, j *job) bool {
	if j.trigger.Kind == event.ByNudge || !j.runsCode() {
		return true
	}
	id := j.trigger.ID()
	stored, known := l.account.solos[id]
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.shared.over {
		return false
	}
	if _, taken := ss.shared.taken[l.account.name]; !taken && !known {
		return true
	}
	stored.Account, stored.Trigger, stored.Deaths = l.account.name, id, j.deaths
	j.suspect = &suspect{of: ss, account: l.account.name, id: id, lane: l, stored: stored, came: time.Now()}
	ss.left = append(ss.left, j.suspect)
	ss.noteChange()
	return true
}

// admitsSharedLocked is mayRun where workers share a database.
func (ss *suspects) admitsSharedLocked(l *lane) bool {
	j := l.queue[0]
	if ss.admitted == l {
		if ss.shared.job == j {
			return true
		}
		ss.admitted, ss.shared.job = nil, nil // something else has come before it
		ss.noteChange()
	}
	if s := j.suspect; s != nil && !s.freed {
		ss.waiting[l] = s
		ss.noteChange()
		return false
	}
	return !ss.shared.shut
}

// runShared lets suspects run as they come, each alone, until there are none.
func (ss *suspects) runShared(ctx context.Context) {
	calm := false
	for ctx.Err() == nil && !ss.retires(time.Now()) {
		l, s := ss.chooseShared()
		switch {
		case l == nil:
			ss.letOthersRun()
			ss.wait(ctx, suspectLook)
		case s.stored.Rounds > 0 && !calm: // what ends the process does not take with it what others are still to get
			ss.deaths, calm = s.stored.Rounds, true
			ss.letOthersRun()
			ss.whileAny(ctx, clearFirst, (*outbox.Account).InDoubt)
			ss.letLeave(ctx)
		default:
			calm = calm && s.stored.Rounds > 0
			ss.runAlone(ctx, l, s)
		}
	}
}

// chooseShared returns the suspect that is next, in its lane, which stays one that waits; nil for none. Those that have run alone before come when no others
// are left.
func (ss *suspects) chooseShared() (l *lane, next *suspect) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, s := range ss.left {
		if ss.waiting[s.lane] != s || s.stored.Rounds > 0 && len(ss.shared.taken) > 0 {
			continue
		}
		if next == nil || s.stored.Rounds < next.stored.Rounds {
			l, next = s.lane, s
		}
	}
	return l, next
}

// retires ends suspects of which none are left, and none will come.
func (ss *suspects) retires(now time.Time) bool {
	ss.mu.Lock()
	taken := maps.Clone(ss.shared.taken)
	ss.mu.Unlock()
	maps.DeleteFunc(taken, func(account event.Account, since time.Time) bool { return !ss.isRead(account, since, now) })
	ss.mu.Lock()
	for account := range taken {
		delete(ss.shared.taken, account)
	}
	freed := ss.freeLocked(now)
	over := len(ss.shared.taken) == 0 && len(ss.left) == 0 && !ss.shared.shut
	if over {
		ss.shared.over = true
		ss.bot.suspects.CompareAndSwap(ss, nil)
	}
	ss.mu.Unlock()
	if freed {
		ss.bot.letAllRun()
	}
	return over
}

// isRead reports whether everything of an account was read since it was taken up, or has had its time.
func (ss *suspects) isRead(account event.Account, since, now time.Time) bool {
	a := ss.bot.accounts.byName(account)
	switch {
	case a == nil || a.leaving.Load():
		return true
	case !a.atWork.Load():
		return false
	case since.IsZero():
		ss.mu.Lock()
		defer ss.mu.Unlock()
		if _, is := ss.shared.taken[account]; is {
			ss.shared.taken[account] = now
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
func (ss *suspects) freeLocked(now time.Time) bool {
	most := 0
	for _, s := range ss.left {
		most = max(most, min(s.stored.Rounds, mostDoubled))
	}
	all := allAloneFor << most
	var kept []*suspect
	for _, s := range ss.left {
		if ss.shared.spent[min(s.stored.Rounds, 1)] < all && (ss.waiting[s.lane] == s || now.Sub(s.came) < all) {
			kept = append(kept, s)
			continue
		}
		s.freed = true
		if ss.waiting[s.lane] == s {
			delete(ss.waiting, s.lane)
		}
	}
	freed := len(kept) < len(ss.left)
	if ss.left = kept; ss.shared.spent[0] >= all {
		clear(ss.shared.taken)
	}
	return freed
}

// forgetAccountLocked forgets the suspects of an account that goes.
func (ss *suspects) forgetAccountLocked(account event.Account) {
	delete(ss.shared.taken, account)
	ss.left = slices.DeleteFunc(ss.left, func(s *suspect) bool { return s.account == account })
	if ss.running != nil && ss.running.suspect != nil && ss.running.suspect.account == account {
		ss.running = nil
	}
}

// runShared lets suspects run whenever there are some, where workers share a database.
func (b *Bot) runShared(ctx context.Context) {
	for lifecycle.Wait(ctx, lifecycle.Forever, b.suspicious, nil) == lifecycle.Signalled {
		if g := b.suspects.Load(); g != nil {
			g.runShared(ctx)
		}
	}
}
