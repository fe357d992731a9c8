// Package pgtest starts servers of PostgreSQL for tests. No program holds it. It is for the tests of this tree, and may
// change.
package pgtest
