package pgtest

import "github.com/nectar-bot/nectar/bot/bottest/pgserver"

// OwnersOnly is that of pgserver.
const OwnersOnly = pgserver.OwnersOnly
