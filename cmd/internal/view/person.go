package view

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/words"
)

// FindPerson returns all that is kept of whom a text means, by @name or number: also of somebody whom only an event or an
// entry of a list knows. Somebody of whom nothing is kept is found by number when strangers are wanted.
func (v *View) FindPerson(ctx context.Context, text string, outsiders bool) (*record.Person, error) {
	if isOwn(text) {
		return nil, errOwn
	}
	if len(v.Meant) == 0 {
		return v.nobody(ctx, nil, text, outsiders)
	}
	p, err := inspect.FindKept(ctx, v.Inspector, text, v.Meant...)
	if unclear := (*inspect.PersonError)(nil); errors.As(err, &unclear) {
		return v.nobody(ctx, unclear.Found, text, outsiders)
	}
	return p, err
}

// nobody says that a text means nobody, or several; somebody of whom nothing is kept is an outsider.
func (v *View) nobody(ctx context.Context, found []event.Key, text string, outsiders bool) (*record.Person, error) {
	if _, err := strconv.ParseInt(text, 10, 64); len(found) == 0 && err == nil && outsiders {
		key, err := v.keyOfOutsider(ctx, text)
		return &record.Person{Key: key}, err
	}
	_, err := pickOne(found, text)
	return nil, err
}

// kind is one kind of what is kept of a person.
type kind struct {
	name        string
	rows        int
	first, last time.Time
	words       string // of the last one
}

// add counts one more.
func (k *kind) add(at time.Time, words string) {
	k.rows++
	if k.first.IsZero() || at.Before(k.first) {
		k.first = at
	}
	if !at.Before(k.last) {
		k.last, k.words = at, words
	}
}

// kindsOf tells what is kept of a person, without what there is none of.
func kindsOf(p *record.Person) []kind {
	var all []kind
	count := func(name string, n int, at func(i int) (time.Time, string)) {
		k := kind{name: name}
		for i := range n {
			k.add(at(i))
		}
		if n > 0 {
			all = append(all, k)
		}
	}
	count("events", len(p.Events), func(i int) (time.Time, string) { return p.Events[i].SeenAt, p.Events[i].Text })
	if c := p.Conversation; c != nil {
		k := kind{name: "conversation", rows: 1, words: strings.Join(c.Labels, ", ")}
		all = append(all, k)
		count("values", len(c.Values), func(int) (time.Time, string) { return time.Time{}, "" })
	}
	count("turns", len(p.Turns), func(i int) (time.Time, string) { return p.Turns[i].HandledAt, p.Turns[i].Record.Note })
	count("actions", len(p.Actions), func(i int) (time.Time, string) {
		return p.Actions[i].DecidedAt, shownText(p.Actions[i].Text, p.Actions[i].Private)
	})
	count("timers", len(p.Timers), func(i int) (time.Time, string) { return p.Timers[i].Due, p.Timers[i].Name })
	count("list entries", len(p.Entries), func(i int) (time.Time, string) { return p.Entries[i].At, p.Entries[i].List })
	count("notices", len(p.Notices), func(i int) (time.Time, string) {
		return p.Notices[i].At, shownText(p.Notices[i].Text, p.Notices[i].Private)
	})
	count("facts", len(p.Facts), func(i int) (time.Time, string) { return p.Facts[i].ReadAt, p.Facts[i].Name })
	count("limit uses", len(p.LimitUses), func(i int) (time.Time, string) { return p.LimitUses[i].At, p.LimitUses[i].Limit })
	count("strays", len(p.Strays), func(i int) (time.Time, string) { return p.Strays[i].LeftAt, p.Strays[i].Text })
	count("requests", len(p.Requests), func(i int) (time.Time, string) { return p.Requests[i].AskedAt, string(p.Requests[i].Wish) })
	return all
}

// shownText returns a text as a terminal may show it.
func shownText(text string, isPrivate bool) string {
	if isPrivate {
		return words.Private
	}
	return text
}

// ErrNobody is what a command without a person says.
var ErrNobody = errors.New("name one person, like @ana or 90")
