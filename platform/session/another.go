package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
)

// All that is kept of an account – up to where it was read, what it still owes – belongs to one user of the platform. Its credentials have to
// sign in as that user: otherwise the bot would act with the memory of another one.

// errUnnamed is that nobody can tell whether what is kept belongs to the user that has signed in.
var errUnnamed = errors.New("the platform did not say who signed in, and the credentials are others than those that the account was kept with")

// samePerson returns what a sign-in brought, completed by what is known, or a *ParkedError when it signed in as another user. old is what
// was kept with these credentials.
func (b *Broker) samePerson(in, old Kept) (Kept, error) {
	b.mu.Lock()
	unproven := b.unproven
	b.mu.Unlock()
	known := old
	if unproven != nil {
		known.User, known.Username = unproven.ID, unproven.Username
	}
	switch {
	case in.User == 0 && unproven != nil: // it may be anybody, which is no reason to give the account up
		return Kept{}, errUnnamed
	case in.User == 0:
		in.User, in.Username = known.User, known.Username
	case known.User != 0 && in.User != known.User: //mutate:another-person
		return Kept{}, &ParkedError{
			Account: b.cfg.Account,
			Known:   platform.Person{ID: known.User, Username: known.Username}, Other: platform.Person{ID: in.User, Username: in.Username},
		}
	}
	return in, nil
}

// Restore returns the account's own id as it is kept, 0 for none. It asks the platform for nothing, unless what is kept was kept with
// other credentials: then it signs in, once, to learn whether they are the same person's. The error is that of the keeper, or that of
// the sign-in, as [Broker.SessionID] has it: a *[ParkedError] with Other when they are somebody else's.
func (b *Broker) Restore(ctx context.Context) (platform.UserID, error) {
	err := b.load(ctx)
	if err != nil || !b.restoring(true) {
		return b.ownID(), err
	}
	defer b.restoring(false)
	_, err = b.SessionID(ctx)
	return b.ownID(), err
}

// restoring notes whether somebody restores, who then says what came of it. It reports whether that takes a sign-in.
func (b *Broker) restoring(begins bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.restore = begins && b.unproven != nil
	return b.unproven != nil
}

// anotherText says which user signed in, and which one was expected.
func (e *ParkedError) anotherText() string {
	instead := fmt.Sprintf("put the e-mail address of %s back, or give %s an account name, or a store, of its own, and start again", name(e.Known), name(e.Other))
	if name(e.Known) == name(e.Other) {
		instead = "the platform is another one, or has begun anew; give the account a name, or a store, of its own there, and start again"
	}
	return fmt.Sprintf("account %q is parked: what is stored for it is of %s, and its credentials sign in as %s, as whom nothing is done: %s",
		e.Account, person(e.Known), person(e.Other), instead)
}

func person(p platform.Person) string { return fmt.Sprintf("%s (number %d)", name(p), p.ID) }

func name(p platform.Person) string {
	if p.Username == "" {
		return fmt.Sprintf("user %d", p.ID)
	}
	return "@" + p.Username
}

// isAnother reports whether err is that somebody else has signed in.
func isAnother(err error) bool {
	parked, is := errors.AsType[*ParkedError](err)
	return is && parked.Other.ID != 0
}
