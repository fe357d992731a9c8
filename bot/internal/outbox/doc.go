// Package outbox carries actions to the platform and reconciles what is in doubt.
//
// Each account that is served has an Account, which a Dispatcher opens. What it does is done by its ordered queues, one for what must leave in its
// order: the messages of one conversation, the calls on one target. A queue is worked through one action after another while others go on. Idle
// outboxes and queues have no goroutine.
//
// # The way of one action
//
// The store knows of an action in which state it is: due, sending, in doubt, or how it ended (state.go has all ways between them). On its way it
// is at one of these places, in this order:
//
//	decided    A turn wants it, and has reserved room for it. The commit of the turn is under way: room.go, reservation.go.
//	due        The turn is stored. The action waits in the store for its time and for room, until the fetcher takes it: fetcher.go, scan.go.
//	           What finds room at once is never there.
//	queued     It is stored as sending, and is an item of its queue in memory, behind others or as its head: queue.go.
//	may leave  It is the head, and nothing keeps it back: no pause, no person, no publication too close to it: leave.go. It gets its token, and
//	           its baseline: baseline.go.
//	in hand    It has one of the account's slots, and everything is asked once more: call in carry.go.
//	in flight  Its request may be out: from that last look until its result is noted.
//	result     What the request came to: it happened, it was refused, it is in doubt, or it was nothing and is tried again: try_result.go. What
//	           is in doubt is reconciled: reconcile.go.
//	ended      Its end is stored and told, or that it is held for a person, and it is out of its queue: storeEnd in carry.go.
//
// There are three ways aside. What may not leave now and has not left is put back: it is due again. What somebody has made needless, or is too
// late, is withdrawn. When the account outbox ends, its queues are abandoned: what has not left is put back, and what is in doubt stays as it is
// stored, for the next incarnation.
//
// # From a turn to its queues
//
// A turn waits for room before it runs, and reserves before it is stored; what it decided goes on, or gives its room back, with the commit:
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
