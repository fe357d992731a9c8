package inspect

import (
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Lists of several accounts: most accounts have nothing of what is asked for. Which ones have something is asked once for all.

// fewAccounts is up to how many accounts are simply looked at one after the other.
const fewAccounts = 32

// farOff is later than anything that has happened.
var farOff = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// listAccounts returns the accounts of a list: some, or the one of its query.
func listAccounts(one event.Account, some []event.Account) []event.Account {
	if len(some) == 0 {
		return []event.Account{one}
	}
	return some
}

// soleAccount returns the account that a cursor belongs to. A cursor of several accounts belongs to none: it knows each account that it has begun,
// and others may come.
func soleAccount(one event.Account, some []event.Account) any {
	if len(some) == 0 {
		return one
	}
	return len(some) > 0
}

// placesIn returns where accounts stand among the given ones.
func placesIn(accounts []event.Account) map[event.Account]int {
	places := make(map[event.Account]int, len(accounts))
	for i, a := range accounts {
		places[a] = i
	}
	return places
}

// peerBeside returns the peer behind which an account's rows begin that have the same time as a place in another account: all of them when the account
// is given behind that one, none when it is given before it.
func peerBeside(places map[event.Account]int, account, other event.Account) platform.UserID {
	if places[account] < places[other] { //mutate:page-moment
		return math.MinInt64
	}
	return math.MaxInt64
}
