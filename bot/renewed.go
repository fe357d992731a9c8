package bot

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// What begins the decisions that tell of a renewal that ended without its repost, and of one whose repost is owed for long.
const (
	renewedChoice = "renewed/"
	owedChoice    = "owed/"
)

// notifyRenewalFailed tells people of ours when a repost that was taken back, or may have been, cannot be made again.
func (a *account) notifyRenewalFailed(x *event.Action) {
	if x.State != event.StateRefused || !outbox.OwesRepost(x) {
		return
	}
	text := fmt.Sprintf("post %d is not reposted any more: %s", x.Post, x.Reason)
	//mutate:renew-told
	a.tellOfRenewal(renewedChoice+x.Key, text)
}

// RepostOwed tells people of ours, once, when a repost has been owed for a day.
func (l listener) RepostOwed(x event.Action) {
	if a := l.accounts.byName(x.Account); a != nil {
		a.tellOfRenewal(owedChoice+x.Key, fmt.Sprintf("the repost of %d was taken back, or may have been, to be made anew, and could not be made for a day; it still will be. "+
			"What stands in its way: nectar accounts, nectar health", x.Post))
	}
}

// tellOfRenewal stores a notice; once for each choice, over all incarnations.
func (a *account) tellOfRenewal(choice, text string) {
	now, trigger := time.Now(), event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: a.name}, Choice: choice}
	a.save(&store.Turn{
		Trigger: trigger, Record: event.DecisionRecord{Outcome: OutcomeHandled, Note: text}, At: now,
		Notices: []event.Notice{{Account: a.name, ID: trigger.ID() + "/0", Who: event.Everybody, At: now, Text: fmt.Sprintf("Account %s: %s.", a.name, text)}},
	})
}
