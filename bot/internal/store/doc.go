// Package store is the memory of the runtime: events, conversations, actions, timers, limits, facts,
// cursors and sessions, in one SQLite file; or in a database of PostgreSQL (postgres.go), which a URL in place of a path names.
//
// # Writes, and the commits that they share
//
// Everything a turn decides is one Write; many writes gather into one database commit (Writer). A write is queued, and its receipt comes
// later, in the order of the commits:
//
//	st.Commit(store.Write{Turn: t, Done: func(r store.Receipt) {
//		switch {
//		case errors.Is(r.Err, store.ErrStale): // what it was computed on is not there: compute it anew
//		case r.Err != nil:                     // nothing of it is stored
//		case r.Dropped:                        // its trigger was handled before
//		default:                               // all of it is stored, but the actions of r.Denied
//		}
//	}})
//
// A conversation does not wait for its receipts: its next turn computes on what the one before has decided. That is safe because of the
// Sequence of its turns. When a write of a sequence is not stored, those behind it in the same sequence are not either (ErrStale), in this
// group or in a later one, until the lane begins a new sequence from what the database says.
//
// What the platform answered is stored lazily, with any later commit: after a crash an action without its
// answer is in doubt, and reconciled by reading the platform.
//
// A commit has failed only when that is proven. Each group has a number, which is stored with it; when the answer of a commit is lost,
// the writer asks for the number until it knows, and stores nothing else meanwhile (unclear.go). When another process has taken over the
// database meanwhile, the writer finds another epoch beside its number (Fence), and stores nothing any more.
//
// # Who writes, and who reads
//
// One connection writes, others read (Reader), and neither waits for the other. One process runs on a
// file; others may look at it with OpenReader, and ask for something with OpenInspector.
//
// Durability: a write that has its receipt survives kill -9 always, and loss of power with the
// default synchronous=full (on macOS the file system also needs PRAGMA fullfsync, which is set).
package store
