package autoresponder

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// result is what became of letters at an address.
type result struct {
	id     string
	sent   []string // their keys
	urgent []string
	failed []string
	err    error
}

// noteResult takes what became of letters.
func (o *office) noteResult(ctx context.Context, r *result) {
	m := o.members[r.id]
	if m == nil { // the address is gone from the settings
		return
	}
	m.busy, m.fresh = false, true
	now := time.Now()
	for _, k := range r.sent {
		if l := o.letters[k]; l != nil {
			l.fates[r.id], l.fresh = Fate{At: m.address.String(), Team: m.teams[0].Name, Sent: now}, true
		}
	}
	switch {
	case r.err == nil && !m.Failing.IsZero():
		o.cfg.Log.InfoContext(ctx, "an address takes notices again", "team", m.teams[0].Name, "address", m.address.String(), "after", now.Sub(m.Failing).Round(time.Second))
	case r.err != nil && m.noteFailed(now, r.err, len(r.urgent) > 0):
		o.cfg.Log.WarnContext(ctx, "a notice could not be sent; trying again", "who", m.teams[0].Name, "err", r.err)
	}
	// Something arrived, also when what was behind it did not: people have heard of it, and the next pause counts it.
	if r.err == nil || len(r.sent) > 0 {
		failing, next := m.Failing, m.Next
		m.noteRang(now, r.urgent)
		if r.err != nil {
			m.Failing, m.Next, m.Tries, m.Error = failing, next, 1, r.err.Error()
		}
	}
	o.inVain(ctx, m, r, now)
}

// inVain notes what did not arrive, and gives up what has been tried for long.
func (o *office) inVain(ctx context.Context, m *member, r *result, now time.Time) {
	given := 0
	for _, k := range r.failed {
		l := o.letters[k]
		if l == nil {
			continue
		}
		f := l.fates[r.id]
		if f.Tried.IsZero() {
			f.Tried = now
		}
		if l.fresh = l.fresh || f.Error != m.Error; now.Sub(f.Tried) >= giveUpAfter { //mutate:called-give-up
			f.GivenUp, l.fresh = now, true
			given++
		}
		f.At, f.Team, f.Error = m.address.String(), m.teams[0].Name, m.Error
		l.fates[r.id] = f
	}
	if given == 0 {
		return
	}
	o.cfg.Log.ErrorContext(ctx, "a notice could not be sent, and is given up", "who", m.teams[0].Name, "err", r.err)
	if n := undeliveredNotice(m, now); o.memory.Serves(n.Account) { // or another worker finds it out as well
		o.storeNotices(ctx, tell{notices: []event.Notice{n}})
	}
}

// resolve finds out of which notices nothing is left to be done.
func (o *office) resolve(now callings) {
	for _, l := range o.letters {
		if l.done {
			continue
		}
		left := now.isUnknown(l.Account)
		for _, m := range o.members {
			left = left || m.teamOf(l) != nil && !l.fates[m.id()].isOver()
		}
		l.done = !left
	}
}

// storeStates stores what became of notices, and how addresses stand.
func (o *office) storeStates(ctx context.Context) error {
	now := time.Now()
	var notices []event.Notice
	for _, l := range o.letters {
		// What the store has not taken yet has no row there in which this could be noted.
		if !l.unread && (l.done || l.fresh) {
			notices = append(notices, l.toNotice(now))
		}
	}
	addresses := map[string]json.RawMessage{}
	for id, m := range o.members {
		if m.fresh {
			addresses[id] = m.encodeState()
		}
	}
	if len(notices)+len(addresses) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	if err := o.memory.Told(ctx, notices, addresses); err != nil {
		return err
	}
	for i := range notices {
		k := noticeKey(&notices[i])
		if o.letters[k].fresh = false; o.letters[k].done {
			delete(o.letters, k)
		}
	}
	for id := range addresses {
		o.members[id].fresh = false
		o.paces[id] = addresses[id]
	}
	return nil
}
