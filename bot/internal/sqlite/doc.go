// Package sqlite is how a file is spoken to: it is found behind its links, locked, migrated and opened. It knows nothing of what is stored.
//
// Two libraries open the same file, as a way through database/sql costs the writer a third of a turn:
//
//	the writer, a move ─────► Open ──► Conn, Statement   zombiezen.com/go/sqlite, no driver in between
//	readers, inspectors ────► OpenDB ► *sql.DB           modernc.org/sqlite, with settings of their own
//	once a second ──────────► RequestProbe               one statement that is prepared for good
//
// Both wrap the same engine, so a code means the same from either; error.go knows both.
//
// A file is opened in this order, and not in another one:
//
//	TakeFile    the lock, then the file, made with its mode if there is none
//	Migrate     the schema; a file of somebody else, or of a newer version, is refused before anything is changed
//	KeepLog     readers and the writer do not wait for each other; the file remembers it
//	Open        the connection that writes, with [Writing]
//
// Where to begin: file.go, then db.go with the settings, then conn.go and statement.go; migrate.go and error.go when they matter.
//
// What holds:
//
//   - The lock lies in a file of its own beside the database. To open and close the database itself would take away what SQLite has locked of
//     it elsewhere in this process, and two writers would be in it.
//   - The lock is named after the file where all links end. Two names of one database have one lock, or two bots would run on it.
//   - A commit is on the disk when it is confirmed (synchronous FULL), unless somebody asked for less. What was confirmed may have left, and a
//     loss of power that takes it back lets it be decided, and sent, again.
//   - What is deleted is overwritten (secure_delete): a person who is forgotten is found in no free page.
//
// bot/internal/store and bot/internal/move open files; bot/admin asks whether something is one.
package sqlite
