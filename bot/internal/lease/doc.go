// Package lease decides which of several workers serves which shard of accounts, and lets no request leave without a lease.
//
// Workers meet at a Board, which a database keeps. Each beats once a second and so renews its lease; each looks at the beats of
// the others once a second, takes over who has not moved for long, and hands shards over as the plan wants them:
//
//	Enter ─► beat each second ─► guard open, deadman armed      look each second ─► take over ─► plan ─► acquire ─► Take
//	                                                                                              └──► Release ─► release
//
// No decision rests on two clocks agreeing. A worker counts its lease from before it asked for it, by its own steady clock, and
// the others count their patience by theirs, from when they saw its last beat. So the owner is over before anybody takes over:
//
//	owner   sends a beat ├──── Term - Margin ────┤ its guard is shut
//	others      see it arrive ├──────── Term, while looks succeed ────────┤ they take over
//
// A worker that loses its lease may not know it: its process may stand still, its requests may be on their way. Three things stand
// between it and the world, each for where the one before does not reach:
//
//   - The guard (Guard) looks at the clock at each write to a socket, so that what was decided in time and held up on its way does not leave
//     late.
//   - The deadman ends the process when it stands still beyond its lease: it could wake up between the look and the write.
//   - The fence, in the database: taking over raises the epoch of the worker, and each of its commits is made only while the epoch is its own.
//     What it still decides is not stored.
//
// What may have left in between all the same is counted (Guard.Late), told to the new owner, and reconciled by reading the platform.
//
// Read worker.go and board.go for the words, then beat.go (one's own lease), watch.go (that of others), round.go (a look, and what follows), plan.go
// (what goes where, as a pure function) and leave.go; guard*.go and deadman*.go stand between a worker and the world. wall.go is about clocks on the
// wall, budget.go about shares of a host. memory*.go and wire.go are a board for simulations.
//
// bot.RunWorker has a worker, a guard and a deadman for each lease, and a holder that serves its shards.
package lease
