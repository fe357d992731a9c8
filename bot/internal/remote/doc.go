// Package remote is what the store and workers know of a database on a server, without a word of how one is spoken to: that is a driver's, and a
// program brings one by importing bot/postgres, as with database/sql. A program that keeps all in a file so links nothing of a server.
//
//	bot/postgres ──► Register(Driver)                       bot/internal/postgres and bot/internal/board, which know the protocol
//	store, bot   ──► Parse ──► Database ──► Line, Statement  who writes
//	                                    └─► OpenDB           readers, inspectors
//	             ──► OpenBoard                               workers
//
// Read driver.go for what a driver is, database.go and line.go for what it gives.
//
// What holds:
//
//   - A driver is registered while the program begins, before main, and stays: nobody has to wait for it, or look twice.
//   - Without one a URL is an error that says what to import (ErrNoDriver). All that asks about an error says no then: no server has made it.
//   - Nothing of a [Line] or a [Statement] takes a function that is called at once: through an interface, each would be an allocation.
package remote
