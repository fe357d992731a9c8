package engine

import (
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Decided names the rule that decides the action, or several with ", " between them, so that it waits while the rule is paused. After stale it is too late
// for the action: it is withdrawn when the rule, or the account, goes on; zero for never.
func Decided(rule string, stale time.Time) bot.Option {
	return func(_ *bot.Turn, a *record.Action) { a.Rule, a.Stale = rule, stale }
}

// Claiming makes the action depend on uses of limits: where one is denied, it is withdrawn.
func Claiming(limitUses ...event.LimitUse) bot.Option {
	return func(_ *bot.Turn, a *record.Action) { a.LimitUses = append(a.LimitUses, limitUses...) }
}

// Private keeps the action's text from being shown where people look at actions.
func Private() bot.Option {
	return func(_ *bot.Turn, a *record.Action) { a.Private = true }
}

// WithBaseline names a message of the conversation that is on the platform already, so that it need not be asked
// for the last one before the action leaves.
func WithBaseline(id platform.MessageID) bot.Option {
	return func(_ *bot.Turn, a *record.Action) {
		if a.Verb == event.VerbMessage {
			a.ReconcileFrom = max(a.ReconcileFrom, int64(id))
		}
	}
}
