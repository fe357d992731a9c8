package poll

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// meaning is what a row says that was looked at since it changed.
type meaning uint8

const (
	nothing    meaning = iota // nothing is new: it was told of before, or nobody knows
	stale                     // lists have lagged: it is what was there before
	ours                      // the account's own words, which hide what may have been said before them
	again                     // nothing differs, but the same words were said anew, as far as the clocks tell
	toldBefore                // an earlier incarnation told of it, and its version did not store with it how far it got
	news                      // the person spoke
)

// meant is what tells what a row means, beside how it differs from what was known.
type meant struct {
	old    *snapshot
	whose  whose
	unread uint16
	id     event.ID // of the event that would be made of it
	lagged bool
	anew   bool // clocks say that it was said after the earlier incarnation that stored the same of it
}

// meaningOf tells what a row says.
func (s *snapshots) meaningOf(ctx context.Context, c *cycle, m *movement, x meant) (meaning, error) {
	what := s.judgeRow(m, x)
	asks := x.whose.ours || x.whose.sent || x.old.mark != 0
	if what != nothing && what != ours || m.isSilent() || !asks || !x.old.loaded || c.cfg.Delivered == nil {
		return what, nil
	}
	known, err := c.cfg.Delivered.KnownEvents(ctx, []event.ID{x.id})
	if err != nil {
		return what, fmt.Errorf("ask whether a row was told of before: %w", err)
	}
	if known[x.id] { //mutate:told-before
		what = toldBefore
	}
	return what, nil
}

// judgeRow tells what a row says by itself.
func (s *snapshots) judgeRow(m *movement, x meant) meaning {
	counts := s.counts
	switch {
	case m.isSilent() && x.anew && !x.whose.ours:
		return again
	case m.isSilent(): // a name or a picture; or somebody has read, or deleted, what was told of before
		return nothing
	case x.lagged: //mutate:lagged
		return stale
	//mutate:own-words
	case x.whose.ours:
		return ours
	case !m.rose && x.whose.sent && counts: // our words, as the platform changed them
		return ours
	// Where unread messages are counted, one of theirs shows in the count; where they are not, any change that nothing of ours explains is theirs.
	case m.rose, m.spoke && x.unread > 0, m.told && !counts:
		return news
	default:
		return nothing
	}
}

// isAnew reports whether what a row shows was said after the list that showed an earlier incarnation what it stored of it, as far as
// the clocks tell. A clock that was set would say so of all rows: it is counted, which settles nothing any more, and not
// told of.
func (s *snapshot) isAnew(seen *listing, i int) bool {
	age, unit, ok := seen.glances[i].shownAge()
	if !ok || s.at == 0 {
		return false
	}
	return seen.began.Add(-age - unit).After(time.UnixMilli(s.at).Add(ownSlack)) //mutate:said-anew
}

// deriveFrom makes of a snapshot what follows from the meaning of its row.
func (s *snapshot) deriveFrom(what meaning, old *snapshot, w whose) {
	switch what {
	case nothing, ours:
	case stale:
		s.whose = old.past.whoseWords(*s)
	case toldBefore:
		s.count, s.whose = s.count+1, whose{sent: w.sent}
	case again, news:
		s.count++
	}
}

// movement is how a row differs from what was known of it.
type movement struct {
	told  bool // there is something to compare it with
	same  bool // the text is the same
	rose  bool // more messages are unread
	young bool // its age fell
	spoke bool // nothing speaks against a new message
}

// isSilent reports whether nothing was said.
func (m *movement) isSilent() bool { return m.same && !m.rose && !m.young }

// compare compares a row with what is known of it. Ages are compared within an incarnation alone, where the clock
// is the same. There, another text that is no younger is an older one, if the later one may have been
// deleted: it was ours, or fewer messages are unread.
func (s *snapshots) compare(seen *listing, i int, old, next snapshot, first bool) movement {
	r := s.in.rows[i]
	m := movement{told: !first || old.mark != 0, same: markedText(old.mark) == markedText(next.mark)}
	before := r.unread
	if old.mark != 0 {
		// As it was when the chat was looked at last: after a start the row itself is new, and counts nothing.
		before = markedUnread(old.mark)
	}
	m.rose = m.told && markedUnread(next.mark) > before
	deletable := old.whose.ours || markedUnread(next.mark) < before
	comparable := r.born != 0
	m.young = r.state&rowYounger != 0 || r.takeAge(&seen.glances[i], seen.began, seen.ended)
	m.spoke = m.young || !deletable || !comparable || r.age == 0 || s.isFresh(seen, i, old, next) //mutate:deleted-news
	return m
}

// pastKept is how many texts that a row has shown before are remembered of a chat.
const pastKept = 8

// past is what lists of this incarnation have shown of a chat before what it shows now.
type past struct {
	gone  time.Time        // when the first list began that did not show it, until it is back; zero: it is there
	was   snapshot         // what it showed until then; nothing if that was an earlier incarnation
	born  int64            // and its row.born
	texts [pastKept]uint32 // digests, 0 for none
	next  int
	since time.Time // all that was sent later is there, if a list has shown it; zero: all of this incarnation
}

// goneSince returns when the first list began that did not show the chat; zero while it is there.
func (s *snapshot) goneSince() time.Time {
	if s.past == nil {
		return time.Time{}
	}
	return s.past.gone
}

// whoseWords returns whose words a chat shows that is back as it was.
func (p *past) whoseWords(next snapshot) whose {
	if markedText(p.was.mark) == markedText(next.mark) { //mutate:back-whose
		return p.was.whose
	}
	return next.whose
}

// pastOf returns the past of what a chat shows next, in a list that began then.
func (s *snapshot) pastOf(next snapshot, began time.Time) *past {
	switch {
	case !s.goneSince().IsZero():
		return nil
	case s.mark == 0 || markedText(s.mark) == markedText(next.mark):
		return s.past
	default:
		return s.past.with(s.mark, began)
	}
}

// with adds a text that is not shown any more since a list that began then.
func (p *past) with(mark uint64, began time.Time) *past {
	if p == nil {
		p = &past{}
	}
	if p.has(mark) {
		return p
	}
	if p.texts[p.next] != 0 {
		// The eighth text before falls out: of what was sent earlier than now, nobody knows any more whether a list has shown it.
		p.since = began
	}
	p.texts[p.next] = uint32(markedText(mark))
	p.next = (p.next + 1) % pastKept
	return p
}

func (p *past) has(mark uint64) bool {
	return p != nil && slices.Contains(p.texts[:], uint32(markedText(mark)))
}

// isFresh reports whether a row that shows another text shows a new message although it is no younger, as far as ages tell,
// than what was there before, which may have been deleted: it is of the last minute, and no list has shown it.
// That is how a chat looks that was deleted and written again between two lists.
func (s *snapshots) isFresh(seen *listing, i int, old, next snapshot) bool {
	age, unit, ok := seen.glances[i].shownAge()
	if !ok || age+unit > sendLag { // own words that no list has shown are not known for longer
		return false
	}
	sent := seen.began.Add(-age - unit) // no earlier
	return !s.first.IsZero() && !sent.Before(s.first) && (old.past == nil || !sent.Before(old.past.since)) && !old.past.has(next.mark)
}
