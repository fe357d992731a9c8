package event

import (
	"github.com/nectar-bot/nectar/platform"
)

// Account is the local name of one sign-in to the platform.
type Account string

// Shards is the number of shards that accounts are spread over.
const Shards = 1024

// Shard returns the account's shard, in [0, Shards). It depends on the name alone and never changes.
func (a Account) Shard() int {
	h := uint32(2166136261) // FNV-1a
	for i := range len(a) {
		h = (h ^ uint32(a[i])) * 16777619
	}
	return int(h % Shards)
}

// Key names a conversation: everything between one account and one peer. With Peer 0 it is the account's own.
type Key struct {
	Account Account
	Peer    platform.UserID
}

// Own names the account's own conversation, in which it acts by itself, with no peer. Its turns are begun by timers, by
// nudges and by requests of people about the account.
func Own(account Account) Key { return Key{Account: account} }

// Own reports whether it is the account's own conversation.
func (k Key) Own() bool { return k.Peer == 0 }
