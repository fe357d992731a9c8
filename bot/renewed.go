package bot

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
)

// renewedChoice begins the decision that tells of a renewal that ended without its repost.
const renewedChoice = "renewed/"

// renewed tells people of ours when a repost that was taken back, or may have been, cannot be made again.
func (a *account) renewed(x *event.Action) {
	if x.State != event.StateRefused || x.SettleFrom == 0 {
		return
	}
	now := time.Now()
	text := fmt.Sprintf("post %d is not reposted any more: %s", x.Post, x.Reason)
	trigger := event.Trigger{Kind: event.ByDecision, Key: event.Key{Account: a.name}, Choice: renewedChoice + x.Key}
	//mutate:renew-told
	a.save(&store.Turn{
		Trigger: trigger, Trace: store.Trace{Outcome: OutcomeHandled, Note: text}, At: now,
		Notices: []store.Notice{{Account: a.name, ID: trigger.ID() + "/0", Who: store.Everybody, At: now, Text: fmt.Sprintf("Account %s: %s.", a.name, text)}},
	})
}
