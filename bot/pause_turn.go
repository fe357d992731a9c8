package bot

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// pausedTimer is when a timer of an account that was just paused is looked at again.
const pausedTimer = time.Minute

// isPaused reports whether the account of a turn is paused.
func (t *Turn) isPaused() bool { return t.pauses != nil && t.pauses.Account != nil }

// pausesTimer reports whether timers of a name wait while the account is paused: all but those that judge nobody's
// silence, and the bot's own.
func (a *account) pausesTimer(name string) bool {
	p := a.currentPauses()
	return p != nil && p.Account != nil && !a.bot.router.atOnce(name)
}

// holdsTimer lets a timer wait that was in its lane when its account was paused; false when the turn has to be handled.
func (b *Bot) holdsTimer(t *Turn) bool {
	if !t.isPaused() || t.Trigger.Kind != event.ByTimer || b.router.atOnce(t.Trigger.Timer.Name) {
		return false
	}
	t.putOff(pausedTimer)
	t.rec.Outcome = OutcomePaused
	t.Note("%s", reason.SentenceOf(reason.PausedBy("")))
	return true
}

// onlyRecorded makes a turn of an account that is paused one that does nothing: what it would have done stays recorded.
// before is the conversation as its route found it, and changed whether it was changed by then.
func (t *Turn) onlyRecorded(before conversation.State, changed bool) {
	if !t.minds { //mutate:paused-route
		t.Conversation, t.changed = before, changed
		t.timers, t.decisions, t.withdraw = nil, decisions{masks: t.masks}, "" // what is private stays so
		t.values = valuesAsRead(t.values, nil)
		t.rec.Outcome = OutcomePaused
		t.Note("%s", reason.SentenceOf(reason.PausedBy("")))
	}
	for i := range t.actions {
		if a := &t.actions[i]; !a.State.Final() { //mutate:paused-action
			t.recordOnly(a, reason.PausedBy(""))
			a.LimitUses = nil
		}
	}
}
