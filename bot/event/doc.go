// Package event holds the one vocabulary of the runtime. It has no behaviour beyond naming and ordering things, so that every other package
// can speak of the same things without importing one another.
//
// Something happens on the platform: an [Event], with an [ID] by which it is known again. It belongs to a conversation, whose [Key] is an
// account and a peer. What makes a conversation's turn run is a [Trigger]: an event, a timer, a person's request, a nudge of the program. A turn
// decides [Action] after action, each with a [State] that says how far it has come; what it may be limited by is a [LimitUse], what it has read
// is a [Fact], and why it did what it did is its [DecisionRecord]. For people it leaves an [Entry] of a list, or a [Notice].
//
//	Event ─┐
//	Timer ─┼─► Trigger ─► turn ─► Actions, Facts, LimitUses, Entries, Notices, DecisionRecord
//	Request┘
//
// How an account acts and is heard stands here, too: its [Pace], its [Backlog], its [SourceHealth].
package event
