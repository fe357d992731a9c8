// Package board is where workers meet in a database of PostgreSQL: a lease.Board. Commands look at it, too.
package board
