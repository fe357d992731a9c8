package bot

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// lookForGone drops those that do not come any more, and reports whether any are left that may come soon. One whose account has gone stands in the file until
// that comes again; nobody waits for it.
func (ss *suspects) lookForGone(now time.Time) bool {
	type absent struct {
		*suspect

		away bool
	}
	ss.mu.Lock()
	var missing []absent
	for _, s := range ss.left {
		if s.lane == nil {
			missing = append(missing, absent{s, s.away})
		}
	}
	left := len(ss.left)
	ss.mu.Unlock()
	for _, s := range missing {
		switch a := ss.bot.accounts.byName(s.account); {
		case s.away && (a == nil || !a.atWork.Load()):
			left--
		case ss.isGone(s.suspect, now):
			ss.dropSuspect(s.suspect)
			left--
		}
	}
	return left > 0
}

// isGone reports whether a suspect that has not come will not: all that is on the platform was read since the start.
func (ss *suspects) isGone(s *suspect, now time.Time) bool {
	a := ss.bot.accounts.byName(s.account)
	if a == nil {
		return true
	}
	id, err := event.ParseID(s.id)
	switch notified := err == nil && (id.Source == event.Notifs || id.Source == event.Mentions); {
	case !a.atWork.Load(), notified && a.poller.HeardList(id.Source).IsZero(), !notified && !a.poller.ReadAll():
		s.gone = time.Time{}
		return false
	case s.gone.IsZero():
		s.gone = now
	}
	return now.Sub(s.gone) >= suspectGrace
}

// leaveAccount empties the lanes of an account that goes. A suspect that has not run alone yet does so when the account comes again: until then it stands in the
// file. Of workers that share a database the one that takes the account next finds its own.
func (ss *suspects) leaveAccount(account event.Account) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for l := range ss.waiting {
		if l.account.name == account {
			delete(ss.waiting, l)
		}
	}
	if ss.admitted != nil && ss.admitted.account.name == account {
		ss.admitted = nil
		if ss.shared != nil {
			ss.shared.job = nil
		}
	}
	if ss.shared != nil {
		ss.forgetAccountLocked(account)
	}
	for _, s := range ss.left {
		if s.account == account {
			s.lane, s.away = nil, true
		}
	}
	ss.noteChange()
}

// isLeft reports whether a suspect is one of those that are still to run alone.
func (s *suspect) isLeft() bool {
	if s == nil {
		return false
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return slices.Contains(s.of.left, s)
}
