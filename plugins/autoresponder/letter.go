package autoresponder

import (
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
	since  time.Time       // when it began that it tells of
	rings  bool            // in quiet hours, whatever its kind
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
