// Package lease decides which of several workers serves which shard of accounts, and lets no request leave without a lease.
//
// Workers meet at a Board, which a database keeps. Each beats once a second and so renews its lease; each looks at the beats of
// the others once a second, takes over who has not moved for long, and hands shards over as the plan wants them:
//
//	Enter ─► beat each second ─► guard open, deadman armed      look each second ─► take over ─► plan ─► acquire ─► Take
//	                                                                                              └──► Release ─► release
//
// No decision rests on two clocks agreeing. A worker counts its lease from before it asked for it, by its own steady clock, and
// the others count their patience by theirs, from when they saw its last beat.
package lease
