package inspect

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// PersonError is the error of a text that means nobody, or may mean several.
type PersonError struct {
	Text  string
	Found []event.Key // the conversations that it may mean
}

// Error says which of the two it is.
func (e *PersonError) Error() string {
	switch {
	case len(e.Found) == 0:
		return fmt.Sprintf("nobody is known as %q", e.Text)
	case e.Found[0].Account != e.Found[1].Account:
		return fmt.Sprintf("%q deals with several accounts", e.Text)
	}
	return fmt.Sprintf("several people were %q", e.Text)
}

// Find returns the conversation that somebody means by @name, in upper or lower case, or by the number of a person. It looks in the
// conversations of the given accounts, or of all when none is given. Unless it finds exactly one, the error is a *PersonError.
func Find(ctx context.Context, i Inspector, text string, accounts ...event.Account) (event.Key, error) {
	return find(ctx, i, text, accounts, false)
}

// FindKept returns all that is kept of the person that a text means. It also finds somebody who stands in an event, or an entry of a list,
// alone. It reads whole tables: use it for what a person asks now and then.
func FindKept(ctx context.Context, i Inspector, text string, accounts ...event.Account) (*record.Person, error) {
	key, err := find(ctx, i, text, accounts, true)
	if err != nil {
		return nil, err
	}
	return i.Person(ctx, key)
}

// find looks for a person in the indexes, and with deep in all that is kept.
func find(ctx context.Context, i Inspector, text string, accounts []event.Account, deep bool) (event.Key, error) {
	if len(accounts) == 0 {
		all, err := i.Accounts(ctx)
		if err != nil {
			return event.Key{}, err
		}
		accounts = all
	}
	p := named(text)
	those, err := i.Among(ctx, accounts, p.having(deep)...)
	if err != nil {
		return event.Key{}, err
	}
	var found []event.Key
	for _, account := range those {
		keys, err := p.keysIn(ctx, i, account)
		if err == nil && len(keys) == 0 && deep {
			keys, err = p.deepIn(ctx, i, account)
		}
		if err != nil {
			return event.Key{}, err
		}
		found = append(found, keys...)
	}
	if len(found) != 1 {
		return event.Key{}, &PersonError{text, found}
	}
	return found[0], nil
}

// name is what somebody calls a person: a user name, or else a number.
type name struct {
	user     string
	number   platform.UserID
	isNumber bool
}

func named(text string) name {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return name{user: strings.TrimPrefix(text, "@")}
	}
	return name{number: platform.UserID(number), isNumber: true}
}

// having says which accounts may know the person.
func (n name) having(deep bool) []record.Having {
	near, far := record.Having{Thing: record.HasNamed, Text: n.user}, record.Having{Thing: record.HasSeen, Text: n.user}
	if n.isNumber {
		near, far = record.Having{Thing: record.HasPeer, Peer: n.number}, record.Having{Thing: record.HasAnythingOf, Peer: n.number}
	}
	if deep {
		return []record.Having{near, far}
	}
	return []record.Having{near}
}

// keysIn returns the conversations of an account with the person.
func (n name) keysIn(ctx context.Context, i Inspector, account event.Account) ([]event.Key, error) {
	if !n.isNumber {
		peers, err := i.PeersNamed(ctx, account, n.user)
		return keysOf(account, peers), err
	}
	rows, err := i.Conversations(ctx, account, []platform.UserID{n.number})
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		return []event.Key{{Account: account, Peer: n.number}}, nil
	}
	events, err := i.Events(ctx, record.EventQuery{Account: account, Peer: n.number, Limit: 1})
	if err != nil {
		return nil, err
	}
	actions, err := i.Actions(ctx, record.ActionQuery{Account: account, Peer: n.number, Limit: 1})
	if err != nil || len(events)+len(actions) == 0 {
		return nil, err
	}
	return []event.Key{{Account: account, Peer: n.number}}, nil
}

// deepIn is keysIn, of all that is kept.
func (n name) deepIn(ctx context.Context, i Inspector, account event.Account) ([]event.Key, error) {
	if !n.isNumber {
		peers, err := i.PeersSeen(ctx, account, n.user)
		return keysOf(account, peers), err
	}
	key := event.Key{Account: account, Peer: n.number}
	p, err := i.Person(ctx, key)
	if err != nil || p.Rows()+p.Marks == 0 && p.Ignored.IsZero() {
		return nil, err
	}
	return []event.Key{key}, nil
}

func keysOf(account event.Account, peers []event.Peer) []event.Key {
	keys := make([]event.Key, len(peers))
	for i := range peers {
		keys[i] = event.Key{Account: account, Peer: peers[i].ID}
	}
	return keys
}
