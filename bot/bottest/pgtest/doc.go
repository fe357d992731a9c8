// Package pgtest (nothing is promised of it) starts servers of PostgreSQL for tests, and brings the driver for
// them. No program holds it.
package pgtest

import _ "github.com/nectar-bot/nectar/bot/postgres" // tests that start a server speak to it
