package campaigns

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// left is what the book says of what was published. It stands by itself: actions and turns are deleted after some months, and the files
// are edited. Of a post of somebody else there is nothing but its id and its address, which stand where it was decided.
type left struct {
	At      time.Time       `json:"at,omitzero"`
	Words   string          `json:"words,omitempty"` // of an own text, as they left
	Made    platform.PostID `json:"made,omitempty"`  // what the text became
	Address string          `json:"address,omitempty"`
}

// addressFor is how long after the end of a publication its address is looked for, where our own page cannot be read or does not show
// it yet.
const addressFor = 2 * time.Minute

// readLeft returns what an action has published. Of a text our own page says under which address it stands, and at which time; later
// says that it does not yet.
func readLeft(ctx context.Context, t *bot.Turn, a *event.Action) (l left, later bool, err error) {
	if a.State != event.StateDone {
		return left{}, false, nil
	}
	l.At = a.LeftAt.UTC()
	if a.Verb != event.VerbPost {
		return l, false, nil
	}
	if l.Words, l.Made = a.Text, platform.PostID(a.Result); l.Made == 0 { //mutate:book-words
		return l, false, nil
	}
	page, err := t.OwnPage(ctx, handsPosts)
	switch {
	case err != nil && platform.Final(err): // it will never tell
		return l, false, nil
	case err != nil && !isUnreadable(ctx, err):
		return l, false, err
	}
	for i := range page {
		p := &page[i]
		if p.ID != l.Made {
			continue
		}
		l.Address = p.URL
		if !p.Time.IsZero() && p.Time.Sub(a.LeftAt).Abs() < shownAfter { // else its clock says nothing
			l.At = p.Time.UTC()
		}
		return l, false, nil
	}
	return l, t.Now.Before(a.EndedAt.Add(addressFor)), nil
}

// encode returns it as it is stored.
func (l *left) encode() []byte {
	data, err := json.Marshal(l)
	if err != nil {
		panic(err) // texts and times always encode
	}
	return data
}

// bookApprover notes who has approved a slot, in an entry of its own: it goes when that person is forgotten, and the rest of the book
// stays.
func (s *state) bookApprover(t *bot.Turn, id campaigns.SlotID, by string) {
	if by != "" {
		t.Record(event.Entry{List: bookOf(id.Campaign), Key: id.String() + bookBy, Text: by})
	}
}
