package why

import (
	"context"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// IsLast reports whether somebody asks about the last thing that a person did, @ana, or that a rule decided, by its name.
func IsLast(text string) bool {
	return strings.HasPrefix(text, "@") && len(text) > 1 || !strings.Contains(text, ":") && strings.Trim(text, "0123456789") != ""
}

// FindLast returns the id of the last event of a person, or of the last one that a rule decided, and restricts the view to its account.
func FindLast(ctx context.Context, d *view.View, text string) (whyID, error) {
	var found []record.EventRow
	var err error
	if strings.HasPrefix(text, "@") {
		p, lost := d.FindPerson(ctx, text, false)
		if lost != nil {
			return whyID{}, lost
		}
		found, err = d.Events(ctx, record.EventQuery{Account: p.Key.Account, Peer: p.Key.Peer, Limit: 1})
	} else {
		found, err = d.LastDecided(ctx, text)
	}
	switch {
	case err != nil:
		return whyID{}, err
	case len(found) == 0 && strings.HasPrefix(text, "@"):
		return whyID{}, fmt.Errorf("nothing that %s did is kept", print.PlainText(text, 80))
	case len(found) == 0:
		return whyID{}, fmt.Errorf("%q is no id, and no rule of that name has decided anything that is kept: write an event like message:501, a person like @ana, or a rule of nectar rules",
			print.PlainText(text, 80))
	}
	e := &found[0]
	d.Meant = []event.Account{e.Account}
	return whyID{text: e.ID.String(), event: e.ID}, nil
}
