package autoresponder

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// Fate is what became of a notice at an address.
type Fate struct {
	At      string    `json:"at"` // the address, without what is secret
	Team    string    `json:"team"`
	Sent    time.Time `json:"sent,omitzero"`
	Tried   time.Time `json:"tried,omitzero"`    // first, in vain
	GivenUp time.Time `json:"given_up,omitzero"` // it is not tried any more
	Error   string    `json:"error,omitempty"`   // the last one
}

// isOver reports whether nothing is left to be done.
func (f Fate) isOver() bool { return !f.Sent.IsZero() || !f.GivenUp.IsZero() }

// Fates returns what became of a notice, by the names of addresses.
func Fates(n *event.Notice) map[string]Fate {
	fates := map[string]Fate{}
	if len(n.Reached) > 0 && json.Unmarshal(n.Reached, &fates) != nil {
		return map[string]Fate{}
	}
	return fates
}

// letter is a notice on its way.
type letter struct {
	event.Notice
	since  time.Time       // when the trouble began that it tells of
	rings  bool            // in quiet hours, also when its kind does not
	as     string          // the kind that it is as urgent as; "" for its own alone
	fates  map[string]Fate // by address
	unread bool            // it is not stored yet: the store takes nothing
	done   bool            // nothing is left to be done, but to note that
	fresh  bool            // its fates are to be stored
}

func newLetter(n event.Notice) *letter {
	l := &letter{Notice: n, since: n.At, fates: Fates(&n)}
	d := n.Detailed()
	if l.rings, l.as = d.Urgent, d.As; !d.Since.IsZero() {
		l.since = d.Since
	}
	return l
}

// isUrgent reports whether a team is rung for it in its quiet hours.
func (l *letter) isUrgent(t *membership) bool {
	return slices.Contains(t.Urgent, l.Kind) || l.rings || l.as != "" && slices.Contains(t.Urgent, l.as)
}

// toNotice returns the notice as it is stored now.
func (l *letter) toNotice(now time.Time) event.Notice {
	n := l.Notice
	reached, err := json.Marshal(l.fates)
	if err != nil {
		panic(err) // texts and times always encode
	}
	n.Reached = reached
	if l.done {
		n.SentAt = now
	}
	return n
}

// shownTo returns the notice as people of ours read it, with its times on the clock of a zone.
func (l *letter) shownTo(zone *time.Location) notify.Notice {
	n := notify.Notice{
		ID: l.ID, Who: l.Who, Kind: l.Kind, Account: string(l.Account), Peer: int64(l.Peer), At: l.At.In(zone), Text: l.Text, Private: l.Private,
		Details: l.Detailed(),
	}
	if !n.Since.IsZero() && n.Said == "" { // what somebody wrote is on the clock of the rule
		n.Since = n.Since.In(zone)
	}
	return n
}

// takeOver takes over what an earlier look knew of the notice.
func (l *letter) takeOver(was *letter) {
	maps.Copy(l.fates, was.fates)
	l.done = was.done
}

// noticeKey names a notice among those of all accounts.
func noticeKey(n *event.Notice) string { return string(n.Account) + "/" + n.ID }

// mostShown is how many letters of a notice are logged.
const mostShown = 300

// shownText returns the text of a notice as a log may show it: of a long one the beginning, and how long it is.
func shownText(n *event.Notice) string {
	if n.Private {
		return "(private)"
	}
	letters := 0
	for i := range n.Text {
		if letters++; letters > mostShown { //mutate:notice-bound
			return fmt.Sprintf("%s… (%d letters)", n.Text[:i], utf8.RuneCountInString(n.Text))
		}
	}
	return n.Text
}

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

// undeliveredNotice says that an address was given up, to everybody at another address.
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
