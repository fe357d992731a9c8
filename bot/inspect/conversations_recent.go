package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// recently is how many of an account's events are looked at for the people of a page.
const recently = 1000

// recentPlace is where the list of those in which something happened last goes on: behind events.
type recentPlace struct {
	Began  int64       `json:"began"` // in microseconds: what was seen later does not count
	Events eventPlaces `json:"events"`
}

// recentPage returns the conversations of a page, and where it goes on; nil for nowhere. Each stands at the last event that was seen in it before
// the list began.
func (l *conversationList) recentPage(ctx context.Context, place recentPlace) (rows []Conversation, next *recentPlace, err error) {
	events := eventList{l.Inspector, record.EventQuery{Limit: recently}, l.accounts, l.q.Limit}
	next = &place
	lasts := map[event.Key]event.ID{}
	for isFirst := place.Began == 0; ; {
		read, err := events.read(ctx, next.Events)
		if err != nil {
			return nil, nil, err
		}
		next.begin(read.heads)
		for _, h := range read.heads {
			if len(rows) == l.q.Limit {
				read.more = true
				break
			}
			e := h.showEvent()
			if _, ok := lasts[e.Key()]; !ok {
				if lasts[e.Key()], err = l.last(ctx, e, next.Began, isFirst); err != nil {
					return nil, nil, err
				}
			}
			if lasts[e.Key()] == e.ID { //mutate:page-last
				rows = append(rows, atEvent(e))
			}
		}
		if next.Events = read.nextPlaces(next.Events); !read.more {
			return rows, nil, l.fill(ctx, rows)
		}
		if len(rows) > 0 {
			return rows, next, l.fill(ctx, rows)
		}
	}
}

// begin notes when the list began: not before anything on its first page was seen, also if the clock of the bot that saw it is ahead.
func (p *recentPlace) begin(heads []head) {
	if p.Began > 0 {
		return
	}
	p.Began = time.Now().UnixMicro()
	for _, h := range heads {
		p.Began = max(p.Began, h.row.SeenAt.UnixMicro())
	}
}

// last returns the last event that was seen in the conversation of one before a list began.
func (l *conversationList) last(ctx context.Context, e *record.EventRow, began int64, first bool) (event.ID, error) {
	key := e.Key()
	if key.Own() { // no index has what nobody did
		if first {
			return e.ID, nil
		}
		return event.ID{}, nil
	}
	q := record.EventQuery{Account: key.Account, Peer: key.Peer, Limit: 1, AfterSeen: time.UnixMicro(began)}
	q.After.Source = event.Deliveries + 1 // behind all of that moment
	rows, err := l.Events(ctx, q)
	if err != nil || len(rows) == 0 {
		return event.ID{}, err
	}
	return rows[0].ID, nil
}

// atEvent returns a conversation as its last event tells it.
func atEvent(e *record.EventRow) Conversation {
	c := Conversation{LastSeen: e.SeenAt}
	c.Key, c.Name, c.User = e.Key(), e.Name, e.User
	return c
}

// fill puts in what is stored of conversations.
func (l *conversationList) fill(ctx context.Context, rows []Conversation) error {
	peers, at := map[event.Account][]platform.UserID{}, map[event.Key]int{}
	for n := range rows {
		key := rows[n].Key
		peers[key.Account], at[key] = append(peers[key.Account], key.Peer), n
	}
	for account, of := range peers {
		stored, err := l.Conversations(ctx, account, of)
		if err != nil {
			return err
		}
		for n := range stored {
			rows[at[stored[n].Key]].ConversationRow = stored[n]
		}
	}
	return nil
}
