package poll

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// ReadAhead asks the store what Load asks it of an account: see store.Ahead. What is missing here Load asks for itself.
func ReadAhead(ctx context.Context, cursors Cursors, account event.Account, without event.Mode) {
	sources := []event.Source{event.Messages, event.Notifs, event.Mentions}
	if without != event.Never {
		sources = append(sources, event.Snapshots)
	}
	for _, source := range sources {
		_, _ = cursors.Cursors(ctx, account, source, []platform.UserID{0})
	}
	_, _ = cursors.CursorsAfter(ctx, account, event.Messages, 0, someChats)
}
