// Package board is where workers meet in a database of PostgreSQL: a lease.Board. Commands look at it, too.
//
// It is memory without judgement. Who is dead, which shard goes where and what a host may get is decided by workers, in bot/internal/lease;
// here each change is one statement, or one short transaction, that takes effect as a whole or not at all.
//
//	Enter ─► worker row, a new epoch     Beat ─► worker row, each second     Look ─► all of one moment
//	Plan ──► wanted, if nobody planned   Acquire, Release ─► one owner       TakeOver, Leave ─► epoch + 1, shards free
//
// Read seat.go for who is there (Enter, Beat, TakeOver), view.go for shards, host.go for shares; board.go has the connections, lost.go what
// stops all workers, and server.go what the doctor asks.
//
// What holds:
//
//   - Each call of a worker names its epoch, and does nothing when that is over (lease.ErrGone). A worker that slept so changes nothing in the
//     name of the one that came after it.
//   - A takeover ends the server's processes of the dead worker first, as one of them may hold a row for ever; then it raises the epoch of the
//     worker and of its fences, and only then frees its shards. Shards that were free before the fence was raised would have two writers.
//   - What two may do at once is tied to a number that was seen: a plan to the plan before, a share to what was said last. The second one
//     changes nothing, and looks again.
//   - Plans, takeovers and who acquires lock rows of shards in the order of their numbers, or two workers would wait for each other.
//   - Beats have a connection of their own. Behind a slow look a living worker would seem dead.
//   - Once somebody has found that the database lost what it had confirmed, nobody enters or beats until a person accepts it ([Board.AcceptLoss]):
//     what was decided again would be sent again.
//
// bot.RunWorker makes one for each worker; bot/admin opens it for nectar workers and nectar doctor, without a seat. Hints (LISTEN) only make
// things quick: none is needed.
package board
