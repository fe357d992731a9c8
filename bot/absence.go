package bot

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// An outage of the network, a machine that sleeps and a process that stands still are alike: for a while the platform tells us
// nothing, and people have their phones. Who answered meanwhile by hand is not to be answered over by what becomes due as soon as it is back.
// So a long absence is to conversations what a start is: each is quiet until it was heard once.

const (
	// absence is how long the platform has to be silent for that, or some polls, where they are further apart.
	absence      = time.Minute
	absencePolls = 6 // an idle account is polled each four intervals
	// underWay is how long a reading may have been under way when an absence ends by one of its answers.
	underWay = 30 * time.Second
)

// isAbsent reports whether the platform has told the account nothing for long. Asked before each turn and each departure, it knows of an absence
// before anything runs that was to notice it. Which clock tells matters: one may be set, the other stands still while a machine sleeps.
func (a *account) isAbsent(now time.Time) bool {
	last := a.answeredAt.Load()
	if last == nil || a.bot.cfg.TakeoverFor < 0 { //mutate:absence
		return false
	}
	silent := now.Round(0).Sub(earlierTime(*last, now))
	return silent >= absence && silent >= absencePolls*a.cfg.withDefaults(a.bot.cfg).PollInterval && a.listsChats()
}

// listsChats reports whether the account has a chat list, from which its conversations can be heard.
func (a *account) listsChats() bool {
	return a.poller != nil && !a.poller.HeardList(event.Messages).IsZero()
}

// notePresence notes that the platform answered a call of the account. After an absence all is to be heard anew: that is noted first, or something could
// leave in between.
func (a *account) notePresence(now time.Time) {
	if a.isAbsent(now) { //mutate:absence-anew
		a.hearAnew(now.Add(-underWay))
	}
	a.answeredAt.Store(&now)
}

// hearAnew lets every conversation be quiet until it was heard by a reading that began then, or later.
func (a *account) hearAnew(since time.Time) {
	q := &a.quiet
	q.mu.Lock()
	defer q.mu.Unlock()
	a.poller.HearAnew(since)
	q.waived = nil
	q.allHeard.Store(false)
}
