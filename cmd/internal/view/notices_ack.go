package view

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// ackWithin is how old a notice may be that somebody takes, and mostAcked how many are looked at.
const (
	ackWithin = 30 * 24 * time.Hour
	mostAcked = 100_000
)

// AcknowledgeWait says that whoever decides sees to the person that a notice is about, by its number or id.
func (v *View) AcknowledgeWait(ctx context.Context, number string, wait time.Duration) error {
	notices, err := v.Notices(ctx, record.NoticeQuery{Since: time.Now().Add(-ackWithin), Limit: mostAcked})
	if err != nil {
		return err
	}
	var found *event.Notice
	for i := range notices {
		n := &notices[i]
		if numberOf(n) != number && n.ID != number || len(v.Meant) > 0 && !slices.Contains(v.Meant, n.Account) {
			continue
		}
		if found != nil && (found.Account != n.Account || found.Peer != n.Peer) {
			return fmt.Errorf("%s is the number of several notices: write the id instead, like %s; nectar notices --json shows it", number, found.ID)
		}
		found = n
	}
	switch {
	case found == nil:
		return fmt.Errorf("there is no notice %q; nectar notices lists them with their numbers", print.PlainText(number, 40))
	case found.Peer == 0:
		return fmt.Errorf("the notice %s is about nobody: there is nobody to see to", number)
	}
	about := print.PersonName(found.Detailed().User, int64(found.Peer))
	return v.AskDecisions(ctx, wait, []Decision{{Request: event.Request{Key: event.Key{Account: found.Account, Peer: found.Peer}, Wish: event.WishAck}, About: about}})
}
