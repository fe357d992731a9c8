package bot

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// keepFactsLocked stores what a try recorded that is not counted in the store, since it waits for the platform: after a
// crash, too, the next one sees the same.
func (b *Bot) keepFactsLocked(l *lane, j *job, now time.Time) {
	n := len(j.facts)
	if n <= j.storedFacts {
		return
	}
	a := &store.Attempt{Event: j.trigger.Event, Facts: j.facts, At: now, Sequence: l.token}
	switch t := &j.trigger; t.Kind {
	case event.ByTimer:
		a.Timer = &t.Timer
	case event.ByRequest:
		if a.Request = t.Request; a.Request == nil { //mutate:own-tried
			return // it is decided of what nobody reads
		}
	case event.ByNudge:
		return // it does not come again after a crash
	case event.ByEvent:
	}
	b.store.Commit(store.Write{Attempt: a, Done: func(r store.Receipt) {
		if r.Err == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			j.storedFacts = n
		}
	}})
}

// hasTried reports whether an earlier incarnation has recorded something for the trigger without counting the try.
func (a *account) hasTried(t *event.Trigger) bool {
	if len(a.tried) == 0 {
		return false
	}
	_, ok := a.tried[t.ID()]
	return ok
}
