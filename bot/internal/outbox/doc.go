// Package outbox carries actions to the platform and reconciles what is in doubt.
//
// A Dispatcher serves all accounts. Each account has an Account; each ordered queue of actions in it (the
// messages of one conversation, the calls on one target) is a queue, worked through one action after
// another while other queues go on. Idle outboxes and queues have no goroutine.
//
// The life of an action:
//
//	due ◄──► sending ──► done | refused | held
//	           ▲ │
//	           │ ▼
//	          in doubt ──► done | held            also: withdrawn, dead
//
// An action is written as sending before its request leaves. From then on a crash, a lost answer or a
// server error leaves one question open – did it happen? – and the only way to answer it is to read
// the platform. Nothing is ever sent a second time without that. What is held is due or sending again
// when a person releases it.
package outbox
