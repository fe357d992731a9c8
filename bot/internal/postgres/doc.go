// Package postgres is how a server is spoken to: by its URL, with its lock, its migrations and its errors in words for people. The writer
// goes ahead of the answers (Line, Statement), all others go through database/sql (OpenDB). Statements are written for SQLite, and put into
// the server's form here. It knows nothing of what is stored.
package postgres
