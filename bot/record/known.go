package record

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Knowledge has the facts that were stored about accounts, as they were when they were read.
type Knowledge map[event.Account][]event.Fact

// Known returns what is known of an account by a name; false when nothing is.
func (k Knowledge) Known(_ context.Context, account event.Account, name string) (event.Fact, bool, error) {
	i := slices.IndexFunc(k[account], func(f event.Fact) bool { return f.Name == name })
	if i < 0 {
		return event.Fact{}, false, nil
	}
	return k[account][i], true, nil
}

// Head is the newest that an account may have of something.
type Head struct {
	Account event.Account
	Newest  time.Time
}
