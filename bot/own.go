package bot

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

// An account has a conversation of its own, with nobody: see event.Own. Its turns are begun by timers, nudges and what people
// ask of the account, one after another. They may publish, repost, like, reply to posts, keep lists and values, and call
// people of ours. What needs a person they cannot do.

// ErrNoPerson is the error of a turn of the account's own conversation that does what is done with a person.
var ErrNoPerson = errors.New("the account's own conversation has no person")

// errOwnID is the error of a turn in a conversation of the account with itself.
var errOwnID = errors.New("a conversation with the account itself has no turns: what the account does by itself is in event.Own(account)")

// ofAccount reports whether the turn is one of the account's own. An event of nobody, which a platform may show, is none.
func (t *Turn) ofAccount() bool { return t.Trigger.Key.Own() && t.Trigger.Kind != event.ByEvent }

// withPerson returns an error where what is to be done needs a person, and the turn has none.
func (t *Turn) withPerson(what string) error {
	if !t.ofAccount() { //mutate:own-person
		return nil
	}
	return fmt.Errorf("%s: %w", what, ErrNoPerson)
}

// failWithoutPerson lets the turn fail where what is to be done needs a person, and it has none; false otherwise.
func (t *Turn) failWithoutPerson(what string) bool {
	err := t.withPerson(what)
	if t.failed == nil {
		t.failed = err
	}
	return err != nil
}

// limitScope names whose uses of a limit are counted: the person's, or the account's own.
func (t *Turn) limitScope() string {
	if t.ofAccount() {
		return "own"
	}
	return fmt.Sprintf("peer:%d", t.Trigger.Key.Peer)
}

// refuseItself returns an error for a turn that no event started and that is in the account's conversation with itself, where
// nothing would happen, and nobody would know why.
func (b *Bot) refuseItself(_ context.Context, t *Turn) (bool, error) {
	key := t.Trigger.Key
	if t.Trigger.Kind == event.ByEvent || key.Own() {
		return false, nil
	}
	a := t.reader.account
	if us, ok := b.selves.Load(self{a.home, key.Peer}); ok && us == a.name { //mutate:own-id
		return true, fmt.Errorf("%d: %w", key.Peer, errOwnID)
	}
	return false, nil
}
