// Package handlers has what most bots need, ready made.
//
// Matchers narrow private messages: Text, Words, Phrase, Pattern, Command. Each has a twin that is a
// condition (Says, SaysWords, SaysPhrase, Fits) and narrows any matcher, since mentions and replies say
// something, too. Further conditions look at the person and the clock: From, Labelled, InState, Hours.
// Not and Any combine them.
//
// Steps are ready handlers, put together by On:
//
//	handlers.On("mention", bot.AnyMention(), handlers.LikeIt(), handlers.Reply("Thank you, {{first_name|friend}}!"))
//
// Middleware wraps handlers: Recover, Log, Ceiling. Fallback answers what nothing else matched, and Menu
// is a set of commands with a /help that lists them. Every is what happens each day at a time.
//
// A small bot of them, which fx puts together:
//
//	fx.New(bot.Module, bot.Routes(
//		handlers.On("refund", handlers.Phrase("my money back"), handlers.Say("Somebody of ours looks at it."), handlers.Handoff("support")),
//		handlers.On("hours", handlers.Words("hours", "open"), handlers.Reply("Mon to Fri, 9 to 17.")).Ordered(1),
//	), fx.Provide(func() bot.Handler { return handlers.Fallback("I will ask a person.", time.Hour) }))
//
// Text is compared as bot.Words tells: case, accents and punctuation do not matter.
package handlers
