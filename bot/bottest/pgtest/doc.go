// Package pgtest starts servers of PostgreSQL for tests. No program holds it.
package pgtest
