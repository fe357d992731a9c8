package storetest

import "github.com/nectar-bot/nectar/bot/store/pgserver"

// OwnersOnly is that of pgserver.
const OwnersOnly = pgserver.OwnersOnly
