package poll

import (
	"slices"
	"time"
)

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
