package engine

import (
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
)

// Ways are what a route of an engine has beside what every route has.
type Ways struct {
	// Keeps is the beginning of the names of flows that the route moves itself, with Turn.EnterFlow. Messages in such a flow are given to
	// the route first, and the conversation stays in the flow until the route ends it. "" for none.
	Keeps string
	// LooksOn gives the route what happens in conversations that a person of ours has, while it says so about an account's events of a
	// kind: every other route is silent there. Its turns may do all but act on the platform: one that does so fails. nil for never.
	LooksOn func(account event.Account, k event.Kind) bool
	// MindsPauses lets the handler be called also while its account, or a rule of it, is paused: it looks at Turn.Pauses itself. The
	// turns of other routes are only recorded while the account is paused: what they decide is not done, and the conversation stays
	// as it was.
	MindsPauses bool
	// Acked names the timer that is due when somebody of ours has said that they see to the person: calls about it wait from then on. "" for a route
	// that calls nobody.
	Acked string
	// Says reports whether a text is one that the route may have said to somebody: after a copy of the database was put back, that tells
	// the bot's words from those of a person of ours. nil for never.
	Says func(account event.Account, text string) bool
	// Hears reports whether a text asks for silence, and whether the route handles silence for an account at all. If it does, messages that ask
	// for silence, and all events of somebody while the silence lasts, are given to it alone, before flows and all other routes. It notes
	// with Turn.Silence that a silence begins or ends. nil for never.
	Hears func(account event.Account, text string) (asks, heard bool)
	// Clocked lets a turn that comes with each start come again when it is another difference between the clocks that Turn.Clock returns, on
	// accounts of which a turn has asked for it.
	Clocked bool
}

// Route returns a route with other ways.
func Route(r bot.Route, w Ways) bot.Route {
	hook.Put(&r, hook.Ways(w))
	return r
}
