package bot

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	overdueEvery = 5 * time.Second // that is looked for
	// lateAfter is how long the oldest of what is due may wait, and how long something must have been due all the time: what was old before it could
	// leave, since it had waited in a pause, is not late by the pace.
	lateAfter = 5 * time.Minute
	// inTimeBelow is how young it has to be for that to be over. The answers of an account that is just as quick as people write would be late and in
	// time by turns.
	inTimeBelow = lateAfter / 2
	growsOver   = time.Minute // it has to have become older in this
)

// What keeps back what is late, as the parameter by of record.TroubleLate.
const (
	lateByPace     = "pace"
	lateByHost     = "host"
	lateByPlatform = "platform"
)

// overdues are what is overdue of the accounts of which something is.
type overdues struct {
	mu sync.Mutex // guards the field below
	of map[event.Account]overdue
}

// overdue is what of an account is overdue, and how that has gone on.
type overdue struct {
	outbox.Overdue
	began  time.Time     // since when something is, at every look
	marked time.Time     // when it was last compared
	age    time.Duration // how old the oldest was then
	late   record.Trouble
}

// isLate reports whether that was told, and is not over.
func (o *overdue) isLate() bool { return o.late.Why != "" }

// watchOverdue looks every few seconds at what is overdue, and says once when answers become late, and once when they are in time again.
func (b *Bot) watchOverdue(ctx context.Context) {
	runEvery(ctx, overdueEvery, func() { b.lookForLate(ctx) })
}

func (b *Bot) lookForLate(ctx context.Context) {
	now, before, after := time.Now(), b.overdues.all(), map[event.Account]overdue{}
	b.eachAtWork(func(a *account) {
		was := before[a.name]
		o := was
		var err error
		if o.Overdue, err = a.outbox.CountOverdue(ctx, was.Overdue); err != nil { // the store fails, which is told elsewhere
			o.Overdue = was.Overdue
		}
		if o.Actions > 0 {
			o.compare(a, now)
			after[a.name] = o
		}
	})
	b.overdues.set(after)
	for name, o := range after {
		if was := before[name]; o.isLate() && !was.isLate() {
			b.log.WarnContext(ctx, "answers are late", "account", name, "due", o.Actions, "oldest", o.age.Round(time.Second), "by", o.late.Why.Param("by"), "do", o.late.Do)
		}
	}
	for name, was := range before {
		if o := after[name]; was.isLate() && !o.isLate() {
			b.log.InfoContext(ctx, "answers are in time again", "account", name, "after", now.Sub(was.late.Since).Round(time.Second))
		}
	}
}

// compare finds out whether what is overdue is late, or not any more.
func (o *overdue) compare(a *account, now time.Time) {
	age := max(0, now.Sub(o.Oldest))
	// Without a session nothing can leave, which is told, and what to do about it: that answers are late is no news then.
	phase := a.broker.State().Phase
	if signedOut := phase == session.Parked || phase == session.Paused; o.began.IsZero() || signedOut && !o.isLate() {
		o.began, o.marked, o.age = now, now, age
	}
	if age < inTimeBelow {
		o.late = record.Trouble{}
	}
	if now.Sub(o.marked) < growsOver {
		return
	}
	grows := age > o.age
	o.marked, o.age = now, age
	if o.isLate() || grows && age > lateAfter && now.Sub(o.began) > lateAfter {
		o.late = a.lateFor(o, now) // once a minute at most: it is written down each time that it changes
	}
}

// lateFor says what is late, and what would help.
func (a *account) lateFor(o *overdue, now time.Time) record.Trouble {
	t := record.Trouble{Since: o.late.Since}
	if !o.isLate() {
		t.Since = now
	}
	by, why := lateByPlatform, "the platform is slow, or takes nothing"
	t.Do = "look whether the platform answers, and what the log says of it: a higher pace would not help. Where it is only slow, a higher NECTAR_CONCURRENCY may"
	switch {
	case a.polls != nil && a.polls.IsCrowded():
		by, why = lateByHost, "the share of its host lets no more leave"
		t.Do = "raise NECTAR_HOST_RATE, if the platform takes more"
	case o.Paced:
		by, why = lateByPace, "its pace lets no more leave"
		t.Do = "raise NECTAR_PACE, if the platform takes more"
		if p := a.cfg.withDefaults(a.bot.cfg).Pace.Account.PerSecond; p > 0 {
			t.Do = fmt.Sprintf("raise NECTAR_PACE, which is %s, if the platform takes more", perTime(p))
		}
	}
	t.Why = event.Because(record.TroubleLate, "by", by)
	t.Says = fmt.Sprintf("%d actions are due, the oldest for %d minutes, and %s", o.Actions, int(o.age.Minutes()), why)
	return t
}

// perTime writes a rate down as settings have it.
func perTime(perSecond float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, "/s"}, {60, "/m"}} {
		if n := perSecond * unit.seconds; n >= 1 {
			return strconv.FormatFloat(n, 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatFloat(perSecond*3600, 'f', -1, 64) + "/h"
}

func (o *overdues) all() map[event.Account]overdue {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of
}

func (o *overdues) set(of map[event.Account]overdue) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of = of
}

// accountTroubles returns what is late of an account.
func (o *overdues) accountTroubles(account event.Account) []record.Trouble {
	if overdue := o.all()[account]; overdue.isLate() {
		return []record.Trouble{overdue.late}
	}
	return nil
}
