// Package outbox carries actions to the platform and settles what is unsure.
//
// A Courier serves all accounts. Each account has a Box; each ordered row of actions in it (the
// messages of one conversation, the calls on one target) is a chain, worked through one action after
// another while other chains go on. Idle boxes and chains have no goroutine.
//
// The life of an action:
//
//	due ◄──► sending ──► done | refused | held
//	           ▲ │
//	           │ ▼
//	          unsure ──► done | held            also: withdrawn, dead
//
// An action is written as sending before its request leaves. From then on a crash, a lost answer or a
// server error leaves one question open – did it happen? – and the only way to answer it is to read
// the platform. Nothing is ever sent a second time without that. What is held is due or sending again
// when a person releases it.
package outbox
