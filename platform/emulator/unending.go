package emulator

import (
	"cmp"
	"slices"

	"github.com/nectar-bot/nectar/platform"
)

// Unending is a list that goes on and on: pages of made-up rows, as many as it likes, even if page_size asks for fewer. The other
// rows stand among them.
type Unending struct {
	Account platform.UserID           // the account that the list belongs to
	List    platform.NotificationType // "" for messages
	Peer    platform.UserID           // with whom the messages are, or who did what the rows tell
	Own     bool                      // the account wrote the messages itself

	First int64  // the id of the newest one
	Last  int64  // of the oldest one
	Rows  int    // of a page, with those that are real
	Text  string // of each message
}

// Unending makes lists go on and on, until it is called again.
func (p *Platform) Unending(lists ...Unending) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unending = lists
}

// unendingOf returns what does not end of the list of a call; nil for nothing.
func (p *Platform) unendingOf(c *call, list platform.NotificationType, peer platform.UserID) *Unending {
	for i := range p.unending {
		e := &p.unending[i]
		if e.Account == c.account.id && e.List == list && (list != "" || e.Peer == peer) {
			return e
		}
	}
	return nil
}

// pageIDs returns the ids of a page: below one, or, going up, above one; 0 for the newest page.
func (e *Unending) pageIDs(above, below int64) (ids []int64) {
	first, last := e.First, e.Last
	if below > 0 {
		first = min(first, below-1)
	}
	if above > 0 {
		last = max(last, above+1)
		for id := last; id <= first && len(ids) < e.Rows; id++ {
			ids = append(ids, id)
		}
		return ids
	}
	for id := first; id >= last && len(ids) < e.Rows; id-- {
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

// addRows puts a page of rows that nobody made among those of a list below an id, all of them by id.
func (e *Unending) addRows(p *Platform, real []*notification, to *user, below int64) []*notification {
	all := slices.Clone(real)
	for _, id := range e.pageIDs(0, below) {
		subject := platform.SubjectLike
		if e.List == platform.Mentions {
			subject = platform.SubjectMention
		}
		all = append(all, &notification{id: platform.NotificationID(id), from: p.users[e.Peer], to: to, subject: subject, entry: id})
	}
	slices.SortStableFunc(all, func(a, b *notification) int { return cmp.Compare(a.shownID(), b.shownID()) })
	return all[max(0, len(all)-e.Rows):]
}

// addMessages puts a page of messages that nobody made among the real ones of a page.
func (e *Unending) addMessages(p *Platform, page []*message, account *user, s span, newest bool) []*message {
	above := int64(s.after)
	if newest {
		above = 0
	}
	peer := p.users[e.Peer]
	for _, id := range e.pageIDs(above, int64(s.before)) {
		if id <= int64(s.after) {
			continue
		}
		m := &message{id: platform.MessageID(id), from: peer, to: account, text: e.Text}
		if e.Own {
			m.from, m.to = account, peer
		}
		page = append(page, m)
	}
	slices.SortStableFunc(page, func(a, b *message) int { return cmp.Compare(a.shownID(), b.shownID()) })
	if above > 0 {
		return page[:min(len(page), e.Rows)]
	}
	return page[max(0, len(page)-e.Rows):]
}
