package autoresponder

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// storeNotices stores notices that no turn has. What the store does not take is delivered all the same, and stored later.
func (o *office) storeNotices(ctx context.Context, t tell) {
	if len(o.pending) == 0 && o.keep(ctx, &t) == nil {
		return
	}
	o.pending = append(o.pending, t)
	for i := range t.notices {
		if k := noticeKey(&t.notices[i]); o.letters[k] == nil {
			l := newLetter(t.notices[i])
			l.unread = true
			o.takeLetter(ctx, l)
		}
	}
}

func (o *office) keep(ctx context.Context, t *tell) error {
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	return o.memory.Tell(ctx, t.notices, t.begin, t.over)
}

// tellAgain stores what the store did not take before.
func (o *office) tellAgain(ctx context.Context) {
	const pause = 10 * time.Second
	if len(o.pending) == 0 || time.Since(o.retellAt) < pause {
		return
	}
	o.retellAt = time.Now()
	for len(o.pending) > 0 {
		if o.keep(ctx, &o.pending[0]) != nil {
			return
		}
		o.pending = o.pending[1:]
	}
	o.looked = time.Time{} // they are read as stored now
}

// undeliveredNotice says that an address was given up, to whoever can be reached otherwise.
func undeliveredNotice(m *member, now time.Time) event.Notice {
	team := m.teams[0].Name
	n := event.Notice{
		Account: m.teams[0].of.leadAccount(), ID: fmt.Sprintf("call:undelivered/%s/%d", m.id(), m.Failing.UnixMicro()), Who: event.Everybody, At: now, Kind: notify.KindUndelivered,
		Text:    fmt.Sprintf("The team %s could not be called at %s for %d hours (%s): notices for it are given up there", team, m.address.String(), int(giveUpAfter.Hours()), m.Error),
		Details: (&event.Details{Why: event.Because("address.given_up", "about", team), Since: m.Failing, Do: "nectar notices --failed --team " + team}).Encode(),
	}
	l := newLetter(n)
	l.fates[m.id()] = Fate{At: m.address.String(), Team: team, GivenUp: now, Error: "it is about this address"}
	return l.toNotice(now)
}
