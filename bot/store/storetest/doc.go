// Package storetest starts servers of PostgreSQL for tests. No program holds it.
package storetest
