package view

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/platform"
)

// FindPerson returns all that is kept of whom a text means, by @name or number: also of somebody whom only an event or an
// entry of a list knows. Somebody of whom nothing is kept is found by number when strangers are wanted.
func (d *View) FindPerson(ctx context.Context, text string, outsiders bool) (*record.Person, error) {
	if isOwn(text) {
		return nil, errOwn
	}
	var found []event.Key
	number, err := strconv.ParseInt(text, 10, 64)
	having := []record.Having{{Thing: record.HasPeer, Peer: platform.UserID(number)}, {Thing: record.HasAnythingOf, Peer: platform.UserID(number)}}
	if number == 0 {
		user := strings.TrimPrefix(text, "@")
		having = []record.Having{{Thing: record.HasNamed, Text: user}, {Thing: record.HasSeen, Text: user}}
	}
	those, wrong := d.AmongMeant(ctx, having...)
	if wrong != nil {
		return nil, wrong
	}
	for _, account := range those {
		keys, err := d.findIn(ctx, account, text)
		if err != nil {
			return nil, err
		}
		if len(keys) == 0 && number == 0 {
			keys, err = d.seen(ctx, account, text)
		} else if len(keys) == 0 {
			keys, err = d.keeps(ctx, event.Key{Account: account, Peer: platform.UserID(number)})
		}
		if err != nil {
			return nil, err
		}
		found = append(found, keys...)
	}
	if len(found) == 0 && err == nil && outsiders {
		key, err := d.outsider(ctx, text)
		return &record.Person{Key: key}, err
	}
	key, err := pick(found, text)
	if err != nil {
		return nil, err
	}
	return d.Person(ctx, key)
}

// seen returns the people of a name whom events alone know.
func (d *View) seen(ctx context.Context, account event.Account, text string) ([]event.Key, error) {
	peers, err := d.PeersSeen(ctx, account, strings.TrimPrefix(text, "@"))
	keys := make([]event.Key, len(peers))
	for i := range peers {
		keys[i] = event.Key{Account: account, Peer: peers[i].ID}
	}
	return keys, err
}

// keeps returns the key if anything is kept of the person.
func (d *View) keeps(ctx context.Context, key event.Key) ([]event.Key, error) {
	p, err := d.Person(ctx, key)
	if err != nil || p.Rows()+p.Marks == 0 && p.Ignored.IsZero() {
		return nil, err
	}
	return []event.Key{key}, nil
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
		return p.Actions[i].DecidedAt, shown(p.Actions[i].Text, p.Actions[i].Private)
	})
	count("timers", len(p.Timers), func(i int) (time.Time, string) { return p.Timers[i].Due, p.Timers[i].Name })
	count("list entries", len(p.Entries), func(i int) (time.Time, string) { return p.Entries[i].At, p.Entries[i].List })
	count("notices", len(p.Notices), func(i int) (time.Time, string) {
		return p.Notices[i].At, shown(p.Notices[i].Text, p.Notices[i].Private)
	})
	count("facts", len(p.Facts), func(i int) (time.Time, string) { return p.Facts[i].ReadAt, p.Facts[i].Name })
	count("limit uses", len(p.LimitUses), func(i int) (time.Time, string) { return p.LimitUses[i].At, p.LimitUses[i].Limit })
	count("strays", len(p.Strays), func(i int) (time.Time, string) { return p.Strays[i].LeftAt, p.Strays[i].Text })
	count("requests", len(p.Requests), func(i int) (time.Time, string) { return p.Requests[i].AskedAt, string(p.Requests[i].Wish) })
	return all
}

// shown returns a text as a terminal may show it.
func shown(text string, isPrivate bool) string {
	if isPrivate {
		return words.Private
	}
	return text
}

// ErrNobody is what a command without a person says.
var ErrNobody = errors.New("name one person, like @ana or 90")
