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
// # From a turn to a request
//
// A turn enters before it runs and reserves before it is stored; what it decided goes on, or gives its room back, with the
// commit:
//
//	b.WaitForRoom(ctx, peer)        // waits while more is decided than can be carried
//	r := b.Reserve(actions, now)    // sending, if it may leave at once; due, if the store has to keep it
//	b.LeaveRoom()
//	store.Commit(…, func(stored bool) {
//		if stored {
//			r.Commit(ctx)   // into its queue, without being read back from the store
//		} else {
//			r.GiveBack()
//		}
//	})
//
// The room is taken before the commit, since the state that is stored says where the action is: one stored as sending is in
// memory and leaves from there; one stored as due is not, and the fetcher reads it when there is room. So most actions are
// written once and never read, and a rush does not fill the memory.
//
// # What is in doubt
//
// An action is written as sending before its request leaves. From then on a crash, a lost answer or a
// server error leaves one question open – did it happen? – and this API has no key by which to ask. The only way to answer it
// is to read the platform, and reading proves something only with three things beside it:
//
//   - A baseline (setBaselineFor): the newest id that the platform had given out before the action left, stored with it. What it makes
//     has a higher id; the same text below it is somebody's from before.
//   - A grace (Config.Grace): a server may work on a request after we gave it up. What is shown counts at once; that something is not
//     shown counts only when the request can no longer arrive, and twice in a row, since readings may be stale.
//   - An order (match): actions of a queue left one after another, so the first of them that are shown are the ones that happened, and one
//     that is missing before a later one that is there has been deleted since.
//
// Nothing is ever sent a second time without that. What cannot be read, or what may be there in another form, is held for a person; it
// is due or sending again when a person releases it.
package outbox
